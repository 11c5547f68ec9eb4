"""`run`: evaluate, gate, publish locally, render the comment, say the verdict."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.commands.evaluate import EvaluateRequest, evaluate_gold_set, tell_answering, write_report
from bot.commands.gate import tell_gate
from bot.commands.judge import judge_scores
from bot.commands.publish import tell_history
from bot.commands.render_comment import read_archived, read_trend, render_comment
from bot.comment.provider_rows import provider_row
from bot.comment.sections import Section
from bot.comment.view import CommentInput
from bot.console import Console
from bot.environment import server_url
from bot.evaluation.answers_file import AnswersFile
from bot.evaluation.gold_set import CONVERSATIONS, read_part
from bot.evaluation.report import load_report
from bot.files import check_writable, to_json, write_atomic
from bot.gate.baseline import load_baseline
from bot.gate.regression import GateResult, gate_json
from bot.history.badge import Clock
from bot.history.comparable import entries_of
from bot.history.entry import build_run_entry
from bot.history.file import load_history, publish_locally
from bot.history.identity import RunIdentity
from bot.history.model import RunEntry
from bot.policy.oracle import PolicyResult
from bot.settings import Settings
from bot.suites import Suite


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run of the main job; `out` is a directory.

    `trend` is a history that is only read, for the comment's trend; None takes `data`.
    """

    evaluation: EvaluateRequest
    baseline: Path
    data: Path
    out: Path
    templates: Path | None = None
    base_latest: Path | None = None
    trend: Path | None = None


def tell_providers(entry: RunEntry, suite: Suite, console: Console) -> None:
    """Every provider's numbers with their label in words beside them."""
    for block in entry.providers:
        row = provider_row(block)
        scores = ", ".join(
            f"{name} {row.metrics[name]}"
            for name, _ in suite.words.headlines
            if name in row.metrics
        )
        console.say(f"  {row.provider} ({row.model}) [{row.label}] {scores}")


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of it: the gate's result, the comment's input, and the section rendered of it."""

    gate: GateResult
    data: CommentInput
    section: Section


def complete_run(
    request: RunRequest,
    identity: RunIdentity,
    suite: Suite,
    settings: Settings,
    now: datetime,
    console: Console,
    policy: PolicyResult | None = None,
) -> Ran:
    """Evaluate, judge, write every file, and tell; whatever the verdict.

    Raises BadInput, with nothing written, when an input cannot be used.
    """
    # what cannot be used stops here, before a model is asked and paid
    read_part(request.evaluation.gold_set, CONVERSATIONS)
    baseline = load_baseline(request.baseline)
    base_report = load_report(request.base_latest) if request.base_latest else None
    files = suite.history_files(request.data)
    history = load_history(files.data, suite.name)
    trend = read_trend(request.trend, suite, console) if request.trend else entries_of(history)
    out = [request.out / name for name in ("latest.json", "gate-result.json", "comment.md")]
    check_writable([files.data, files.archive, files.schema, *out])
    answers = AnswersFile(suite.load_task(), request.out / "latest.json")
    with answers:
        report = evaluate_gold_set(request.evaluation, suite, settings, answers, now, console)
        gate = judge_scores(report.scores, baseline, request.baseline, suite)
        entry = build_run_entry(report, gate, baseline, identity, settings.stale_after_days)
        data = CommentInput(
            words=suite.words,
            run=entry,
            head_sha=identity.sha,
            report=report,
            base_report=base_report,
            policy=policy,
            server_url=server_url(console.env),
            trend=trend,
            archived=read_archived(
                suite.history_files(request.trend or request.data).archive, entry
            ),
        )
        body, section = render_comment(data, suite, request.templates)

        gate_result = request.out / "gate-result.json"
        comment = request.out / "comment.md"
        write_report(request.evaluation, report, answers)
        write_atomic(gate_result, to_json(gate_json(gate)))
        write_atomic(comment, body)
        appended = publish_locally(
            files, entry, settings.max_runs, Clock(now, settings.stale_after_days)
        )

    console.say(
        f"{suite.title}: {report.conversation_count} conversations of gold set {report.gold_set}, "
        f"commit {entry.short_sha} on {entry.branch}"
    )
    tell_providers(entry, suite, console)
    tell_answering(report, console)
    tell_history(request.data, appended, console)
    console.say(f"comment: {comment}")
    tell_gate(gate, console)
    console.set_outputs(
        {
            "status": gate.status,
            "report": str(answers.latest),
            "gate-result": str(gate_result),
            "comment": str(comment),
        }
    )
    return Ran(gate, data, section)


def run_all(
    request: RunRequest,
    identity: RunIdentity,
    suite: Suite,
    settings: Settings,
    now: datetime,
    console: Console,
) -> int:
    """0 when the gate holds, 1 when it does not; everything is written before a failed gate exits.

    Raises BadInput, with nothing written, when an input cannot be used.
    """
    ran = complete_run(request, identity, suite, settings, now, console)
    console.add_summary(ran.section.text)
    return ran.gate.verdict.exit_code
