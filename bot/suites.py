"""The suites the bot knows: what is scored, where it is kept, how it is called.

A suite is data. Nothing asks for a suite's name in an `if`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.evaluation.scores import GATED_METRICS
from bot.extraction.taxonomy import VALID_LABELS
from bot.history.paths import HistoryFiles


@dataclass(frozen=True, slots=True)
class Suite:
    """`name` is the `benchmark` field of its files; `labels` are the rows of its label table."""

    name: str
    title: str
    gated_metrics: tuple[str, ...]
    labels: tuple[str, ...]
    data_file: Path
    archive_name: str
    artifact_name: str

    def history_files(self, data_file: Path) -> HistoryFiles:
        """The published file, and what lies beside it."""
        return HistoryFiles(
            benchmark=self.name,
            title=self.title,
            data=data_file,
            archive=data_file.parent / "archive" / self.archive_name,
            schema=data_file.with_suffix(".schema.json"),
            badge=data_file.parent / f"{self.name.replace('_', '-')}-badge.json",
        )


EXTRACTION_QUALITY: Final = Suite(
    name="extraction_quality",
    title="Extraction quality",
    gated_metrics=GATED_METRICS,
    labels=VALID_LABELS,
    data_file=Path("web_data/extraction-quality-benchmark-data.json"),
    archive_name="extraction-quality.jsonl",
    artifact_name="extraction-quality-benchmark-data",
)

SUITES: Final = {suite.name: suite for suite in (EXTRACTION_QUALITY,)}
