"""Intervals of metrics by a bootstrap over conversations.

Conversations are drawn with replacement, their counts summed, and the metric taken of the sums, so
memories of one conversation stay together (Miller, "Adding Error Bars to Evals", arXiv 2411.00640,
section 2.2, with the bootstrap in place of the clustered standard error since precision and macro
averages are no means). BCa corrects bias and skew (Efron 1987, JASA 82). Near 0 and 1 no resample
shows what could have gone wrong, so there it is Wilson's interval, with the number of independent
trials that the spread between conversations leaves.
"""

from dataclasses import dataclass

import numpy as np

from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.formulas import Formulas
from bot.evaluation.interval import Interval, IntervalOrReason, NoInterval
from bot.statistics.exact import normal_cdf, normal_quantile, wilson
from bot.statistics.findings import (
    LEAST_CONVERSATIONS,
    LEVEL,
    RESAMPLES,
    SEED,
)
from bot.statistics.table import Floats, Scorer, Table, resample_weights

BCA = "BCa bootstrap over conversations"
WILSON = "Wilson, conversations as trials"
WILSON_CLUSTERED = "Wilson, effective sample size"
UNDEFINED = "the metric is undefined"
TOO_LITTLE = "too little data: {name} rests on {n} conversations, under {least}"

FEW_DEVIATING = 5
"""Fewer conversations than this off 0 or 1: resamples hold none of them too often (e^-4 = 2 %)."""


@dataclass(frozen=True, slots=True)
class Carriers:
    """How many conversations say something of a metric, of its scarcest ratio (`name`); how many
    of these are not wholly right, and not wholly wrong."""

    name: str
    n: int
    imperfect: int
    not_failed: int


def carriers(scorer: Scorer, counts: Floats) -> dict[str, Carriers]:
    """By metric. A macro average is carried by its scarcest label, if that has any data."""
    ratios = {}
    for name, (right, of, zero_if) in scorer.parts(counts).items():
        n = int(((of > 0) | (zero_if > 0)).sum())
        imperfect, good = int((right < of).sum()), int((right > 0).sum())
        ratios[name] = Carriers(name, n, imperfect, good)
    found = {}
    for name in scorer.formulas:
        members = [ratios[member] for member in scorer.members(name) if ratios[member].n]
        scarcest = min(members or [Carriers(name, 0, 0, 0)], key=lambda one: one.n)
        found[name] = Carriers(
            scarcest.name,
            scarcest.n,
            max((one.imperfect for one in members), default=0),
            max((one.not_failed for one in members), default=0),
        )
    return found


def bootstrap_metrics(
    scorer: Scorer, counts: Floats, resamples: int, seed: int
) -> dict[str, Floats]:
    """Each metric of each resample; NaN where a resample leaves it undefined."""
    blocks = [
        scorer.metrics(weights @ counts)
        for weights in resample_weights(len(counts), resamples, seed)
    ]
    return {name: np.concatenate([block[name] for block in blocks]) for name in scorer.formulas}


def bca(resampled: Floats, estimate: float, jackknife: Floats, level: float) -> tuple[float, float]:
    """The bias-corrected and accelerated interval (Efron and Tibshirani 1993, section 14.3)."""
    below = ((resampled < estimate).mean() + (resampled <= estimate).mean()) / 2
    bias = normal_quantile(float(np.clip(below, 1e-9, 1 - 1e-9)))
    off = jackknife.mean() - jackknife
    spread = float((off**2).sum())
    skew = float((off**3).sum()) / (6 * spread**1.5) if spread else 0.0
    ends = []
    for probability in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal_quantile(probability)
        ends.append(normal_cdf(bias + z / (1 - skew * z)))
    low, high = np.quantile(resampled, ends)
    return float(low), float(high)


def metric_intervals(
    counts: ConversationCounts,
    formulas: Formulas,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    level: float = LEVEL,
) -> dict[str, IntervalOrReason]:
    """The interval of each metric, or why there is none; raises BadInput for other counts."""
    table = Table.of(counts)
    scorer = Scorer.bind(table.columns, formulas)
    carried = carriers(scorer, table.counts)
    estimates = {name: float(value[0]) for name, value in scorer.metrics(table.total).items()}
    resampled = bootstrap_metrics(scorer, table.counts, resamples, seed)
    jackknife = scorer.metrics(table.total - table.counts)
    return {
        name: _interval(
            carried[name],
            estimate,
            resampled[name][~np.isnan(resampled[name])],
            jackknife[name][~np.isnan(jackknife[name])],
            level,
        )
        for name, estimate in estimates.items()
    }


def _interval(
    carried: Carriers, estimate: float, resampled: Floats, jackknife: Floats, level: float
) -> IntervalOrReason:
    if np.isnan(estimate):
        return NoInterval(UNDEFINED)
    if carried.n < LEAST_CONVERSATIONS:
        return NoInterval(
            TOO_LITTLE.format(name=carried.name, n=carried.n, least=LEAST_CONVERSATIONS)
        )
    if min(carried.imperfect, carried.not_failed) >= FEW_DEVIATING:
        low, high = bca(resampled, estimate, jackknife, level)
        return Interval(low, high, level, BCA, carried.n)
    variance = (len(jackknife) - 1) * float(jackknife.var())
    if variance <= 0 or not 0 < estimate < 1:
        low, high = wilson(estimate, carried.n, level)
        return Interval(low, high, level, WILSON, carried.n)
    effective = estimate * (1 - estimate) / variance
    low, high = wilson(estimate, effective, level)
    return Interval(low, high, level, WILSON_CLUSTERED, carried.n)
