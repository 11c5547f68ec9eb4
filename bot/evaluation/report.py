"""The report of an evaluation, `latest.json` (CONTRACTS section 3)."""

from datetime import MAXYEAR, UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SerializeAsAny,
    model_validator,
)

from bot.errors import BadInput
from bot.evaluation.calibration import Calibration
from bot.evaluation.cases import Case
from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.counts import LabelledCounts
from bot.evaluation.interval import Interval, NoInterval
from bot.evaluation.outcome import AnsweringFacts
from bot.evaluation.repeats import Repeats
from bot.evaluation.scores import (
    GATED_METRICS,
    MAX_REPORT_BYTES,
    Enforcement,
    Scores,
    metric_fault,
    part_of,
)
from bot.evaluation.task import Task
from bot.files import read_json
from bot.validation import validate

REPLAY_MODES: Final = ("cassette", "smoke", "fast")
LIVE_MODES: Final = ("live", "full", "record", "vllm")

FIRST_YEAR: Final = 1970
BENCHMARK: Final = r"^[a-z][a-z0-9_]{0,63}$"

Mode = Literal["cassette", "smoke", "fast", "live", "full", "record", "vllm"]
ShortText = Annotated[str, Field(min_length=1, max_length=200)]


def parse_mode(text: str) -> Mode:
    """Raises BadInput for an unknown mode."""
    for known in (*REPLAY_MODES, *LIVE_MODES):
        if text == known:
            return known
    raise BadInput(
        f"unknown mode {text!r}",
        where="--mode",
        next_step=f"use one of: {', '.join((*REPLAY_MODES, *LIVE_MODES))}",
    )


class Report(BaseModel):
    """One provider's scores on one gold set; metrics are fractions in [0, 1] or None.

    Older producers leave out the fields that have a default. `metrics` keeps only what can be
    compared; `bad_metrics` says why any other value is none, and the gate never passes one.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    benchmark: Annotated[str, Field(pattern=BENCHMARK)]
    gold_set: ShortText
    mode: Mode
    provider: ShortText
    model: ShortText
    enforcement: Enforcement
    conversation_count: Annotated[int, Field(strict=True, ge=0)]
    generated_at: datetime
    prompt_sha256: str | None = None
    schema_sha256: str | None = None
    cassette_kind: str | None = None
    metrics: dict[str, float | None]
    gated_metrics: tuple[str, ...] = GATED_METRICS
    counts: SerializeAsAny[LabelledCounts] | None = None
    cases: tuple[Case, ...] = ()
    notes: str = ""
    conversation_ids: tuple[str, ...] | None = None
    gold_conversation_count: Annotated[int, Field(strict=True, ge=0)] | None = None
    answering: AnsweringFacts | None = None
    answers_sha256: str | None = None
    gold_sha256: str | None = None
    conversation_counts: ConversationCounts | None = None
    intervals: dict[str, Interval | NoInterval] | None = None
    detectable_drop_pp: dict[str, float | None] | None = None
    calibration: dict[str, Calibration] | None = None
    repeats: Repeats | None = None

    _bad_metrics: dict[str, object] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _metrics_apart(cls, value: Any, handler: Any) -> Self:
        bad: dict[str, object] = {}
        if isinstance(value, dict) and isinstance(value.get("metrics"), dict):
            raw = value["metrics"]
            bad = {name: raw[name] for name in raw if metric_fault(raw[name]) is not None}
            value = value | {"metrics": {name: None if name in bad else raw[name] for name in raw}}
        report: Self = handler(value)
        report._bad_metrics.update(bad)
        return report

    @property
    def bad_metrics(self) -> dict[str, str]:
        """Metric name → why its value is no score; an undefined one (null) is a fault too."""
        return {name: str(metric_fault(value)) for name, value in self._bad_metrics.items()}

    @property
    def part(self) -> tuple[int, int] | None:
        """(evaluated, of all) when only some of the gold set's conversations were (`--limit`)."""
        return part_of(self.conversation_count, self.gold_conversation_count)

    @property
    def scores(self) -> Scores:
        """What the gate judges: the metrics as they stood in the file, good or bad."""
        metrics = {**self.metrics, **self._bad_metrics}
        return Scores(
            self.provider,
            self.gold_set,
            metrics,
            self.part,
            self.gold_sha256,
            self.conversation_counts,
        )


def parse_report(value: Any, where: str | Path) -> Report:
    """Raises BadInput when the structure is wrong; a bad metric is kept as a fault."""
    report = validate(Report, value, where)
    if report.generated_at.utcoffset() is None:
        raise BadInput("generated_at has no UTC offset", where=where, next_step="end it in Z")
    if not FIRST_YEAR <= report.generated_at.year < MAXYEAR:  # such a time has no text in UTC
        raise BadInput(f"generated_at: no report is of {report.generated_at.year}", where=where)
    return report


def load_report(path: Path) -> Report:
    """Read a report; NaN and Infinity are let in as faults of their metric, never as numbers."""
    return parse_report(read_json(path, max_bytes=MAX_REPORT_BYTES, allow_nan=True), path)


def utc_text(moment: datetime) -> str:
    """RFC 3339 in UTC, ending in Z, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def report_json(report: Report) -> dict[str, Any]:
    """The report as `latest.json` holds it."""
    return report.model_dump(mode="json") | {"generated_at": utc_text(report.generated_at)}


def merge_reports(first: Report, second: Report, task: Task) -> Report:
    """The report of the union of two disjoint sets of conversations, scored alike.

    Raises BadInput when they were not scored alike, lack counts, or share a conversation.
    """
    for field in (
        "benchmark",
        "gold_set",
        "mode",
        "provider",
        "model",
        "prompt_sha256",
        "schema_sha256",
    ):
        if getattr(first, field) != getattr(second, field):
            raise BadInput(f"reports differ in {field} and cannot be merged")
    if first.counts is None or second.counts is None:
        raise BadInput("a report without counts cannot be merged", next_step="evaluate again")
    first_ids, second_ids = set(first.conversation_ids or ()), set(second.conversation_ids or ())
    if shared := sorted(first_ids & second_ids):
        raise BadInput(f"both reports hold conversation {shared[0]!r}")
    whole, other = (
        task.counts.model_validate(counts.model_dump()) for counts in (first.counts, second.counts)
    )
    counts = whole + other
    cases = sorted((*first.cases, *second.cases), key=lambda c: (c.conversation_id, c.turn_index))
    return first.model_copy(
        update={
            "conversation_count": first.conversation_count + second.conversation_count,
            "conversation_ids": tuple(sorted(first_ids | second_ids)) or None,
            "answering": None,
            "answers_sha256": None,
            "intervals": None,
            "detectable_drop_pp": None,
            "calibration": None,
            "conversation_counts": _union(first.conversation_counts, second.conversation_counts),
            "generated_at": max(first.generated_at, second.generated_at),
            "metrics": task.compute_metrics(counts),
            "counts": counts,
            "cases": tuple(cases),
        }
    )


def _union(
    first: ConversationCounts | None, second: ConversationCounts | None
) -> ConversationCounts | None:
    if first is None or second is None or first.columns != second.columns:
        return None
    return ConversationCounts(first.columns, dict(sorted((first.rows | second.rows).items())))
