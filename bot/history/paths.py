"""Where a suite's history is kept."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The published file, its append-only archive, its generated JSON Schema and its badge."""

    benchmark: str
    title: str
    data: Path
    archive: Path
    schema: Path
    badge: Path
