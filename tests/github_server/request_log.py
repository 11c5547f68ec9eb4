"""What the server was asked, for tests that count requests or look into them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_WRITES = ("POST", "PUT", "PATCH", "DELETE")


@dataclass
class RecordedRequest:
    """One request. `path` is undecoded, without `/api/v3` and query; `operation` is the route's
    template; `status` is None until answered, and stays so when no answer was sent."""

    number: int
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    raw_body: bytes = field(repr=False)
    base: str
    token: str | None = field(default=None, repr=False)
    operation: str | None = None
    status: int | None = None
    fault: str | None = None

    @property
    def json(self) -> Any:
        """The parsed body, None when there is none."""
        return json.loads(self.raw_body) if self.raw_body else None

    @property
    def is_write(self) -> bool:
        """May this request have changed something?"""
        return self.method in _WRITES

    def __str__(self) -> str:
        query = "&".join(f"{k}={v}" for k, v in self.query.items())
        return f"{self.method} {self.path}{'?' + query if query else ''} → {self.status}"


def matching(
    requests: list[RecordedRequest],
    method: str | None = None,
    path: str = "",
    token: str | None = None,
) -> list[RecordedRequest]:
    """Requests with this method, a path that the regular expression finds, and this token."""
    return [
        one
        for one in requests
        if method in (None, one.method) and re.search(path, one.path) and token in (None, one.token)
    ]
