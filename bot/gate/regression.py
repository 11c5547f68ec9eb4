"""The regression gate (CONTRACTS section 4): absolute percentage points, never relative.

The baseline's `policy.rule` may ask that a drop be beyond chance too (`bot.gate.rule`).

A drop is (baseline - current) * 100. Exactly the limit passes; what cannot be computed never does.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, cast

from bot.evaluation.scores import Scores, metric_fault
from bot.gate.baseline import Baseline
from bot.gate.rule import DEFAULT_RULE, Rule
from bot.statistics.findings import ALPHA, Change, Comparison, MetricChange, NotPaired
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
DROPPED_TESTED = (
    "{name} dropped {drop:.2f} points ({baseline:.4f} → {current:.4f}, limit {limit:g}), "
    "beyond chance (corrected p {p:.2g})"
)
NOT_SIGNIFICANT = (
    "{name} dropped {drop:.2f} points, over the limit of {limit:g}, but not beyond chance "
    "(corrected p {p:.2g})"
)
SIGNIFICANT = (
    "{name} dropped {drop:.2f} points, within the limit of {limit:g}, but beyond chance "
    "(corrected p {p:.2g})"
)
DROPPED_UNTESTED = (
    "{name} dropped {drop:.2f} points ({baseline:.4f} → {current:.4f}, limit {limit:g}); not "
    "tested: {why}"
)
NO_TESTS = "rule {rule} is applied as the absolute limit, since nothing could be tested: {why}"
NO_COMPARISON = "no per-conversation counts of baseline and report"
HOLDS_WITHIN_CHANCE = (
    "all {count} checks hold ({over} over the limit of {limit:g} points, within chance)"
)
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
    """`gate-result.json`. `paired` holds the numbers behind a rule that tests, or why there are
    none; None where nobody asked for them."""

    status: Status
    checks: tuple[Check, ...]
    summary_lines: tuple[str, ...] = ()
    rule: Rule = DEFAULT_RULE
    paired: Comparison | NotPaired | None = None

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.status, self.summary_lines)

    @property
    def changes(self) -> dict[str, Change]:
        """Metric → what the pairs say of it in words; empty where nothing was compared."""
        if not isinstance(self.paired, Comparison):
            return {}
        return {name: one.change for name, one in self.paired.metrics.items()}


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


@dataclass(frozen=True, slots=True)
class _Bar:
    """The rule, its limit in points, and what the test says of one metric (None: no test)."""

    rule: Rule
    limit: float
    change: MetricChange | None

    def judge(self, drop: float) -> tuple[bool, str]:
        """Whether so many points fail, and a sentence for the summary: "" when it is no matter."""
        is_over = drop > self.limit + TOLERANCE_PP
        if self.rule == "absolute" or self.change is None or self.change.p_holm is None:
            is_untested = self.rule != "absolute" and self.change is not None
            return is_over, (DROPPED_UNTESTED if is_untested else DROPPED) if is_over else ""
        is_beyond_chance = drop > 0 and self.change.is_significant(ALPHA)
        if self.rule == "significant":
            sentence = DROPPED_TESTED if is_beyond_chance else NOT_SIGNIFICANT
            return is_over and is_beyond_chance, sentence if is_over else ""
        if is_beyond_chance:
            return True, DROPPED_TESTED if is_over else SIGNIFICANT
        return is_over, DROPPED if is_over else ""


def _check(name: str, current: _Side, baseline: _Side, bar: _Bar) -> tuple[Check, str]:
    """One check, and the sentence that says why it fails or nearly does ("": nothing to say)."""
    drop: float | None = None
    fails, sentence = True, ""
    if baseline.value is None:
        sentence = NOT_COMPUTABLE.format(name=name, side="the baseline's value", why=baseline.fault)
    if current.value is None:
        sentence = NOT_COMPUTABLE.format(name=name, side="the report's value", why=current.fault)
    if current.value is not None and baseline.value is not None:
        drop = (baseline.value - current.value) * 100
        fails, template = bar.judge(drop)
        sentence = template.format(
            name=name,
            drop=drop,
            baseline=baseline.value,
            current=current.value,
            limit=bar.limit,
            p=bar.change.p_holm if bar.change else None,
            why=bar.change.reason if bar.change else "",
        )
    check = Check(
        name=name + _NAME_SUFFIX,
        value=drop,
        limit=bar.limit,
        ok=not fails,
        current=current.value,
        baseline=baseline.value,
    )
    return check, sentence


def judge_regression(
    scores: Scores,
    baseline: Baseline,
    gated_metrics: tuple[str, ...],
    paired: Comparison | NotPaired | None = None,
) -> GateResult:
    """Check each gated metric of the report's provider against its CI-enforced block.

    Which metrics are gated is the suite's word, not the report's: a report cannot leave one out.
    `paired` is the comparison with the baseline's conversations; without it every rule is the
    absolute one, and one that wanted a test says so.
    """
    block = baseline.providers.get(scores.provider)
    if block is None:
        return _fails(NO_BLOCK.format(provider=scores.provider), baseline.rule)
    if block.enforcement != "ci":
        return _fails(NOT_ENFORCED.format(provider=scores.provider), baseline.rule)
    limit = baseline.max_regression_pp
    changes = paired.metrics if isinstance(paired, Comparison) else {}
    checks: list[Check] = []
    sentences: list[str] = []
    notes: list[str] = []
    for metric in gated_metrics:
        check, sentence = _check(
            f"{scores.provider}.{metric}",
            _side(scores.metrics, metric),
            _side(block.metrics, metric),
            _Bar(baseline.rule, limit, changes.get(metric)),
        )
        checks.append(check)
        if sentence:
            (notes if check.ok else sentences).append(sentence)
    measured_on = block.gold_set or baseline.gold_set
    if measured_on != scores.gold_set:
        sentences.insert(0, OTHER_GOLD_SET.format(baseline=measured_on, report=scores.gold_set))
    if scores.part is not None:
        evaluated, total = scores.part
        sentences.insert(0, PARTIAL.format(evaluated=evaluated, total=total))
    if not checks:
        return _fails(NO_METRICS, baseline.rule)
    if baseline.rule != DEFAULT_RULE and not isinstance(paired, Comparison):
        notes.append(NO_TESTS.format(rule=baseline.rule, why=_why(paired)))
    return GateResult(
        status="fail" if sentences else "pass",
        checks=tuple(checks),
        summary_lines=(*(sentences or [_holds(checks, limit)]), *notes),
        rule=baseline.rule,
        paired=paired,
    )


def _why(paired: NotPaired | None) -> str:
    return NO_COMPARISON if paired is None else paired.reason


def _holds(checks: list[Check], limit: float) -> str:
    """Over the limit and yet passed by a rule that tests is not "within the limit"."""
    over = sum(check.value is not None and check.value > limit + TOLERANCE_PP for check in checks)
    if over:
        return HOLDS_WITHIN_CHANCE.format(count=len(checks), over=over, limit=limit)
    return HOLDS.format(count=len(checks), limit=limit)


def _fails(sentence: str, rule: Rule) -> GateResult:
    return GateResult(status="fail", checks=(), summary_lines=(sentence,), rule=rule)


def gate_json(result: GateResult) -> dict[str, Any]:
    """The result as `gate-result.json` holds it."""
    return asdict(result)
