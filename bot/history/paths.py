"""Where a suite's history is kept."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The published file, its append-only archive and its generated JSON Schema."""

    benchmark: str
    data: Path
    archive: Path
    schema: Path
