"""Where a suite's history is kept."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The published file, its append-only archive, its generated JSON Schema and its badges."""

    benchmark: str
    title: str
    data: Path
    archive: Path
    schema: Path
    badge: Path

    @property
    def badge_svg(self) -> Path:
        """The same badge as a picture."""
        return self.badge.with_suffix(".svg")
