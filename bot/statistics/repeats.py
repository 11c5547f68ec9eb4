"""How much of a live score is the model's own variation, and how much the choice of conversations.

Variance of the mean of K repeats over n conversations = between conversations + between repeats / K
(Miller, "Adding Error Bars to Evals", arXiv 2411.00640, section 3.1).
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.formulas import Formulas
from bot.evaluation.interval import Interval
from bot.evaluation.repeats import RepeatSpread
from bot.statistics.intervals import metric_intervals
from bot.statistics.power import standard_error


def pool_counts(repeats: Sequence[ConversationCounts]) -> ConversationCounts:
    """The sum over repeats, a conversation each; raises ValueError when the repeats differ."""
    first = repeats[0]
    if any((one.columns, set(one.rows)) != (first.columns, set(first.rows)) for one in repeats):
        raise ValueError("the repeats have other conversations or counts")
    rows = {}
    for name in first.rows:
        numbers = [[int(number) for number in one.rows[name].split(" ")] for one in repeats]
        rows[name] = " ".join(str(sum(column)) for column in zip(*numbers, strict=True))
    return ConversationCounts(first.columns, rows)


def repeat_spread(
    metrics: Sequence[Mapping[str, float | None]],
    counts: Sequence[ConversationCounts],
    formulas: Formulas,
) -> dict[str, RepeatSpread]:
    """By metric, in percentage points; `metrics` are fractions, one mapping a repeat.

    A metric that is undefined in a repeat is left out; a spread between conversations is None
    where there is no interval. At least two repeats.
    """
    intervals = metric_intervals(pool_counts(counts), formulas)
    found = {}
    for name in metrics[0]:
        values = [value for one in metrics if (value := one.get(name)) is not None]
        if len(values) < len(metrics):
            continue
        between, one = stdev(values), intervals.get(name)
        conversations = None
        if isinstance(one, Interval):
            pooled = standard_error(one.low, one.high, one.level)
            conversations = math.sqrt(max(0.0, pooled**2 - between**2 / len(values))) * 100
        found[name] = RepeatSpread(fmean(values), between * 100, conversations)
    return found
