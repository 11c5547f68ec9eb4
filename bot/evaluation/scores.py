"""The names of the gated metrics, and what counts as a score (CONTRACTS sections 3 and 4).

Standard library only: the gate starts in the time that pydantic takes to be imported.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from bot.errors import BadInput
from bot.evaluation.conversation_counts import ConversationCounts
from bot.extraction.taxonomy import VALID_LABELS
from bot.files import read_json

CATEGORY_ACCURACY: Final = "category_assignment_accuracy"
TEMPORAL_ACCURACY: Final = "temporal_field_accuracy"
GATED_METRICS: Final[tuple[str, ...]] = (
    *(f"{kind}_{label}" for label in VALID_LABELS for kind in ("precision", "recall")),
    CATEGORY_ACCURACY,
    TEMPORAL_ACCURACY,
    "precision_macro",
    "recall_macro",
)
MAX_REPORT_BYTES: Final = 64 * 1024 * 1024

Enforcement = Literal["ci", "manual"]


def metric_fault(value: object) -> str | None:
    """Why `value` is no score, in words; None when it is a number in [0, 1]."""
    if value is None:
        return "undefined (null)"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"not a number: {str(value)[:40]!r}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"not finite ({value})"
    if not 0 <= value <= 1:
        return f"{str(value)[:40]}, which is not a fraction in [0, 1]"
    return None


@dataclass(frozen=True, slots=True)
class Scores:
    """What the gate reads of a report; `metrics` as they stand in the file, good or bad.

    `part` is (evaluated, of all) conversations when the report covers only some of them. The last
    two fields are None in older reports.
    """

    provider: str
    gold_set: str
    metrics: Mapping[str, object]
    part: tuple[int, int] | None = None
    gold_sha256: str | None = None
    conversation_counts: ConversationCounts | None = None


def part_of(evaluated: object, total: object) -> tuple[int, int] | None:
    """(evaluated, total) when that is only a part; older reports do not say."""
    if isinstance(evaluated, int) and isinstance(total, int) and evaluated < total:
        return evaluated, total
    return None


def read_scores(path: Path, benchmark: str) -> Scores:
    """The scores in the report at `path`.

    NaN and Infinity are let in, for the gate to fail them by name. Raises BadInput for what is no
    report of this benchmark.
    """
    raw = read_json(path, max_bytes=MAX_REPORT_BYTES, allow_nan=True)
    if not isinstance(raw, dict):
        raise BadInput("is no report: not a JSON object", where=path)
    if raw.get("benchmark") != benchmark:
        raise BadInput(f"is no report of benchmark {benchmark!r}", where=path)
    provider, gold_set, metrics = (raw.get(name) for name in ("provider", "gold_set", "metrics"))
    if not isinstance(provider, str) or not isinstance(gold_set, str):
        raise BadInput("a report has a provider and a gold_set, both texts", where=path)
    if not isinstance(metrics, dict):
        raise BadInput("metrics: should be an object of name and number", where=path)
    part = part_of(raw.get("conversation_count"), raw.get("gold_conversation_count"))
    gold_sha256, counts = raw.get("gold_sha256"), raw.get("conversation_counts")
    return Scores(
        provider,
        gold_set,
        metrics,
        part,
        gold_sha256 if isinstance(gold_sha256, str) else None,
        None if counts is None else ConversationCounts.parse(counts, path),
    )
