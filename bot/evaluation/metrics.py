"""Counts, and the metrics made of them (ADR-0066 section 4, CONTRACTS section 3).

A score is a quotient of sums of counts over conversations, so the counts of two disjoint sets of
conversations add up to exactly the counts of their union. Every metric is a fraction in [0, 1], or
None when it is undefined. Precision, recall, F1 and their averages are scikit-learn's, except that
an undefined metric stays out of a macro average instead of counting as 0.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from bot.evaluation.scores import CATEGORY_ACCURACY, GATED_METRICS, TEMPORAL_ACCURACY
from bot.extraction.taxonomy import VALID_LABELS, Label

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

    def __add__(self, other: "Decisions") -> "Decisions":
        return Decisions(right=self.right + other.right, total=self.total + other.total)


class Counts(BaseModel):
    """Everything that the metrics of a set of conversations are computed from."""

    model_config = ConfigDict(frozen=True)

    labels: dict[Label, LabelCounts] = Field(
        default_factory=lambda: {label: LabelCounts() for label in VALID_LABELS}
    )
    category_assignment: Decisions = Decisions()
    temporal_field: Decisions = Decisions()
    temporal_value: Decisions = Decisions()
    turns: Count = 0
    gold_memories: Count = 0
    predicted_memories: Count = 0
    pairs: Count = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            labels={
                label: self.labels.get(label, LabelCounts())
                + other.labels.get(label, LabelCounts())
                for label in VALID_LABELS
            },
            category_assignment=self.category_assignment + other.category_assignment,
            temporal_field=self.temporal_field + other.temporal_field,
            temporal_value=self.temporal_value + other.temporal_value,
            turns=self.turns + other.turns,
            gold_memories=self.gold_memories + other.gold_memories,
            predicted_memories=self.predicted_memories + other.predicted_memories,
            pairs=self.pairs + other.pairs,
        )


def merge_counts(parts: Iterable[Counts]) -> Counts:
    """The counts of the union of disjoint sets of conversations."""
    return sum(parts, start=Counts())


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


def _macro_average(metrics: Mapping[str, float | None], kind: str) -> float | None:
    values = [metrics[f"{kind}_{label}"] for label in VALID_LABELS]
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def compute_metrics(counts: Counts) -> Metrics:
    """All metrics by name: the fourteen gated ones first, then the ungated ones."""
    metrics: Metrics = {
        f"{kind}_{label}": compute(counts.labels[label])
        for label in VALID_LABELS
        for kind, compute in _PER_LABEL.items()
    }
    micro = sum((counts.labels[label] for label in VALID_LABELS), start=LabelCounts())
    for kind, compute in _PER_LABEL.items():
        metrics[f"{kind}_macro"] = _macro_average(metrics, kind)
        metrics[f"{kind}_micro"] = compute(micro)
    metrics[CATEGORY_ACCURACY] = accuracy(counts.category_assignment)
    metrics[TEMPORAL_ACCURACY] = accuracy(counts.temporal_field)
    metrics["temporal_value_accuracy"] = accuracy(counts.temporal_value)
    ungated = sorted(set(metrics) - set(GATED_METRICS))
    return {name: metrics[name] for name in (*GATED_METRICS, *ungated)}
