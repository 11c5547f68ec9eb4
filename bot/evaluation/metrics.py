"""Counts and metrics of extracted memories (ADR-0066 section 4, CONTRACTS section 3).

Every metric is a fraction in [0, 1], or None when it is undefined.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import ConfigDict, Field

from bot.evaluation.counts import (
    Count,
    Decisions,
    LabelCounts,
    LabelledCounts,
    Metrics,
    accuracy,
    in_order,
    label_metrics,
)
from bot.evaluation.formulas import Formulas, decisions, label_formulas
from bot.evaluation.scores import CATEGORY_ACCURACY, GATED_METRICS, TEMPORAL_ACCURACY
from bot.extraction.taxonomy import VALID_LABELS


class Counts(LabelledCounts):
    """Everything that the metrics of a set of conversations are computed from."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    labels: dict[str, LabelCounts] = Field(
        default_factory=lambda: {str(label): LabelCounts() for label in VALID_LABELS}
    )
    category_assignment: Decisions = Decisions()
    temporal_field: Decisions = Decisions()
    temporal_value: Decisions = Decisions()
    turns: Count = 0
    gold_memories: Count = 0
    predicted_memories: Count = 0
    pairs: Count = 0


def merge_counts(parts: Iterable[Counts]) -> Counts:
    """The counts of the union of disjoint sets of conversations."""
    return sum(parts, start=Counts())


def compute_metrics(counts: Counts) -> Metrics:
    """All metrics by name: the fourteen gated ones first, then the ungated ones."""
    metrics = label_metrics(counts.labels, VALID_LABELS)
    metrics[CATEGORY_ACCURACY] = accuracy(counts.category_assignment)
    metrics[TEMPORAL_ACCURACY] = accuracy(counts.temporal_field)
    metrics["temporal_value_accuracy"] = accuracy(counts.temporal_value)
    return in_order(metrics, GATED_METRICS)


FORMULAS: Final[Formulas] = {
    **label_formulas(VALID_LABELS),
    CATEGORY_ACCURACY: decisions("category_assignment", exact=True),
    TEMPORAL_ACCURACY: decisions("temporal_field", exact=True),
    "temporal_value_accuracy": decisions("temporal_value"),
}
"""What `compute_metrics` computes, as formulas over columns of counts."""
