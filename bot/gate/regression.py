"""The regression gate (CONTRACTS section 4): absolute percentage points, never relative.

A drop is (baseline - current) * 100. Exactly the limit passes; what cannot be computed never does.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, cast

from bot.evaluation.scores import Scores, metric_fault
from bot.gate.baseline import Baseline
from bot.verdict import Status, Verdict

TOLERANCE_PP: Final = 1e-9  # of floating-point subtraction, not of the rule
_NAME_SUFFIX: Final = " regression (pp)"

NO_BLOCK = "no check: the baseline has no block for provider {provider}"
NOT_ENFORCED = "no check: the baseline's block for provider {provider} is manual, not CI-enforced"
NO_METRICS = "no check: there is no gated metric"
OTHER_GOLD_SET = (
    "not comparable: the baseline was measured on gold set {baseline}, the report on {report}"
)
PARTIAL = "not comparable: the report covers {evaluated} of {total} conversations, not all"
NOT_COMPUTABLE = "{name} is not computable: {side} is {why}"
DROPPED = "{name} dropped {drop:.2f} points ({baseline:.4f} → {current:.4f}, limit {limit:g})"
HOLDS = "all {count} checks hold (limit {limit:g} points)"


@dataclass(frozen=True, slots=True)
class Check:
    """One metric against its baseline; `value` is the drop in percentage points, fractions else."""

    # a newer program's fields: there is no place for them, though a run allows them
    __pydantic_config__: ClassVar[dict[str, object]] = {
        "extra": "ignore",
        "json_schema_extra": {"additionalProperties": True},
    }

    name: str
    value: float | None
    limit: float
    ok: bool
    current: float | None
    baseline: float | None

    @property
    def metric(self) -> str:
        """The metric's name, without the provider before it and the unit after it."""
        return self.name.removesuffix(_NAME_SUFFIX).rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class GateResult:
    """`gate-result.json`."""

    status: Status
    checks: tuple[Check, ...]
    summary_lines: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.status, self.summary_lines)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a comparison: a fraction, or why there is none."""

    value: float | None
    fault: str | None


def _side(metrics: Mapping[str, object], metric: str) -> _Side:
    if metric not in metrics:
        return _Side(None, "missing")
    value = metrics[metric]
    fault = metric_fault(value)
    return _Side(None, fault) if fault else _Side(float(cast(float, value)), None)


def _check(name: str, current: _Side, baseline: _Side, limit: float) -> tuple[Check, str | None]:
    """One check, and the sentence that says why it fails (None when it holds)."""
    drop: float | None = None
    sentence: str | None = None
    if baseline.value is None:
        sentence = NOT_COMPUTABLE.format(name=name, side="the baseline's value", why=baseline.fault)
    if current.value is None:
        sentence = NOT_COMPUTABLE.format(name=name, side="the report's value", why=current.fault)
    if current.value is not None and baseline.value is not None:
        drop = (baseline.value - current.value) * 100
        if drop > limit + TOLERANCE_PP:
            sentence = DROPPED.format(
                name=name,
                drop=drop,
                baseline=baseline.value,
                current=current.value,
                limit=limit,
            )
    check = Check(
        name=name + _NAME_SUFFIX,
        value=drop,
        limit=limit,
        ok=sentence is None,
        current=current.value,
        baseline=baseline.value,
    )
    return check, sentence


def judge_regression(
    scores: Scores, baseline: Baseline, gated_metrics: tuple[str, ...]
) -> GateResult:
    """Check each gated metric of the report's provider against its CI-enforced block.

    Which metrics are gated is the suite's word, not the report's: a report cannot leave one out.
    """
    block = baseline.providers.get(scores.provider)
    if block is None:
        return _fails(NO_BLOCK.format(provider=scores.provider))
    if block.enforcement != "ci":
        return _fails(NOT_ENFORCED.format(provider=scores.provider))
    limit = baseline.max_regression_pp
    checks, sentences = [], []
    for metric in gated_metrics:
        check, sentence = _check(
            f"{scores.provider}.{metric}",
            _side(scores.metrics, metric),
            _side(block.metrics, metric),
            limit,
        )
        checks.append(check)
        sentences += [sentence] if sentence else []
    measured_on = block.gold_set or baseline.gold_set
    if measured_on != scores.gold_set:
        sentences.insert(0, OTHER_GOLD_SET.format(baseline=measured_on, report=scores.gold_set))
    if scores.part is not None:
        evaluated, total = scores.part
        sentences.insert(0, PARTIAL.format(evaluated=evaluated, total=total))
    if not checks:
        return _fails(NO_METRICS)
    lines = sentences or [HOLDS.format(count=len(checks), limit=limit)]
    return GateResult(
        status="fail" if sentences else "pass", checks=tuple(checks), summary_lines=tuple(lines)
    )


def _fails(sentence: str) -> GateResult:
    return GateResult(status="fail", checks=(), summary_lines=(sentence,))


def gate_json(result: GateResult) -> dict[str, Any]:
    """The result as `gate-result.json` holds it."""
    return asdict(result)
