"""The routing table: method and path template (as GitHub's description writes it) → handler."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from tests.github_server.wire import Answer, Call, Needs

Handler = Callable[[Call], Answer]

SLASHED_PARAMETERS = frozenset({"path", "ref", "branch", "basehead"})
"""Path parameters whose value may hold slashes."""


@dataclass(frozen=True)
class Route:
    """One operation. `as_app` operations take an App's JWT instead of a token."""

    method: str
    template: str
    needs: Needs
    as_app: bool
    handler: Handler

    @functools.cached_property
    def pattern(self) -> re.Pattern[str]:
        """The template as a regular expression over the undecoded path."""
        return re.compile(re.sub(r"\\{(\w+)\\}", _group, re.escape(self.template)))

    @property
    def literal_length(self) -> int:
        """Characters outside parameters: of two matching templates the longer is meant."""
        return len(re.sub(r"\{\w+\}", "", self.template))


_ROUTES: list[Route] = []

ANY_TOKEN = Needs()


def route(
    method: str, template: str, needs: Needs = ANY_TOKEN, *, as_app: bool = False
) -> Callable[[Handler], Handler]:
    """Register a handler for an operation."""

    def register(handler: Handler) -> Handler:
        _ROUTES.append(Route(method, template, needs, as_app, handler))
        _by_preference.cache_clear()
        return handler

    return register


def find_route(method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """The route of an undecoded path and its decoded parameters, or None."""
    for candidate in _by_preference():
        if candidate.method == method:
            match = candidate.pattern.fullmatch(path)
            if match is not None:
                return candidate, {k: unquote(v) for k, v in match.groupdict().items()}
    return None


def all_routes() -> tuple[Route, ...]:
    """Every registered operation."""
    return _by_preference()


@functools.cache
def _by_preference() -> tuple[Route, ...]:
    return tuple(sorted(_ROUTES, key=lambda one: -one.literal_length))


def _group(match: re.Match[str]) -> str:
    name = match[1]
    return f"(?P<{name}>{'.+?' if name in SLASHED_PARAMETERS else '[^/]+'})"


def reads(*any_of: str) -> Needs:
    """Needs one of these permissions to read."""
    return Needs("read", any_of)


def writes(*any_of: str) -> Needs:
    """Needs one of these permissions to write."""
    return Needs("write", any_of)
