"""Two clients for tests: PyGithub without its waits, and plain HTTP that hides nothing."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from github import Auth, Github

from tests.github_server.server import GitHubServer
from tests.github_server.state import Token


def pygithub(server: GitHubServer, token: Token, *, enterprise: bool = False) -> Github:
    """PyGithub on this server: no retry and no wait between requests."""
    return Github(
        base_url=server.enterprise_url if enterprise else server.url,
        auth=Auth.Token(token.value),
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
        timeout=10,
    )


@dataclass(frozen=True)
class Reply:
    """An answer as it came; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The parsed body."""
        return json.loads(self.body)

    @property
    def message(self) -> str:
        """GitHub's `message`."""
        return str(self.json["message"])


class PlainClient:
    """One keep-alive connection; `ask` sends a request and reads the whole answer."""

    def __init__(self, address: str, token: str | None = None, *, timeout: float = 10) -> None:
        parts = urlsplit(address)
        self.prefix = parts.path
        self.token = token
        self.connection = http.client.HTTPConnection(parts.netloc, timeout=timeout)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """`body` is sent as JSON unless it is bytes. Redirects are not followed."""
        sent = {"User-Agent": "test", **(headers or {})}
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        self.connection.request(method, self.prefix + path, raw, sent)
        answer = self.connection.getresponse()
        lowered = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, lowered, answer.read())

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()
