"""`explain`: what a change between two reports comes from, by scoring their answers anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.console import Console
from bot.errors import BadInput
from bot.escape import visible
from bot.evaluation.gold_set import GoldSet
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.report import Report, load_report
from bot.evaluation.rescoring import load_answers
from bot.evaluation.task import ScoringRules, Task
from bot.settings import Settings
from bot.statistics.attribution import Attribution, Measurement, attribute
from bot.suites import find_suite

CONFOUNDED: Final = (
    "gold and prompt or schema changed together: read the parts, not the whole; one pull request "
    "for each would tell them apart"
)
OTHER_GOLD: Final = "is not the gold set that {report} was measured on (another hash)"


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Reports from the oldest to the newest; the gold sets of the first and of the last."""

    reports: tuple[Path, ...]
    gold_set: Path | None
    old_gold_set: Path | None


def _measurement(path: Path, report: Report, task: Task) -> Measurement:
    contract = (report.prompt_sha256, report.schema_sha256)
    return Measurement(load_answers(path, report, task), report.model, contract)


def _gold(directory: Path, path: Path, report: Report, task: Task) -> GoldSet:
    gold = load_task_gold_set(directory, task)
    if report.gold_sha256 is not None and gold.sha256 != report.gold_sha256:
        raise BadInput(
            OTHER_GOLD.format(report=path),
            where=directory,
            next_step="name it with --gold-set or --old-gold-set; `git worktree add` brings an "
            "older one back",
        )
    return gold


def run_explain(request: ExplainRequest, settings: Settings, console: Console) -> int:
    """Print the parts and the conversations that turned; 0. Raises BadInput."""
    reports = [load_report(path) for path in request.reports]
    names = sorted({report.benchmark for report in reports})
    if len(names) > 1:
        raise BadInput(f"the reports are of suites {', '.join(names)}", where="explain")
    suite = find_suite(names[0])
    task = suite.load_task()
    new_directory = request.gold_set or settings.of(suite).gold_set
    old_directory = request.old_gold_set or new_directory
    found = attribute(
        task,
        _gold(old_directory, request.reports[0], reports[0], task).conversations,
        _gold(new_directory, request.reports[-1], reports[-1], task).conversations,
        [_measurement(*one, task) for one in zip(request.reports, reports, strict=True)],
        ScoringRules(settings.similarity_threshold, settings.allow_contradictions),
    )
    _tell(found, suite.gated_metrics, console)
    return 0


def _tell(found: Attribution, gated: Sequence[str], console: Console) -> None:
    console.say(f"{found.conversations} conversations on both sides; points by cause:")
    for metric in gated:
        before, after = found.before[metric], found.after[metric]
        total = None if before is None or after is None else (after - before) * 100
        parts = ", ".join(f"{part.cause} {_signed(part.points[metric])}" for part in found.parts)
        console.say(f"  {metric:30} {_signed(total):>7}: {parts}")
    if found.is_confounded:
        console.warn(CONFOUNDED)
    for words, ids in (
        ("turned from right to wrong", found.fell),
        ("turned from wrong to right", found.rose),
        ("left out, not on both sides", found.left_out),
    ):
        listed = ", ".join(visible(name) for name in ids)
        console.say(f"{len(ids)} {words}" + (f": {listed}" if ids else ""))


def _signed(points: float | None) -> str:
    return "—" if points is None else f"{points:+.2f}"
