"""What came of asking for one conversation, and what came of asking for all of them.

A failure is data: it is counted by its kind and scored as an empty prediction (`bot.evaluation.
scoring`), so a model that answers badly is measured, not excused.
"""

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import one_line

FailureKind = Literal[
    "refusal",
    "invalid_json",
    "schema_violation",
    "wrong_turns",
    "truncated",
    "timeout",
    "unavailable",
    "rejected",
    "exception",
    "missing",
]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = get_args(FailureKind)

FAILURE_WORDS: Final[Mapping[FailureKind, str]] = {
    "refusal": "refused",
    "invalid_json": "no JSON",
    "schema_violation": "against the schema",
    "wrong_turns": "for other turns than asked",
    "truncated": "cut off",
    "timeout": "timed out",
    "unavailable": "server unavailable",
    "rejected": "request rejected",
    "exception": "extractor raised",
    "missing": "no answer",
}
"""What happened, after a number."""

MAX_DETAIL_CHARS: Final = 300
MAX_SERVED_MODELS: Final = 10  # a name is the server's word

Count = Annotated[int, Field(strict=True, ge=0)]
Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
UsDollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a conversation has no usable answer; `detail` may quote the model."""

    kind: FailureKind
    detail: str = ""


class Usage(BaseModel):
    """Tokens, as the server counted them."""

    model_config = ConfigDict(frozen=True)

    prompt_tokens: Count
    completion_tokens: Count

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """One conversation's answer, or why there is none; what an answer that was not bought lacks
    (usage, latency, attempts) is None or 0."""

    conversation_id: str
    prediction: Any = None
    failure: Failure | None = None
    raw: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    attempts: int = 0
    finish_reason: str | None = None
    served_model: str | None = None
    request_sha256: str | None = None
    answered_at: str | None = None
    is_resumed: bool = False


class FailedConversation(BaseModel):
    """A conversation that was scored as an empty prediction."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    kind: FailureKind
    detail: str = ""


class Latency(BaseModel):
    """Milliseconds from sending a request to the end of its answer, without waits and retries."""

    model_config = ConfigDict(frozen=True)

    p50: Milliseconds
    p90: Milliseconds
    p99: Milliseconds
    max: Milliseconds


class AnsweringFacts(BaseModel):
    """How the answers of a report came about (`answering`); None is unknown, never 0."""

    model_config = ConfigDict(frozen=True, extra="allow")

    asked: Count
    failures: dict[FailureKind, Count] = {}
    failed: tuple[FailedConversation, ...] = ()
    calls: Count = 0
    resumed: Count = 0
    usage: Usage | None = None
    cost_usd: UsDollars | None = None
    latency_ms: Latency | None = None
    served_models: tuple[str, ...] = ()
    parameters: dict[str, float | int | str] = {}

    @property
    def failure_count(self) -> int:
        return sum(self.failures.values())

    @property
    def summary(self) -> "AnsweringFacts":
        """Without the single failures, for a history that is kept for good."""
        return self.model_copy(update={"failed": ()})

    @property
    def failures_in_words(self) -> str:
        """ "2 refused, 1 cut off"; "none"."""
        parts = (f"{n} {FAILURE_WORDS[kind]}" for kind, n in self.failures.items() if n)
        return ", ".join(parts) or "none"


@dataclass(slots=True)
class OutcomeTally:
    """Sums outcomes up; keeps a number for each answer and a line for each failure.

    `to_ask` is how many there will be, None when that is not known.
    """

    to_ask: int | None = None
    asked: int = 0
    calls: int = 0
    resumed: int = 0
    failures: Counter[FailureKind] = field(default_factory=Counter)
    failed: list[FailedConversation] = field(default_factory=list)
    usage: Usage | None = None
    cost_usd: float = 0.0
    is_cost_known: bool = True
    served_models: set[str] = field(default_factory=set)
    _latencies: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, outcome: Outcome) -> None:
        self.asked += 1
        self.calls += outcome.attempts
        self.resumed += outcome.is_resumed
        if outcome.failure is not None:
            self.failures[outcome.failure.kind] += 1
            self.failed.append(
                FailedConversation(
                    conversation_id=outcome.conversation_id,
                    kind=outcome.failure.kind,
                    detail=one_line(outcome.failure.detail, MAX_DETAIL_CHARS),
                )
            )
        if outcome.usage is not None:
            self.usage = outcome.usage if self.usage is None else self.usage + outcome.usage
        if outcome.cost_usd is None:
            self.is_cost_known = False
        else:
            self.cost_usd += outcome.cost_usd
        if outcome.latency_ms is not None:
            self._latencies.append(outcome.latency_ms)
        if outcome.served_model and len(self.served_models) < MAX_SERVED_MODELS:
            self.served_models.add(outcome.served_model)

    def facts(self, parameters: Mapping[str, float | int | str] | None = None) -> AnsweringFacts:
        """The sums; the cost is unknown as soon as that of one answer is."""
        return AnsweringFacts(
            asked=self.asked,
            failures={kind: self.failures[kind] for kind in FAILURE_KINDS if self.failures[kind]},
            failed=tuple(sorted(self.failed, key=lambda failed: failed.conversation_id)),
            calls=self.calls,
            resumed=self.resumed,
            usage=self.usage,
            cost_usd=round(self.cost_usd, 9) if self.is_cost_known and self.asked else None,
            latency_ms=_latency(self._latencies),
            served_models=tuple(sorted(self.served_models)),
            parameters=dict(parameters or {}),
        )


def _latency(milliseconds: "array[float]") -> Latency | None:
    """Percentiles by linear interpolation."""
    if not milliseconds:
        return None
    import numpy as np

    values = np.frombuffer(milliseconds)
    p50, p90, p99, longest = (round(float(v), 1) for v in np.percentile(values, [50, 90, 99, 100]))
    return Latency(p50=p50, p90=p90, p99=p99, max=longest)
