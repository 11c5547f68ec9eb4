"""The primary rate limit of a token, and its headers."""

from __future__ import annotations

from dataclasses import dataclass

from tests.github_server.state import Token

WINDOW_SECONDS = 3_600
ANONYMOUS_LIMIT = 60


@dataclass(frozen=True)
class RateLimit:
    """`reset` is in seconds since the epoch."""

    limit: int
    used: int
    reset: int

    @property
    def remaining(self) -> int:
        """Requests left until the reset."""
        return max(0, self.limit - self.used)

    def as_json(self) -> dict[str, int]:
        """As `GET /rate_limit` shows it."""
        return {
            "limit": self.limit,
            "remaining": self.remaining,
            "used": self.used,
            "reset": self.reset,
        }

    def headers(self) -> dict[str, str]:
        """As every answer carries it."""
        shown = {f"X-RateLimit-{name.title()}": str(n) for name, n in self.as_json().items()}
        return {**shown, "X-RateLimit-Resource": "core"}


def rate_limit_of(token: Token | None, now: float) -> RateLimit:
    """The limit a token is under now; the window ends on the full hour."""
    reset = (int(now) // WINDOW_SECONDS + 1) * WINDOW_SECONDS
    if token is None:
        return RateLimit(ANONYMOUS_LIMIT, 0, reset)
    return RateLimit(token.rate_limit, token.rate_used, reset)
