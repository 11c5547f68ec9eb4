"""Each metric as a formula over columns of counts, so that thousands of sums are scored at once.

A column is a path in a task's counts (`labels.factual.tp`). `bot.statistics` evaluates these over
arrays; one set of counts is scored by the task's `compute_metrics`. A test holds the two equal, the
rules for what is undefined included.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """The sum of columns `right` over the sum of `of`.

    A denominator of zero is 0.0 where the sum of `zero_if` is positive, else undefined. `exact`
    when it counts decisions that were right, which a test of discordant pairs may judge.
    """

    right: tuple[str, ...]
    of: tuple[str, ...]
    zero_if: tuple[str, ...] = ()
    exact: bool = False


@dataclass(frozen=True, slots=True)
class MacroAverage:
    """The mean of those of the ratios `of` (names of metrics) that are defined."""

    of: tuple[str, ...]


Formula = Ratio | MacroAverage
Formulas = Mapping[str, Formula]
"""By the metric's name."""


def label_formulas(labels: Sequence[str]) -> dict[str, Formula]:
    """The formulas of `bot.evaluation.counts.label_metrics`."""
    formulas: dict[str, Formula] = {}
    for label in labels:
        formulas |= _of_labels(label, (label,))
    for kind in ("precision", "recall", "f1"):
        formulas[f"{kind}_macro"] = MacroAverage(tuple(f"{kind}_{label}" for label in labels))
    return formulas | _of_labels("micro", labels)


def _of_labels(suffix: str, labels: Iterable[str]) -> dict[str, Formula]:
    names = tuple(labels)
    tp, fp, fn = (tuple(f"labels.{name}.{part}" for name in names) for part in ("tp", "fp", "fn"))
    return {
        f"precision_{suffix}": Ratio(tp, tp + fp, zero_if=fn),
        f"recall_{suffix}": Ratio(tp, tp + fn),
        f"f1_{suffix}": Ratio(tp + tp, tp + tp + fp + fn),
    }


def decisions(field: str, *, zero_if: tuple[str, ...] = (), exact: bool = False) -> Ratio:
    """The share of the decisions counted in `field` that are right."""
    return Ratio((f"{field}.right",), (f"{field}.total",), zero_if, exact)
