"""The suites the bot knows: what is scored, where it is kept, how it is called.

A suite is data. Nothing asks for a suite's name in an `if`. Standard library only: the gate starts
with this module; the task behind a suite is imported when something is evaluated.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.candidates.taxonomy import CANDIDATE_KINDS
from bot.comment.words import SuiteWords
from bot.errors import BadInput
from bot.evaluation.candidate_scores import (
    CANDIDATE_METRICS,
    EVIDENCE_VALIDITY,
    KIND_ACCURACY,
    REFERENCE_VALIDITY,
)
from bot.evaluation.scores import GATED_METRICS
from bot.extraction.taxonomy import VALID_LABELS
from bot.history.paths import HistoryFiles

if TYPE_CHECKING:
    from bot.evaluation.task import Task

_EVALUATION: Final = Path(__file__).parent / "evaluation"


@dataclass(frozen=True, slots=True)
class Suite:
    """`name` is the `benchmark` field of its files; `task`, `prompt` and `schema` are import
    strings, `package.module:NAME`. The paths and the contract are defaults of the configuration."""

    name: str
    words: SuiteWords
    gated_metrics: tuple[str, ...]
    task: str
    prompt: str
    schema: str
    contract_paths: tuple[str, ...]
    gold_set: Path
    out: Path
    data_file: Path
    archive_name: str
    artifact_name: str

    @property
    def title(self) -> str:
        return self.words.title

    def load_task(self) -> "Task":
        module, _, name = self.task.partition(":")
        task: Task = getattr(importlib.import_module(module), name)
        return task

    def history_files(self, data_file: Path) -> HistoryFiles:
        """The published file, and what lies beside it; raises BadInput for a nameless path."""
        if not data_file.name:
            raise BadInput("is a directory, not a file", where=data_file)
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
    words=SuiteWords(
        title="Extraction quality",
        labels=VALID_LABELS,
        label="Label",
        gold="Gold memories",
        headlines=(
            ("precision_macro", "Macro precision"),
            ("recall_macro", "Macro recall"),
            ("category_assignment_accuracy", "Labels right"),
            ("temporal_field_accuracy", "Times right"),
        ),
    ),
    gated_metrics=GATED_METRICS,
    task="bot.evaluation.tasks.memories:MEMORIES",
    prompt="bot.extraction.prompt_v2:EXTRACTION_SYSTEM_PROMPT_BATCH",
    schema="bot.extraction.schema:BatchExtractionResult",
    contract_paths=("bot/extraction/prompt_v2.py", "bot/extraction/schema.py"),
    gold_set=_EVALUATION / "gold_set" / "v1",
    out=Path("out"),
    data_file=Path("web_data/extraction-quality-benchmark-data.json"),
    archive_name="extraction-quality.jsonl",
    artifact_name="extraction-quality-benchmark-data",
)

CANDIDATE_STAGING: Final = Suite(
    name="candidate_staging",
    words=SuiteWords(
        title="Candidate staging",
        labels=CANDIDATE_KINDS,
        label="Kind",
        gold="Gold candidates",
        headlines=(
            ("precision_macro", "Macro precision"),
            ("recall_macro", "Macro recall"),
            (KIND_ACCURACY, "Kinds right"),
            (EVIDENCE_VALIDITY, "Evidence found"),
            (REFERENCE_VALIDITY, "Entries there"),
        ),
    ),
    gated_metrics=CANDIDATE_METRICS,
    task="bot.evaluation.tasks.candidates:CANDIDATES",
    prompt="bot.candidates.prompt:CANDIDATES_SYSTEM_PROMPT",
    schema="bot.candidates.extraction:CandidateExtraction",
    contract_paths=(
        "bot/candidates/prompt.py",
        "bot/candidates/extraction.py",
        "bot/candidates/record.py",
        "bot/candidates/bounded.py",
        "bot/candidates/taxonomy.py",
    ),
    gold_set=_EVALUATION / "gold_set" / "candidates-v1",
    out=Path("out/candidate_staging"),
    data_file=Path("web_data/candidate-staging-benchmark-data.json"),
    archive_name="candidate-staging.jsonl",
    artifact_name="candidate-staging-benchmark-data",
)

SUITES: Final = {suite.name: suite for suite in (EXTRACTION_QUALITY, CANDIDATE_STAGING)}


def find_suite(name: str) -> Suite:
    """Raises BadInput for a name that is none."""
    suite = SUITES.get(name)
    if suite is None:
        raise BadInput(
            f"unknown suite {name!r}", where="--suite", next_step=f"use one of: {', '.join(SUITES)}"
        )
    return suite
