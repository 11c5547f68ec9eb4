"""`evaluate --audit-matching`: what other thresholds would pair, beside the report."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from bot.console import Console
from bot.escape import visible
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.report import Report
from bot.evaluation.rescoring import load_answers
from bot.evaluation.task import ScoringRules
from bot.files import to_json, write_atomic
from bot.settings import Settings
from bot.statistics.matching_audit import MatchingAudit, audit_matching
from bot.suites import Suite

MAX_TOLD: Final = 10
MAX_CHARS: Final = 60


def audit_path(report: Path) -> Path:
    """Where the audit of the report at this path is."""
    return report.with_suffix(".matching.json")


def audit_report(
    directory: Path,
    latest: Path,
    report: Report,
    suite: Suite,
    settings: Settings,
    console: Console,
) -> None:
    """Audit the answers of a report that is written; raises BadInput."""
    task = suite.load_task()
    answers = load_answers(latest, report, task)
    gold_set = load_task_gold_set(directory, task)
    chosen = [c for c in gold_set.conversations if c.conversation_id in answers]
    rules = ScoringRules(settings.similarity_threshold, settings.allow_contradictions)
    audit = audit_matching(task, chosen, answers, rules)
    path = audit_path(latest)
    write_atomic(path, to_json(audit_json(audit)))
    near = [pair for pair in audit.pairs if pair.is_near]
    console.say(
        f"matching: {len(near)} pairs near the threshold {audit.threshold:g}, {len(audit.pairs)} "
        f"that another one between 0.4 and 0.8 or equal texts would change: {path}"
    )
    for pair in near[:MAX_TOLD]:
        state = "paired" if pair.is_paired else "not paired"
        texts = (visible(text)[:MAX_CHARS] for text in (pair.expected, pair.predicted))
        console.say(f"  {pair.similarity:.3f} {state}: " + " | ".join(texts))
    for name in suite.gated_metrics:
        moves = audit.moves_pp[name]
        if moves:
            console.say(f"  {name:30} moves by {moves:.1f} points between 0.4 and 0.8")


def audit_json(audit: MatchingAudit) -> dict[str, Any]:
    """As its file holds it; a threshold is a key of text."""
    raw = asdict(audit)
    return raw | {"metrics": {f"{at:g}": metrics for at, metrics in audit.metrics.items()}}
