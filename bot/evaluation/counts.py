"""Counts, and the metrics of labels that are made of them, for any task.

Counts of two disjoint sets of conversations add up to exactly the counts of their union, so a score
is a quotient of sums and never an average of averages. Precision, recall, F1 and their averages are
scikit-learn's, except that an undefined metric (None) stays out of a macro average instead of
counting as 0.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field

Metrics = dict[str, float | None]
Count = Annotated[int, Field(strict=True, ge=0)]


class LabelCounts(BaseModel):
    """True positives, false positives and false negatives of one label."""

    model_config = ConfigDict(frozen=True)

    tp: Count = 0
    fp: Count = 0
    fn: Count = 0

    def __add__(self, other: "LabelCounts") -> "LabelCounts":
        return LabelCounts(tp=self.tp + other.tp, fp=self.fp + other.fp, fn=self.fn + other.fn)


class Decisions(BaseModel):
    """How many of `total` decisions were right."""

    model_config = ConfigDict(frozen=True)

    right: Count = 0
    total: Count = 0


class LabelledCounts(BaseModel):
    """What every task counts; a task's own model adds fields of whole numbers."""

    model_config = ConfigDict(frozen=True, extra="allow")

    labels: dict[str, LabelCounts]

    def __add__(self, other: Self) -> Self:
        return self.model_validate(_sum(self.model_dump(), other.model_dump()))


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, dict) and isinstance(b, dict):
        return {
            name: _sum(a[name], b[name]) if name in a and name in b else a.get(name, b.get(name))
            for name in (*a, *(name for name in b if name not in a))
        }
    return a + b


def precision(counts: LabelCounts) -> float | None:
    """tp / (tp + fp); never predicted is 0.0 with gold support and undefined without."""
    if counts.tp + counts.fp:
        return counts.tp / (counts.tp + counts.fp)
    return 0.0 if counts.fn else None


def recall(counts: LabelCounts) -> float | None:
    """tp / (tp + fn); undefined without gold support."""
    support = counts.tp + counts.fn
    return counts.tp / support if support else None


def f1(counts: LabelCounts) -> float | None:
    """2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall."""
    denominator = 2 * counts.tp + counts.fp + counts.fn
    return 2 * counts.tp / denominator if denominator else None


def accuracy(decisions: Decisions) -> float | None:
    """right / total; undefined without a decision."""
    return decisions.right / decisions.total if decisions.total else None


_PER_LABEL: Final = {"precision": precision, "recall": recall, "f1": f1}


def _macro_average(
    metrics: Mapping[str, float | None], kind: str, labels: Sequence[str]
) -> float | None:
    values = [metrics[f"{kind}_{label}"] for label in labels]
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def label_metrics(counts: Mapping[str, LabelCounts], labels: Sequence[str]) -> Metrics:
    """Precision, recall and F1 of each of `labels`, and their macro and micro averages."""
    metrics: Metrics = {
        f"{kind}_{label}": compute(counts[label])
        for label in labels
        for kind, compute in _PER_LABEL.items()
    }
    micro = sum((counts[label] for label in labels), start=LabelCounts())
    for kind, compute in _PER_LABEL.items():
        metrics[f"{kind}_macro"] = _macro_average(metrics, kind, labels)
        metrics[f"{kind}_micro"] = compute(micro)
    return metrics


def in_order(metrics: Metrics, gated: Sequence[str]) -> Metrics:
    """The gated ones first and in their order, then the others by name."""
    return {name: metrics[name] for name in (*gated, *sorted(set(metrics) - set(gated)))}
