"""Whether a provider's numbers still speak of today (CONTRACTS section 6), and its label in words.

A label stands wherever the numbers do, so that nobody takes manual or stale numbers for CI's.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from bot.errors import BadInput
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.evaluation.scores import metric_fault
from bot.gate.baseline import Baseline, ProviderBlock

DEFAULT_STALE_AFTER_DAYS: Final = 30

State = Literal["fresh", "stale", "never_measured"]

TOO_OLD = "last refreshed {age} days ago, over the limit of {limit} days"
OTHER_PROMPT = "measured under another prompt"
OTHER_SCHEMA = "measured under another schema"
OTHER_GOLD_SET = "measured on gold set {block}, not {run}"
NO_DATE = "no date of measurement"
NO_METRICS = "no metrics"

CI_ENFORCED = "CI-enforced"
ORACLE_NOTE = "oracle-aligned cassettes: measures the harness, not the model"
MANUAL_FRESH = "manual, refreshed {date} ({age})"
MANUAL_STALE = "manual, STALE: {reasons}"
NEVER_MEASURED = "manual, never measured"


@dataclass(frozen=True, slots=True)
class Staleness:
    """`age_days` counts whole days from the refresh to the run; None when it has no date."""

    state: State
    reasons: tuple[str, ...]
    age_days: int | None


@dataclass(frozen=True, slots=True)
class RunContext:
    """What a block is compared with: the run's time, gold set and contract."""

    now: datetime
    gold_set: str
    prompt_sha256: str | None
    schema_sha256: str | None
    stale_after_days: int = DEFAULT_STALE_AFTER_DAYS


def judge_staleness(
    name: str, block: ProviderBlock, baseline_gold_set: str, run: RunContext
) -> Staleness:
    """Raises BadInput when the block's date lies in the future (of the run's date in UTC)."""
    measured = any(metric_fault(value) is None for value in block.metrics.values())
    if block.last_refreshed is None or not measured:
        missing = ((block.last_refreshed is None, NO_DATE), (not measured, NO_METRICS))
        return Staleness("never_measured", tuple(why for holds, why in missing if holds), None)
    age = (run.now.date() - block.last_refreshed).days
    if age < 0:
        raise BadInput(
            f"provider {name!r}: last_refreshed {block.last_refreshed} is in the future",
            where="baseline",
            next_step="correct the date, or the runner's clock",
        )
    gold_set = block.gold_set or baseline_gold_set
    findings = (
        (age > run.stale_after_days, TOO_OLD.format(age=age, limit=run.stale_after_days)),
        (_differs(block.prompt_sha256, run.prompt_sha256), OTHER_PROMPT),
        (_differs(block.schema_sha256, run.schema_sha256), OTHER_SCHEMA),
        (gold_set != run.gold_set, OTHER_GOLD_SET.format(block=gold_set, run=run.gold_set)),
    )
    reasons = tuple(sentence for applies, sentence in findings if applies)
    return Staleness("stale" if reasons else "fresh", reasons, age)


def judge_baseline(baseline: Baseline, run: RunContext) -> dict[str, Staleness]:
    """The staleness of every block by provider; raises BadInput as `judge_staleness`."""
    return {
        name: judge_staleness(name, block, baseline.gold_set, run)
        for name, block in baseline.providers.items()
    }


def _differs(recorded: str | None, current: str | None) -> bool:
    return recorded is not None and current is not None and recorded != current


def days_ago(age_days: int) -> str:
    return {0: "today", 1: "1 day ago"}.get(age_days, f"{age_days} days ago")


def label_in_words(
    enforcement: str,
    last_refreshed: date | None,
    staleness: Staleness,
    cassette_kind: str | None = None,
) -> str:
    """The words that stand beside a block's numbers, everywhere they are shown."""
    if enforcement == "ci":
        label = CI_ENFORCED
    elif staleness.state == "never_measured" or last_refreshed is None:
        label = NEVER_MEASURED
    elif staleness.state == "stale":
        label = MANUAL_STALE.format(reasons="; ".join(staleness.reasons))
    else:
        age = days_ago(staleness.age_days or 0)
        label = MANUAL_FRESH.format(date=last_refreshed.isoformat(), age=age)
    return f"{label} ({ORACLE_NOTE})" if cassette_kind == ORACLE_ALIGNED else label
