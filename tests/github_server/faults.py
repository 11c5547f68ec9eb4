"""Making the server fail on command, and running a test's own code between two calls."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tests.github_server.wire import JSON_TYPE, Answer

if TYPE_CHECKING:
    from tests.github_server.request_log import RecordedRequest

SECONDARY_LIMIT_MESSAGE = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "If you reach out to GitHub Support for help, please include the request ID."
)
SECONDARY_LIMIT_URL = (
    "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api"
    "#about-secondary-rate-limits"
)
PRIMARY_LIMIT_MESSAGE = "API rate limit exceeded for installation ID 1."
PRIMARY_LIMIT_URL = "https://docs.github.com/rest/overview/resources-in-the-rest-api#rate-limiting"


class FaultKind(StrEnum):
    """How a call fails. Those named `AFTER_CHANGE` have done what was asked before they fail."""

    STATUS = "status"
    STATUS_AFTER_CHANGE = "status_after_change"
    TIMEOUT = "timeout"
    TIMEOUT_AFTER_CHANGE = "timeout_after_change"
    CLOSE_BEFORE_CHANGE = "close_before_change"
    CLOSE_AFTER_CHANGE = "close_after_change"
    SECONDARY_RATE_LIMIT = "secondary_rate_limit"
    PRIMARY_RATE_LIMIT = "primary_rate_limit"

    @property
    def happens_after_change(self) -> bool:
        """Has the change been made when the call fails?"""
        return self.value.endswith("after_change")

    @property
    def holds(self) -> bool:
        """Does the client wait for an answer that does not come?"""
        return self in (FaultKind.TIMEOUT, FaultKind.TIMEOUT_AFTER_CHANGE)

    @property
    def is_silent(self) -> bool:
        """Does the connection end without an answer?"""
        closes = (FaultKind.CLOSE_BEFORE_CHANGE, FaultKind.CLOSE_AFTER_CHANGE)
        return self.holds or self in closes


@dataclass(frozen=True)
class Fault:
    """One order to fail.

    `status`: the answer's status; a secondary limit is 403 unless this is 429. `seconds`: how long
    a timeout holds the connection (None: until the server stops). `retry_after` in seconds.
    `reset_in`: a primary limit's reset, seconds from the server's now.
    """

    kind: FaultKind
    status: int = 500
    seconds: float | None = None
    retry_after: int | None = None
    reset_in: int = 60

    def answer(self, now: float) -> Answer:
        """What a call with this fault is told."""
        if self.kind is FaultKind.SECONDARY_RATE_LIMIT:
            headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
            status = 429 if self.status == 429 else 403
            return _refused(status, SECONDARY_LIMIT_MESSAGE, SECONDARY_LIMIT_URL, headers)
        if self.kind is FaultKind.PRIMARY_RATE_LIMIT:
            headers = {
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": str(int(now) + self.reset_in),
            }
            return _refused(403, PRIMARY_LIMIT_MESSAGE, PRIMARY_LIMIT_URL, headers)
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        if self.status in (502, 503):
            # GitHub's edge answers these itself, in HTML.
            page = f"<html><body><h1>{self.status}</h1>No server is available.</body></html>"
            return Answer(self.status, page.encode(), headers, "text/html; charset=utf-8")
        return Answer(self.status, {"message": "Server Error"}, headers)


@dataclass
class _Trigger:
    """Fires at the `nth` matching call after it was set (1 is the next), `times` calls long."""

    method: str | None
    path: re.Pattern[str]
    nth: int
    times: int | None
    seen: int = 0

    def fires(self, method: str, path: str) -> bool:
        if self.method not in (None, method) or self.path.search(path) is None:
            return False
        self.seen += 1
        last = None if self.times is None else self.nth + self.times - 1
        return self.seen >= self.nth and (last is None or self.seen <= last)


@dataclass
class _FaultTrigger:
    trigger: _Trigger
    fault: Fault
    token: str | None = None


Hook = Callable[["RecordedRequest"], None]


@dataclass
class _HookTrigger:
    trigger: _Trigger
    hook: Hook


@dataclass
class Faults:
    """The faults that are set. Paths are regular expressions, searched in the path without
    `/api/v3` and without the query."""

    _triggers: list[_FaultTrigger] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(
        self,
        *,
        kind: FaultKind | str,
        method: str | None = None,
        path: str = "",
        nth: int = 1,
        times: int | None = 1,
        token: str | None = None,
        status: int = 500,
        seconds: float | None = None,
        retry_after: int | None = None,
        reset_in: int = 60,
    ) -> None:
        """Let the nth matching call from now on fail, `times` in a row (None: for ever).

        `token` limits it to calls with this token's value.
        """
        fault = Fault(FaultKind(kind), status, seconds, retry_after, reset_in)
        trigger = _Trigger(method, re.compile(path), nth, times)
        with self._lock:
            self._triggers.append(_FaultTrigger(trigger, fault, token))

    def clear(self) -> None:
        """Forget all faults."""
        with self._lock:
            self._triggers.clear()

    def next_fault(self, method: str, path: str, token: str | None) -> Fault | None:
        """The fault for this call; it counts the call for every fault that matches it."""
        chosen = None
        with self._lock:
            for one in self._triggers:
                if one.token in (None, token) and one.trigger.fires(method, path):
                    chosen = chosen or one.fault
        return chosen


@dataclass
class Hooks:
    """Callbacks around calls; they run without the server's lock, so they may call the server."""

    _before: list[_HookTrigger] = field(default_factory=list)
    _after: list[_HookTrigger] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(
        self, when: str, method: str | None, path: str, hook: Hook, nth: int, times: int | None
    ) -> None:
        """Run `hook` `before` or `after` the nth matching call from now on."""
        trigger = _HookTrigger(_Trigger(method, re.compile(path), nth, times), hook)
        with self._lock:
            (self._before if when == "before" else self._after).append(trigger)

    def run(self, when: str, request: RecordedRequest) -> None:
        """Run what is due for this call."""
        with self._lock:
            triggers = self._before if when == "before" else self._after
            due = [one.hook for one in triggers if one.trigger.fires(request.method, request.path)]
        for hook in due:
            hook(request)


def _refused(status: int, message: str, url: str, headers: dict[str, str]) -> Answer:
    body = {"message": message, "documentation_url": url, "status": str(status)}
    return Answer(status, body, headers, JSON_TYPE)
