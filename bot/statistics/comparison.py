"""Two measurements of the same conversations, compared pair by pair.

What both get right or wrong alike cancels out of a difference, so it shows changes that two
separate intervals hide (Miller, arXiv 2411.00640, section 4.2). Conversations are drawn with the
same weights for both. p-values are corrected over all metrics together (Holm).

p by the bootstrap is of a test, not read off the interval: the differences of the resamples are
moved to the hypothesis of no change (their own mean taken off), and p is the share that lies as far
off as what was seen. Reading p off the interval would call seven discordant conversations of one
direction significant where a coin (p = 0.016) does not after correction.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.formulas import Formulas, Ratio
from bot.statistics.exact import holm, mcnemar, wilson
from bot.statistics.findings import (
    ALPHA,
    LEAST_CONVERSATIONS,
    LEVEL,
    RESAMPLES,
    SEED,
    Change,
    Comparison,
    MetricChange,
    NotPaired,
)
from bot.statistics.intervals import Carriers, bca, carriers
from bot.statistics.table import Floats, Scorer, Table, resample_weights

PAIRED_BOOTSTRAP: Final = "paired bootstrap over conversations"
MCNEMAR: Final = "exact McNemar, conversations wholly right or not"
NO_TEST: Final = "none"
BCA_DIFFERENCE: Final = "BCa paired bootstrap over conversations"
IDENTICAL: Final = "identical counts in every conversation"
NONE_DIFFERS: Final = "Wilson of the share that could differ: no conversation does"

OTHER_CONVERSATIONS: Final = (
    "the baseline's conversations are not the report's ({count} on one side only, as {name!r})"
)
OTHER_COLUMNS: Final = "the baseline's counts have other columns than the report's"
UNDEFINED: Final = "undefined before or after"
TOO_LITTLE: Final = "too little data: {name} rests on {n} conversations, under {least}"
OPPOSITE: Final = "more conversations changed against the metric's direction than with it"

_EPSILON: Final = 1e-12  # of summing the same counts in another order


def compare(
    old: ConversationCounts,
    new: ConversationCounts,
    formulas: Formulas,
    gated: Sequence[str],
    limit_pp: float,
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Comparison | NotPaired:
    """Each gated metric's change from `old` to `new`; NotPaired when the pairs do not match.

    `limit_pp`: a change is called none when the interval of the difference lies within plus or
    minus so many percentage points. Raises BadInput for counts that lack a column.
    """
    if only := sorted(old.rows.keys() ^ new.rows.keys()):
        return NotPaired(OTHER_CONVERSATIONS.format(count=len(only), name=only[0]))
    if set(old.columns) != set(new.columns):
        return NotPaired(OTHER_COLUMNS)
    before, after = Table.of(old), Table.of(new)
    order = [after.columns.index(column) for column in before.columns]
    scorer = Scorer.bind(
        before.columns, {name: formulas[name] for name in _needed(formulas, gated)}
    )
    pairs = _Pairs(scorer, before.counts, after.counts[:, order], resamples, seed)
    found = [pairs.change(name) for name in gated]
    adjusted = holm({one.metric: one.p for one in found if one.p is not None})
    changes = [_judged(one, adjusted.get(one.metric), limit_pp) for one in found]
    return Comparison(
        conversations=len(before.ids),
        resamples=resamples,
        seed=seed,
        alpha=ALPHA,
        metrics={one.metric: one for one in changes},
    )


def _needed(formulas: Formulas, gated: Sequence[str]) -> list[str]:
    """The gated metrics and the ratios that their averages are made of."""
    needed = dict.fromkeys(gated)
    for name in gated:
        formula = formulas[name]
        needed |= dict.fromkeys(() if isinstance(formula, Ratio) else formula.of)
    return list(needed)


class _Pairs:
    """Both measurements, conversation beside conversation, resampled together."""

    def __init__(
        self, scorer: Scorer, before: Floats, after: Floats, resamples: int, seed: int
    ) -> None:
        self._scorer = scorer
        self._is_identical = bool((before == after).all())
        self._parts = scorer.parts(before), scorer.parts(after)
        self._carried = carriers(scorer, before + after)
        self._estimate = self._differences(_total(before), _total(after))
        blocks = [
            self._differences(weights @ before, weights @ after)
            for weights in resample_weights(len(before), resamples, seed)
        ]
        self._resampled = {
            name: _defined(np.concatenate([block[name] for block in blocks]))
            for name in scorer.formulas
        }
        self._jackknife = self._differences(_total(before) - before, _total(after) - after)

    def _differences(self, before: Floats, after: Floats) -> dict[str, Floats]:
        old, new = self._scorer.metrics(before), self._scorer.metrics(after)
        return {name: new[name] - old[name] for name in new}

    def _differing(self, name: str) -> int:
        """Conversations whose share in the metric is another than before."""
        differs = np.zeros(len(next(iter(self._parts[0].values()))[0]), dtype=bool)
        for member in self._scorer.members(name):
            (right, of, _), (new_right, new_of, _) = (part[member] for part in self._parts)
            differs |= (right != new_right) | (of != new_of)
        return int(differs.sum())

    def change(self, name: str) -> MetricChange:
        """Without correction and without a word on it."""
        difference = float(self._estimate[name][0])
        carried, differing = self._carried[name], self._differing(name)
        if np.isnan(difference):
            return _untested(name, carried, differing, None, UNDEFINED)
        if carried.n < LEAST_CONVERSATIONS:
            why = TOO_LITTLE.format(name=carried.name, n=carried.n, least=LEAST_CONVERSATIONS)
            return _untested(name, carried, differing, difference * 100, why)
        low, high, method = self._interval(name, difference, carried, differing)
        test, p, reason = self._test(name, difference)
        return MetricChange(
            metric=name,
            n=carried.n,
            differing=differing,
            difference_pp=difference * 100,
            low_pp=low * 100,
            high_pp=high * 100,
            level=LEVEL,
            method=method,
            test=test,
            p=p,
            p_holm=None,
            change="inconclusive",
            reason=reason,
        )

    def _interval(
        self, name: str, difference: float, carried: Carriers, differing: int
    ) -> tuple[float, float, str]:
        if self._is_identical:
            return 0.0, 0.0, IDENTICAL
        if not differing:  # resamples of nothing have no width, a new conversation could differ
            _, most = wilson(0.0, carried.n, LEVEL)
            return -most, most, NONE_DIFFERS
        jackknife = _defined(self._jackknife[name])
        return *bca(self._resampled[name], difference, jackknife, LEVEL), BCA_DIFFERENCE

    def _test(self, name: str, difference: float) -> tuple[str, float, str]:
        formula = self._scorer.formulas[name]
        if isinstance(formula, Ratio) and formula.exact:
            (right, of, _), (new_right, new_of, _) = (part[name] for part in self._parts)
            both = (of > 0) & (new_of > 0)
            was, now = (right == of) & both, (new_right == new_of) & both
            fell, rose = int((was & ~now & both).sum()), int((now & ~was & both).sum())
            if (rose - fell) * difference < 0:
                return MCNEMAR, 1.0, OPPOSITE
            return MCNEMAR, mcnemar(fell, rose), ""
        resampled = self._resampled[name]
        if abs(difference) < _EPSILON:
            return PAIRED_BOOTSTRAP, 1.0, ""
        as_far = np.abs(resampled - resampled.mean()) >= abs(difference) - _EPSILON
        return PAIRED_BOOTSTRAP, (1 + int(as_far.sum())) / (1 + len(resampled)), ""


def _total(counts: Floats) -> Floats:
    total: Floats = counts.sum(axis=0, keepdims=True)
    return total


def _defined(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _untested(
    name: str, carried: Carriers, differing: int, difference_pp: float | None, reason: str
) -> MetricChange:
    return MetricChange(
        metric=name,
        n=carried.n,
        differing=differing,
        difference_pp=difference_pp,
        low_pp=None,
        high_pp=None,
        level=LEVEL,
        method=NO_TEST,
        test=NO_TEST,
        p=None,
        p_holm=None,
        change="inconclusive",
        reason=reason,
    )


def _judged(one: MetricChange, p_holm: float | None, limit_pp: float) -> MetricChange:
    judged = replace(one, p_holm=p_holm)
    return replace(judged, change=_change(judged, limit_pp))


def _change(one: MetricChange, limit_pp: float) -> Change:
    """What may be said of it; the absence of proof is not the proof of absence."""
    if one.difference_pp is None or one.low_pp is None or one.high_pp is None:
        return "inconclusive"
    if one.is_significant() and one.difference_pp:
        return "dropped" if one.difference_pp < 0 else "improved"
    return (
        "no change seen" if -limit_pp <= one.low_pp and one.high_pp <= limit_pp else "inconclusive"
    )
