"""A call as a route sees it, an answer as it returns it, and GitHub's ways of refusing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from tests.github_server.state import Level, Repository, State, Token, User

JSON_TYPE = "application/json; charset=utf-8"
DOCS = "https://docs.github.com/rest"

Item = TypeVar("Item")


@dataclass(frozen=True)
class Answer:
    """What goes back: `body` is JSON data, raw bytes, or None for an empty body."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON_TYPE

    def encoded(self) -> bytes:
        """The body's bytes."""
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body, ensure_ascii=False).encode("utf-8", "replace")


class Refusal(Exception):
    """GitHub says no: becomes an answer in GitHub's JSON shape."""

    def __init__(
        self,
        status: int,
        message: str,
        errors: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        documentation_url: str = DOCS,
    ) -> None:
        super().__init__(message)
        self.answer = Answer(
            status,
            {
                "message": message,
                **({"errors": [dict(error) for error in errors]} if errors else {}),
                "documentation_url": documentation_url,
                "status": str(status),
            },
            headers or {},
        )


def not_found() -> Refusal:
    """The 404 that GitHub gives for whatever is absent, or private and out of reach."""
    return Refusal(404, "Not Found")


def invalid(resource: str, field_name: str, code: str, message: str | None = None) -> Refusal:
    """A 422 about one field."""
    error = {"resource": resource, "field": field_name, "code": code}
    if message is not None:
        error["message"] = message
    return Refusal(422, "Validation Failed", [error])


@dataclass(frozen=True)
class Needs:
    """The permission an endpoint asks for: one of `any_of` at `level`. Empty: any valid token."""

    level: Level = "read"
    any_of: tuple[str, ...] = ()

    def header(self) -> str:
        """GitHub's `X-Accepted-GitHub-Permissions`."""
        return "; ".join(f"{name}={self.level}" for name in self.any_of)


@dataclass(frozen=True)
class Urls:
    """Absolute addresses in an answer, on the base that the request came in by."""

    api: str
    html: str


@dataclass
class Call:
    """One authenticated request on its way to a route."""

    state: State
    urls: Urls
    storage_url: str
    method: str
    path: str
    parameters: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw_body: bytes
    token: Token | None = None
    found_repository: Repository | None = None

    @property
    def repo(self) -> Repository:
        """The repository of `/repos/{owner}/{repo}/…`."""
        if self.found_repository is None:
            raise not_found()
        return self.found_repository

    @property
    def actor(self) -> User:
        """Who acts by this token."""
        return self.bearer.user

    @property
    def bearer(self) -> Token:
        """The token of the call."""
        if self.token is None:
            raise Refusal(401, "Bad credentials")
        return self.token

    def number(self, name: str) -> int:
        """An integer path parameter; anything else is not found."""
        value = self.parameters[name]
        if not re.fullmatch(r"\d{1,18}", value):
            raise not_found()
        return int(value)

    def json(self) -> Any:
        """The parsed body; an empty one is `{}`. GitHub's 400 when it is not JSON."""
        if not self.raw_body:
            return {}
        try:
            return json.loads(self.raw_body)
        except ValueError:
            raise Refusal(400, "Problems parsing JSON") from None

    def body(self) -> dict[str, Any]:
        """The body as a JSON object; GitHub's 422 when it is another type."""
        parsed = self.json()
        if not isinstance(parsed, dict):
            raise Refusal(422, "Invalid request.\n\nThe body is not an object.")
        return parsed

    def required(self, name: str, kind: type[Item]) -> Item:
        """A body field that must be there with this type; GitHub's 422 otherwise."""
        value = self.body().get(name)
        if isinstance(value, kind):
            return value
        what = "wasn't supplied" if value is None else f"is not of type {kind.__name__}"
        raise Refusal(422, f'Invalid request.\n\n"{name}" {what}.')

    def accepts(self, word: str) -> bool:
        """Does the Accept header ask for this media subtype (`raw`, `object`, `diff` …)?"""
        accept = self.headers.get("accept", "")
        return re.search(rf"application/vnd\.github\.(v3\.)?{word}\b", accept) is not None

    def page(self, items: Sequence[Item]) -> tuple[Sequence[Item], dict[str, str]]:
        """The asked page of a list and its `Link` header, as GitHub cuts it."""
        size = min(max(_integer(self.query.get("per_page"), 30), 1), self.state.limits.page_size)
        number = max(_integer(self.query.get("page"), 1), 1)
        last = max(1, -(-len(items) // size))
        rels = []
        if number < last:
            rels += [("next", number + 1), ("last", last)]
        if number > 1:
            rels += [("first", 1), ("prev", min(number - 1, last))]
        link = ", ".join(f'<{self._page_url(target)}>; rel="{rel}"' for rel, target in rels)
        return items[(number - 1) * size : number * size], {"Link": link} if link else {}

    def paged(self, items: Sequence[Item], build: Callable[[Item], dict[str, Any]]) -> Answer:
        """The asked page as an answer, each item built."""
        chosen, headers = self.page(items)
        return Answer(200, [build(item) for item in chosen], headers)

    def paged_under(
        self, name: str, items: Sequence[Item], build: Callable[[Item], dict[str, Any]]
    ) -> Answer:
        """The asked page beside `total_count`, as the Actions and Checks endpoints wrap it."""
        chosen, headers = self.page(items)
        wrapped = {"total_count": len(items), name: [build(item) for item in chosen]}
        return Answer(200, wrapped, headers)

    def _page_url(self, page: int) -> str:
        return f"{self.urls.api}{self.path}?{urlencode({**self.query, 'page': page})}"


def _integer(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else default
