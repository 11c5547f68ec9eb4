"""Bounded retries of requests to GitHub: what may be repeated, and how long to wait.

GitHub's rules (docs.github.com, "Best practices for using the REST API"): wait as long as
`Retry-After` says; at a primary limit until `x-ratelimit-reset`; at a secondary limit without
`Retry-After` at least a minute. A refused request (401, 403, 404, 422) is never repeated.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from bot.errors import one_line
from bot.github.interface import Ambiguous, GitHubRefused, GitHubUnreachable

MAX_ATTEMPTS: Final = 6
MAX_TOTAL_SECONDS: Final = 300.0
SECONDARY_LIMIT_SECONDS: Final = 60.0
FIRST_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 30.0
RESET_MARGIN_SECONDS: Final = 1.0  # clocks differ

_SECONDARY_LIMIT: Final = ("secondary rate limit", "abuse detection")
_PRIMARY_LIMIT: Final = "api rate limit exceeded"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of GitHub; header names are lower case."""

    status: int
    headers: Mapping[str, str]
    message: str


class Failed(Exception):
    """One attempt failed: GitHub's answer, or None when there was none."""

    def __init__(self, answer: Answer | None, reason: str) -> None:
        super().__init__(reason)
        self.answer, self.reason = answer, one_line(reason, 300)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None


def limit_pause(answer: Answer, now: float) -> float | None:
    """Seconds to wait when `answer` says a rate limit was met (nothing was done); else None."""
    if answer.status not in (403, 429):
        return None
    message = answer.message.lower()
    after = _number(answer.headers.get("retry-after"))
    if answer.headers.get("x-ratelimit-remaining") == "0" or message.startswith(_PRIMARY_LIMIT):
        reset = _number(answer.headers.get("x-ratelimit-reset"))
        if after is None and reset is not None:
            return max(0.0, reset - now) + RESET_MARGIN_SECONDS
        return SECONDARY_LIMIT_SECONDS if after is None else after
    is_limit = answer.status == 429 or any(words in message for words in _SECONDARY_LIMIT)
    if after is not None and is_limit:
        return after
    return SECONDARY_LIMIT_SECONDS if is_limit else None


@dataclass(frozen=True)
class Retrier:
    """Clock, sleep and chance come from outside, so that a test takes no time."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = field(
        default_factory=lambda: random.Random().random  # noqa: S311 - jitter, not a secret
    )

    def backoff(self, attempt: int) -> float:
        """Exponential with full jitter, for the `attempt`-th repetition (from 0)."""
        return min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * (1 << attempt)) * (
            0.5 + self.chance() / 2
        )

    def call(self, ask: Callable[[], T], *, where: str, repeatable: bool) -> T:
        """`ask()`, repeated while that may help; `where` names the request in messages.

        Raises GitHubRefused for a refusal, GitHubUnreachable after the last try, and Ambiguous when
        a request that is not `repeatable` may have been done.
        """
        deadline = self.now() + MAX_TOTAL_SECONDS
        for attempt in range(MAX_ATTEMPTS):
            try:
                return ask()
            except Failed as failed:
                pause = self._pause(failed, attempt, where, repeatable=repeatable)
                if attempt == MAX_ATTEMPTS - 1 or self.now() + pause > deadline:
                    raise GitHubUnreachable(
                        f"{failed.reason}, after {attempt + 1} attempts",
                        where=where,
                        next_step="run the job again later",
                    ) from failed
                self.sleep(pause)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _pause(self, failed: Failed, attempt: int, where: str, *, repeatable: bool) -> float:
        answer = failed.answer
        if answer is not None:
            if (pause := limit_pause(answer, self.now())) is not None:
                return pause
            if answer.status < 500:
                raise GitHubRefused(answer.status, failed.reason, where=where) from failed
        if not repeatable:
            raise Ambiguous(failed.reason, where=where) from failed
        return self.backoff(attempt)
