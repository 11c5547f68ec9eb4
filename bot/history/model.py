"""The published history, versions 1 and 2 (CONTRACTS section 5).

A run is validated through `RunEntry` and kept as the JSON object it was read as, so that a field
which this program does not know is written back untouched, whatever it is nested in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    field_validator,
    model_validator,
)

from bot.evaluation.counts import LabelledCounts
from bot.evaluation.outcome import AnsweringFacts
from bot.evaluation.report import REPLAY_MODES, Mode, ShortText
from bot.evaluation.scores import Enforcement
from bot.gate.regression import Check
from bot.gate.rule import DEFAULT_RULE, Rule
from bot.gate.staleness import State
from bot.history.identity import MAX_BRANCH_CHARS, MAX_URL_CHARS
from bot.statistics.findings import Change
from bot.verdict import Status

CURRENT_VERSION: Final = 2
DEFAULT_MAX_RUNS: Final = 50
SHORT_SHA_CHARS: Final = 7

Fraction = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{7,64}$")]
Days = Annotated[int, Field(strict=True, ge=0)]


class _Entry(BaseModel):
    """Unknown fields are allowed: a newer program of the same version may have written them."""

    model_config = ConfigDict(frozen=True, extra="allow")


class StalenessEntry(_Entry):
    state: State
    reasons: tuple[str, ...] = ()
    age_days: Days | None = None


class ProviderEntry(_Entry):
    """A provider's block beside the others; a manual one has no status."""

    provider: ShortText
    model: str
    enforcement: Enforcement
    source: str
    last_refreshed: date | None
    status: Status | None
    staleness: StalenessEntry
    metrics: dict[str, Fraction | None]
    cassette_kind: str | None = None
    answering: AnsweringFacts | None = None

    @model_validator(mode="after")
    def _manual_has_no_mark(self) -> Self:
        if self.enforcement == "manual" and self.status is not None:
            raise ValueError("a manual block never carries a pass or fail status")
        return self


class GateSummary(_Entry):
    """`changes`: metric → what the pairs of conversations say of it; empty where none were."""

    status: Status
    checks: tuple[Check, ...]
    rule: Rule = DEFAULT_RULE
    changes: dict[str, Change] = {}


class RunEntry(_Entry):
    """One published run; metrics are fractions, an undefined metric is left out."""

    sha: Sha
    short_sha: str
    timestamp: str
    branch: Annotated[str, Field(max_length=MAX_BRANCH_CHARS)]
    run_number: Annotated[int, Field(strict=True, ge=0)]
    run_url: Annotated[str, Field(max_length=MAX_URL_CHARS)]
    gold_set: ShortText
    conversation_count: Annotated[int, Field(strict=True, ge=0)]
    provider: ShortText
    enforcement: Enforcement
    mode: Mode
    model: str
    metrics: dict[str, Fraction]
    status: Status
    gate_summary: GateSummary

    # version 2
    cassette_kind: str | None = None
    prompt_sha256: str | None = None
    schema_sha256: str | None = None
    counts: SerializeAsAny[LabelledCounts] | None = None
    providers: tuple[ProviderEntry, ...] = ()

    @field_validator("timestamp")
    @classmethod
    def _rfc_3339(cls, value: str) -> str:
        if datetime.fromisoformat(value).utcoffset() is None:
            raise ValueError("a timestamp needs a UTC offset")
        return value

    @model_validator(mode="after")
    def _short_sha_agrees(self) -> Self:
        if self.short_sha != self.sha[:SHORT_SHA_CHARS]:
            raise ValueError(f"short_sha {self.short_sha!r} is not the start of sha")
        return self

    @property
    def key(self) -> tuple[str, str, str]:
        """One run a commit, provider and kind of mode."""
        return (self.sha, self.provider, "replay" if self.mode in REPLAY_MODES else "live")

    @property
    def evaluated_at(self) -> datetime:
        return datetime.fromisoformat(self.timestamp)

    @property
    def order(self) -> tuple[int, datetime]:
        """Sorts by run number, then by time; the clock alone never decides."""
        return (self.run_number, self.evaluated_at)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run, and the JSON object that it is stored as."""

    entry: RunEntry
    raw: Mapping[str, Any]

    @classmethod
    def of(cls, entry: RunEntry) -> Self:
        return cls(entry, entry.model_dump(mode="json"))


@dataclass(frozen=True, slots=True)
class History:
    """`runs` newest first; `header` holds the file's other fields, unknown ones too."""

    benchmark: str
    runs: tuple[StoredRun, ...] = ()
    header: Mapping[str, Any] | None = None

    @property
    def newest(self) -> RunEntry | None:
        return self.runs[0].entry if self.runs else None


class HistoryFile(_Entry):
    """The published file, as its JSON Schema describes it."""

    schema_version: Literal[1, 2]
    benchmark: str
    runs: tuple[RunEntry, ...]


def history_json_schema(benchmark: str) -> dict[str, Any]:
    """The JSON Schema of a suite's published file, generated from the models above."""
    schema = HistoryFile.model_json_schema()
    schema["properties"]["benchmark"] = {"const": benchmark, "type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": f"Published history of the suite {benchmark}",
    }
