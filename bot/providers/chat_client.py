"""One conversation asked of an OpenAI-compatible server over HTTP: the only module with httpx.

Each call has a bound in time, its answer one in size. 429, 5xx, time-outs and broken connections
are tried again with growing, jittered waits; a wait that the server asks for holds all calls.
"""

import asyncio
import json
import math
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import httpx

from bot.errors import BadInput, Unreachable, one_line
from bot.evaluation.outcome import Failure, Usage
from bot.extraction.request import RequestPlan
from bot.extraction.turns import Turn
from bot.providers.budget import Budget
from bot.providers.chat_api import (
    Completion,
    Dialect,
    SchemaParameter,
    ServerError,
    names_answer_format,
    parse_completion,
    parse_error,
    request_body,
    step_down,
)

OPENAI_HOST: Final = "api.openai.com"
CONNECT_SECONDS: Final = 10.0
MAX_ANSWER_BYTES: Final = 8 * 1024 * 1024
_RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_JSON: Final = {"Content-Type": "application/json"}
_NOT_IMPLEMENTED: Final = 501  # how a few servers say that they know no structured output
_REFUSES_THE_CALLER: Final = frozenset({401, 402, 403, 404, 405})
_OUT_OF_CREDIT: Final = ("insufficient_quota", "billing_hard_limit_reached")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Seconds; the wait doubles from `first_wait` to `max_wait`, jittered down to its half."""

    max_attempts: int = 5
    first_wait: float = 0.5
    max_wait: float = 30.0
    max_asked_wait: float = 120.0  # of a Retry-After; a longer one stops the run


@dataclass(frozen=True, slots=True)
class Server:
    """Where, and with what key; `timeout` is in seconds, for a whole call."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    schema_parameter: SchemaParameter = "response_format"
    timeout: float = 120.0
    retry: RetryPolicy = RetryPolicy()

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
            usable = usable and not parts.username and (parts.port is None or parts.port > 0)
        except ValueError:
            usable = False
        if not usable:
            raise BadInput(
                "is no address of a server",
                where="--base-url",
                next_step="give it as https://HOST/v1, without a user name or a key",
            )
        if self.api_key is not None and not (
            self.api_key.isascii() and self.api_key.isprintable() and self.api_key.strip()
        ):
            raise BadInput(
                "holds characters that no key has (a line break, perhaps)",
                where="the API key's variable",
                next_step="set it again",
            )

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking for one conversation.

    `calls` counts every request sent; `latency_ms` is that of the answered one. `cost_usd` is None
    when the price or a call's tokens are unknown.
    """

    completion: Completion | None
    failure: Failure | None
    calls: int
    latency_ms: float | None = None
    cost_usd: float | None = None


class _TryAgain(Exception):
    """The call may succeed later; `failure` is what it counts as if it never does."""

    def __init__(self, failure: Failure, asked_wait: float | None = None) -> None:
        self.failure, self.asked_wait = failure, asked_wait


class _Refused(Exception):
    """The server will not answer this request as it is written."""

    def __init__(self, status: int, error: ServerError) -> None:
        self.status, self.error = status, error


@dataclass(slots=True)
class _Tries:
    """The calls made for one conversation so far."""

    calls: int = 0
    lost: int = 0
    is_cost_known: bool = True


class ChatClient:
    """Asks `server` the questions of `plan`; use it as an async context manager.

    The first question is asked alone: what it finds out about the server's dialect holds for all.
    """

    def __init__(
        self,
        server: Server,
        plan: RequestPlan,
        budget: Budget,
        on_step_down: Callable[[str], None] | None = None,
    ) -> None:
        self._server, self._plan, self._budget = server, plan, budget
        is_openai = urlsplit(server.base_url).hostname == OPENAI_HOST
        self.dialect = Dialect(
            schema_parameter=server.schema_parameter,
            token_parameter="max_completion_tokens" if is_openai else "max_tokens",
        )
        self._on_step_down = on_step_down
        self._is_settled = False
        self._hopeless: Unreachable | None = None
        self._settling = asyncio.Lock()
        self._quiet_until = 0.0  # of the monotonic clock
        self._idle: list[httpx.AsyncClient] = []
        self._trust = httpx.create_ssl_context() if server.base_url.startswith("https") else False
        self._url = server.base_url.rstrip("/") + "/chat/completions"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for connection in self._idle:
            await connection.aclose()

    async def ask(self, turns: Sequence[Turn]) -> Reply:
        """Raises Unreachable when asking on is no use: no access, no credit, no server."""
        async with self._settling:
            if self._hopeless is not None:
                raise self._hopeless
            if not self._is_settled:
                reply = await self._ask(turns)
                if reply.failure and reply.failure.kind == "unavailable":
                    raise self._unreachable(reply.failure.detail)
                self._is_settled = True
                return reply
        return await self._ask(turns)

    async def _ask(self, turns: Sequence[Turn]) -> Reply:
        tries = _Tries()
        while True:
            dialect = self.dialect
            try:
                completion, latency_ms = await self._call(turns, dialect, tries)
            except _Refused as refused:
                lower = step_down(dialect, refused.error)
                if lower is None:
                    detail = f"HTTP {refused.status}: {refused.error.shown}"
                    return Reply(None, Failure("rejected", detail), tries.calls)
                self._adopt(dialect, lower, refused.error)
            except _TryAgain as error:
                tries.lost += 1
                tries.is_cost_known &= error.failure.kind != "timeout"
                if tries.lost >= self._server.retry.max_attempts:
                    return Reply(None, error.failure, tries.calls)
                await self._back_off(tries.lost, error.asked_wait)
            else:
                return Reply(
                    completion,
                    completion.failure,
                    tries.calls,
                    latency_ms,
                    self._cost_usd(completion, tries),
                )

    def _adopt(self, dialect: Dialect, lower: Dialect, error: ServerError) -> None:
        if self.dialect != dialect:
            return  # another call has found out meanwhile
        self.dialect = lower
        if self._on_step_down is not None:
            self._on_step_down(f"{error.shown} (now: {describe(lower)})")

    def _cost_usd(self, completion: Completion, tries: _Tries) -> float | None:
        price = self._budget.price
        if price is None or completion.usage is None or not tries.is_cost_known:
            return None
        return price.cost_usd(completion.usage)

    async def _call(
        self, turns: Sequence[Turn], dialect: Dialect, tries: _Tries
    ) -> tuple[Completion, float]:
        """One request within the budget: the completion, and its latency in milliseconds."""
        body = json.dumps(request_body(self._plan, turns, dialect), ensure_ascii=False).encode()
        most = Usage(  # a token is at least a byte long
            prompt_tokens=len(body), completion_tokens=self._plan.parameters.max_output_tokens
        )
        held = await self._budget.hold(most)
        usage, may_be_charged = None, True
        try:
            await self._keep_quiet()
            tries.calls += 1
            started = time.perf_counter()
            response, answer = await self._post(body)
            latency_ms = (time.perf_counter() - started) * 1000
            may_be_charged = response.is_success
            completion = self._read(response, answer)
            usage = completion.usage
            return completion, latency_ms
        except _TryAgain as error:
            may_be_charged &= error.failure.kind == "timeout" or usage is not None
            raise
        finally:
            await self._budget.settle(held, usage, may_be_charged=may_be_charged)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[httpx.AsyncClient]:
        """A client of one connection: httpx looks through all connections of a pool for each
        request, which with 32 of them takes more time than anything else."""
        connection = self._idle.pop() if self._idle else self._connect()
        try:
            yield connection
        except BaseException:
            await connection.aclose()
            raise
        self._idle.append(connection)

    def _connect(self) -> httpx.AsyncClient:
        server = self._server
        return httpx.AsyncClient(
            headers={"Authorization": f"Bearer {server.api_key}"} if server.api_key else {},
            verify=self._trust,
            timeout=httpx.Timeout(server.timeout, connect=min(server.timeout, CONNECT_SECONDS)),
            limits=httpx.Limits(max_connections=1),
            follow_redirects=False,
        )

    async def _post(self, body: bytes) -> tuple[httpx.Response, bytes]:
        """Raises _TryAgain for a call that was not answered."""
        seconds = self._server.timeout
        try:
            async with (
                asyncio.timeout(seconds),  # httpx bounds each read, not the whole
                self._connection() as http,
                http.stream("POST", self._url, content=body, headers=_JSON) as response,
            ):
                answer = bytearray()
                async for chunk in response.aiter_bytes():
                    answer += chunk
                    if len(answer) > MAX_ANSWER_BYTES:
                        raise _TryAgain(
                            Failure("unavailable", f"an answer of over {MAX_ANSWER_BYTES:,} bytes")
                        )
                return response, bytes(answer)
        except httpx.ConnectTimeout as error:
            raise _TryAgain(Failure("unavailable", "no connection")) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise _TryAgain(Failure("timeout", f"no answer in {seconds:g} s")) from error
        except httpx.HTTPError as error:
            raise _TryAgain(Failure("unavailable", _reason(error))) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise BadInput("is no address of a server", where="--base-url") from error

    def _read(self, response: httpx.Response, answer: bytes) -> Completion:
        status = response.status_code
        try:
            payload = json.loads(answer)
        except (ValueError, RecursionError):
            payload = None
        if response.is_success:
            completion = parse_completion(payload)
            if completion is None:
                raise _TryAgain(Failure("unavailable", "an answer that is no chat completion"))
            return completion
        error = parse_error(payload)
        said = f"HTTP {status}" + (f": {error.shown}" if error.shown else "")
        if status in _REFUSES_THE_CALLER or response.is_redirect or error.code in _OUT_OF_CREDIT:
            raise self._unreachable(said)
        is_passing = status in _RETRIED or (status >= 500 and status != _NOT_IMPLEMENTED)
        # llama-cpp-python answers 500 to an answer format that it does not know
        if is_passing and not names_answer_format(error):
            asked = retry_after_seconds(response.headers.get("retry-after"), datetime.now(UTC))
            raise _TryAgain(Failure("unavailable", said), asked)
        raise _Refused(status, error)

    async def _keep_quiet(self) -> None:
        while (left := self._quiet_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def _back_off(self, lost: int, asked_wait: float | None) -> None:
        retry = self._server.retry
        if asked_wait is not None:
            if asked_wait > retry.max_asked_wait:
                raise self._unreachable(f"asks to wait {asked_wait:.0f} seconds")
            self._quiet_until = max(self._quiet_until, time.monotonic() + asked_wait)
        longest = min(retry.max_wait, retry.first_wait * 2 ** (lost - 1))
        await asyncio.sleep(longest * random.uniform(0.5, 1))  # noqa: S311 - jitter, no secret

    def _unreachable(self, why: str) -> Unreachable:
        self._hopeless = Unreachable(
            why,
            where=self._server.host,
            next_step="check --base-url, --model and the key; --resume goes on where it stopped",
        )
        return self._hopeless


def _reason(error: httpx.HTTPError) -> str:
    return one_line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, 200)


def describe(dialect: Dialect) -> str:
    """ "json_schema, max_tokens, without seed"."""
    without = ", ".join(f"without {name}" for name in sorted(dialect.omitted))
    return ", ".join(filter(None, (dialect.answer_format, dialect.token_parameter, without)))


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """A Retry-After header, in seconds or as an HTTP date, as seconds from `now`; None for none."""
    if value is None:
        return None
    try:
        return max(0.0, float(value)) if math.isfinite(float(value)) else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.utcoffset() is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
