"""Counts made for a test, for either task."""

from typing import Any

import numpy as np

from bot.evaluation.conversation_counts import ConversationCounts, flat
from bot.evaluation.metrics import Counts

COLUMNS = tuple(flat(Counts().model_dump()))


def conversation_counts(rows: list[dict[str, int]], columns: Any = COLUMNS) -> ConversationCounts:
    """Each row names the columns that are not 0."""
    return ConversationCounts(
        tuple(columns),
        {
            f"c{i:03}": " ".join(str(row.get(column, 0)) for column in columns)
            for i, row in enumerate(rows)
        },
    )


def random_counts(seed: int, conversations: int = 40, highest: int = 3) -> ConversationCounts:
    """Any numbers at all, many of them 0."""
    random = np.random.default_rng(seed)
    drawn = random.integers(0, highest + 1, (conversations, len(COLUMNS)))
    drawn *= random.random(drawn.shape) < 0.4
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in drawn.tolist()]
    for row in rows:  # no more right than there are
        for field in ("category_assignment", "temporal_field", "temporal_value"):
            row[f"{field}.total"] = max(row[f"{field}.total"], row[f"{field}.right"])
    return conversation_counts(rows)


def accuracy_rows(right: list[int], total: list[int]) -> ConversationCounts:
    """Category assignment only: `right` of `total` in each conversation."""
    return conversation_counts(
        [
            {"category_assignment.right": a, "category_assignment.total": b}
            for a, b in zip(right, total, strict=True)
        ]
    )
