"""`render-comment`: the history, a report and a policy result in, the comment's Markdown out."""

from dataclasses import dataclass
from pathlib import Path

from bot.comment.render import render_section, template_environment
from bot.comment.sections import COMMENT_MARKER, Section, room_beside, splice
from bot.comment.view import CommentInput
from bot.console import Console
from bot.environment import server_url
from bot.errors import BadInput
from bot.evaluation.report import Report, load_report
from bot.files import read_json, write_atomic
from bot.history.comparable import entries_of
from bot.history.file import load_history, read_archive
from bot.history.model import History, RunEntry, StoredRun
from bot.history.noise import same_experiment
from bot.policy.oracle import PolicyResult
from bot.suites import Suite
from bot.validation import validate


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """Where the parts of a comment lie; None where there is none.

    `head_sha` is the commit that the comment must speak of; None takes the newest run.
    """

    published: Path
    templates: Path | None = None
    latest: Path | None = None
    base_latest: Path | None = None
    policy: Path | None = None
    head_sha: str | None = None


def load_policy_result(path: Path) -> PolicyResult:
    return validate(PolicyResult, read_json(path), path)


def read_trend(published: Path, suite: Suite, console: Console) -> tuple[RunEntry, ...]:
    """The published runs, for the trend only: none, with a note, when they cannot be read."""
    try:
        return entries_of(load_history(published, suite.name))
    except BadInput as error:
        console.note(f"no trend is shown: {error}")
        return ()


def read_archived(archive: Path, run: RunEntry) -> tuple[RunEntry, ...]:
    """The archive's runs that can tell a live run's noise; its damaged lines are no runs."""
    if run.key[2] != "live" or not archive.exists():
        return ()
    stored = (line.entry for line in read_archive(archive) if isinstance(line, StoredRun))
    return tuple(same_experiment(run, stored))


def find_run(history: History, head_sha: str | None, report: Report | None) -> RunEntry | None:
    """The newest run, of the head commit and of the report's provider where they are known.

    A run of another commit never stands in for a missing one.
    """
    for stored in history.runs:
        entry = stored.entry
        if head_sha is not None and entry.sha != head_sha:
            continue
        if report is not None and entry.provider != report.provider:
            continue
        return entry
    return None


def render_comment(data: CommentInput, suite: Suite, templates: Path | None) -> tuple[str, Section]:
    """The whole comment's body with one section, and that section."""
    section = render_section(
        template_environment(templates), suite.name, data, room_beside(None, suite.name)
    )
    return splice(COMMENT_MARKER + "\n", section, data.head_sha or section.sha), section


def run_render_comment(request: RenderRequest, out: Path, suite: Suite, console: Console) -> int:
    """Write the comment to `out`; 0, whatever the verdict in it."""
    report = load_report(request.latest) if request.latest else None
    history = load_history(request.published, suite.name)
    run = find_run(history, request.head_sha, report)
    archive = suite.history_files(request.published).archive
    data = CommentInput(
        words=suite.words,
        run=run,
        head_sha=request.head_sha,
        report=report,
        base_report=load_report(request.base_latest) if request.base_latest else None,
        policy=load_policy_result(request.policy) if request.policy else None,
        server_url=server_url(console.env),
        trend=entries_of(history),
        archived=read_archived(archive, run) if run else (),
    )
    body, section = render_comment(data, suite, request.templates)
    write_atomic(out, body)
    console.say(f"comment: {out} ({section.status}, {len(body):,} characters)")
    console.add_summary(section.text)
    console.set_outputs({"status": section.status, "comment": str(out)})
    return 0
