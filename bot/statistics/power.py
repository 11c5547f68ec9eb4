"""What a gold set can see: the smallest drop that a gate would find, and the size that it takes.

Normal approximation: a drop d is found with probability `power` when d = (z of alpha + z of power)
times the standard error of the difference (Miller, arXiv 2411.00640, section 5). alpha is two-sided
and divided by the number of gated metrics, Holm's first step, since a drop of one metric alone must
pass that. The error shrinks with the square root of the number of conversations.

Of pairs the standard error is that of the paired difference. Without pairs it is that of two
independent measurements, the square root of 2 times the metric's own: what both get right alike
does not cancel, so it is the larger, and the drop is stated too large rather than too small.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.evaluation.interval import Interval, IntervalOrReason
from bot.statistics.exact import normal_quantile
from bot.statistics.findings import ALPHA, Comparison

POWER: Final = 0.8
UNPAIRED: Final = "unpaired: from the interval of one measurement, times the square root of 2"
PAIRED: Final = "paired: from the interval of the difference on the baseline's conversations"


@dataclass(frozen=True, slots=True)
class Detectable:
    """`drop_pp`: the smallest drop found with 80 % power, percentage points; None with a `reason`.

    `n` conversations carry the metric now; `basis` says which standard error it is from.
    """

    drop_pp: float | None
    n: int
    basis: str
    reason: str = ""


def standard_error(low: float, high: float, level: float) -> float:
    """Of the estimate between the ends of its interval; in the unit of the ends."""
    return (high - low) / (2 * normal_quantile(0.5 + level / 2))


def detection_factor(metrics: int, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """How many standard errors a drop must have."""
    return normal_quantile(1 - alpha / (2 * metrics)) + normal_quantile(power)


def detectable_drops(
    intervals: Mapping[str, IntervalOrReason],
    gated: tuple[str, ...],
    paired: Comparison | None = None,
) -> dict[str, Detectable]:
    """By gated metric; from `paired` where it has an interval with a width, else unpaired."""
    factor = detection_factor(len(gated))
    found = {}
    for name in gated:
        one, change = intervals[name], paired.metrics.get(name) if paired else None
        if change and change.low_pp is not None and change.high_pp is not None and change.differing:
            error = standard_error(change.low_pp, change.high_pp, change.level)
            found[name] = Detectable(factor * error, change.n, PAIRED)
        elif isinstance(one, Interval):
            error = standard_error(one.low, one.high, one.level) * math.sqrt(2) * 100
            found[name] = Detectable(factor * error, one.n, UNPAIRED)
        else:
            found[name] = Detectable(None, 0, UNPAIRED, one.reason)
    return found


def conversations_needed(one: Detectable, drop_pp: float, conversations: int) -> int | None:
    """How large a gold set of the same mix finds a drop of `drop_pp` points in that metric.

    `conversations` is its size now. None where the metric's error is not known.
    """
    if one.drop_pp is None:
        return None
    return math.ceil(conversations * (one.drop_pp / drop_pp) ** 2)
