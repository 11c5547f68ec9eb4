"""Whether a report and a baseline's cases may be compared pair by pair, and the comparison.

Cases that do not belong to the block, or a report whose counts are not what its metrics were
computed from, prove nothing: a pull request could bring either.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.formulas import Formulas
from bot.evaluation.scores import Scores
from bot.gate.baseline import Baseline
from bot.gate.baseline_cases import BaselineCases
from bot.statistics.findings import Comparison, NotPaired

OTHER_PROVIDER: Final = "the baseline's cases are of provider {cases!r}"
NO_COUNTS: Final = "the report has no per-conversation counts"
OTHER_GOLD: Final = "the baseline's cases were measured on a gold set that was edited since"
NOT_THE_COUNTS: Final = "{whose} {metric} is not what its per-conversation counts give"
_TOLERANCE: Final = 1e-9


def compare_pairs(
    scores: Scores,
    baseline: Baseline,
    cases: BaselineCases,
    formulas: Formulas,
    gated: Sequence[str],
) -> Comparison | NotPaired:
    """The change of each gated metric; raises BadInput for counts of another task."""
    from bot.statistics.comparison import compare

    block, new, old = baseline.providers.get(scores.provider), scores.conversation_counts, cases
    if old.provider != scores.provider or block is None:
        return NotPaired(OTHER_PROVIDER.format(cases=old.provider))
    if new is None:
        return NotPaired(NO_COUNTS)
    if old.gold_sha256 != scores.gold_sha256:
        return NotPaired(OTHER_GOLD)
    sides = (("the baseline's", old.counts, block.metrics), ("the report's", new, scores.metrics))
    for whose, counts, metrics in sides:
        if (wrong := _mismatch(counts, metrics, formulas, gated)) is not None:
            return NotPaired(NOT_THE_COUNTS.format(whose=whose, metric=wrong))
    return compare(old.counts, new, formulas, gated, baseline.max_regression_pp)


def _mismatch(
    counts: ConversationCounts,
    metrics: Mapping[str, object],
    formulas: Formulas,
    gated: Sequence[str],
) -> str | None:
    """The first metric that the counts do not give."""
    from bot.statistics.table import Scorer, Table

    table = Table.of(counts)
    computed = Scorer.bind(table.columns, formulas).metrics(table.total)
    for name in gated:
        value, wanted = metrics.get(name), float(computed[name][0])
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        is_undefined = value is None and wanted != wanted  # noqa: PLR0124 - NaN
        is_equal = is_number and abs(float(str(value)) - wanted) <= _TOLERANCE
        if not is_undefined and not is_equal:
            return name
    return None
