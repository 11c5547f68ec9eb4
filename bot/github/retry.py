"""Bounded retries of requests to GitHub: what may be repeated, and how long to wait.

GitHub's rules (docs.github.com, "Best practices for using the REST API"): wait as long as
`Retry-After` says; at a primary limit until `x-ratelimit-reset`; at a secondary limit without
`Retry-After` at least a minute, and twice as long each time it is met again. A refused request
(401, 403, 404, 422) is never repeated.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

from bot.errors import one_line
from bot.github.interface import Ambiguous, GitHubRefused, GitHubUnreachable

MAX_ATTEMPTS: Final = 6
MAX_TOTAL_SECONDS: Final = 300.0
"""For all failed attempts and pauses of a connection together: a job costs money while it waits."""
SECONDARY_LIMIT_SECONDS: Final = 60.0
FIRST_BACKOFF_SECONDS: Final = 0.5
MAX_BACKOFF_SECONDS: Final = 30.0
RESET_MARGIN_SECONDS: Final = 1.0  # clocks differ
LIMIT_JITTER: Final = 0.1
"""At most this share is added to a limit's pause: jobs that met it together shall not return so."""

_SECONDARY_LIMIT: Final = ("secondary rate limit", "abuse detection")
_PRIMARY_LIMIT: Final = "rate limit exceeded"

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


def _server_now(answer: Answer, now: float) -> float:
    """The server's clock, where it tells: a reset is given by it, and a runner's may be wrong."""
    try:
        return parsedate_to_datetime(answer.headers["date"]).timestamp()
    except (KeyError, ValueError):
        return now


def limit_pause(answer: Answer, now: float, attempt: int = 0) -> float | None:
    """Seconds to wait when `answer` says a rate limit was met (nothing was done); else None.

    `attempt` counts the failures before it; `now` is taken where the answer bears no date.
    """
    message = answer.message.lower()
    is_primary = _PRIMARY_LIMIT in message or (
        answer.status == 429 and answer.headers.get("x-ratelimit-remaining") == "0"
    )
    is_limit = answer.status == 429 or is_primary or any(w in message for w in _SECONDARY_LIMIT)
    if answer.status not in (403, 429) or not is_limit:
        return None
    if (after := _number(answer.headers.get("retry-after"))) is not None:
        return after
    reset = _number(answer.headers.get("x-ratelimit-reset"))
    if is_primary and reset is not None:
        return max(0.0, reset - _server_now(answer, now)) + RESET_MARGIN_SECONDS
    return SECONDARY_LIMIT_SECONDS * (1 << attempt)


@dataclass
class Retrier:
    """Clock, sleep and chance come from outside, so that a test takes no time.

    `lost_seconds` sums up failed attempts and pauses over all calls.
    """

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = field(
        default_factory=lambda: random.Random().random  # noqa: S311 - jitter, not a secret
    )
    lost_seconds: float = field(default=0.0, init=False)

    def backoff(self, attempt: int) -> float:
        """Exponential, half of it left to chance, for the `attempt`-th repetition (from 0)."""
        return min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * (1 << attempt)) * (
            0.5 + self.chance() / 2
        )

    def call(
        self, ask: Callable[[], T], *, where: str, repeatable: bool, outdates: bool = False
    ) -> T:
        """`ask()`, repeated while that may help; `where` names the request in messages.

        What `outdates` was made from something read, which may have changed after a pause.

        Raises GitHubRefused for a refusal, GitHubUnreachable after the last try, and Ambiguous when
        a request that is not `repeatable` may have been done, or when one that `outdates` had to
        wait: the caller reads again.
        """
        for attempt in range(MAX_ATTEMPTS):
            started = self.now()
            try:
                return ask()
            except Failed as failed:
                self.lost_seconds += max(0.0, self.now() - started)
                pause = self._pause(failed, attempt, where, repeatable=repeatable)
                is_too_long = self.lost_seconds + pause > MAX_TOTAL_SECONDS
                if is_too_long or attempt == MAX_ATTEMPTS - 1:
                    tried = f"after {attempt + 1} attempt{'s' if attempt else ''}"
                    asked = f", and it asks to wait {pause:,.0f} s" if is_too_long else ""
                    raise GitHubUnreachable(
                        f"{failed.reason}, {tried}{asked}",
                        where=where,
                        next_step="run the job again later",
                    ) from failed
                self.sleep(pause)
                self.lost_seconds += pause
                if outdates:
                    raise Ambiguous(failed.reason, where=where) from failed
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _pause(self, failed: Failed, attempt: int, where: str, *, repeatable: bool) -> float:
        answer = failed.answer
        if answer is not None:
            if (pause := limit_pause(answer, self.now(), attempt)) is not None:
                return pause * (1 + LIMIT_JITTER * self.chance())
            if answer.status < 500:
                raise GitHubRefused(answer.status, failed.reason, where=where) from failed
        if not repeatable:
            raise Ambiguous(failed.reason, where=where) from failed
        after = None if answer is None else _number(answer.headers.get("retry-after"))
        return max(self.backoff(attempt), after or 0.0)
