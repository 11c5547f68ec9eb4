"""`post-extraction-pr-comment`: the sticky comment first, then the verdict's exit code."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.commands.render_comment import RenderRequest, find_run, load_policy_result
from bot.comment.render import render_section, template_environment
from bot.comment.sections import COMMENT_MARKER, Section, merge_bodies, room_beside, splice
from bot.comment.view import CommentInput
from bot.console import Console
from bot.environment import server_url
from bot.evaluation.report import Report, load_report
from bot.github.interface import GitHub, GitHubRefused
from bot.github.sticky_comment import StickyComment, upsert
from bot.history.comparable import entries_of
from bot.history.file import load_history
from bot.suites import Suite

_MAY_NOT_WRITE = (403, 404, 410)
"""No permission (a fork's token) or a locked thread; hidden from us; comments are off."""


@dataclass(frozen=True, slots=True)
class PostRequest:
    """What is posted where.

    `render.head_sha` is the commit that this job evaluated; None takes the pull request's head. A
    job whose commit is no longer the head posts a section that says so.
    """

    render: RenderRequest
    pr_number: int
    dry_run: bool = False


def _report(path: Path | None, console: Console) -> Report | None:
    """A report that is not there is none: a crashed evaluation leaves none, and it must be said."""
    if path is None or path.exists():
        return load_report(path) if path else None
    console.warn(f"{path}: there is no such report, so its cases are not shown")
    return None


def _gather(request: PostRequest, sha: str, suite: Suite, console: Console) -> CommentInput:
    """The section's data: a run, or cases, of another commit never stand in for missing ones."""
    files = request.render
    report = _report(files.latest, console)
    history = load_history(files.published, suite.name)
    run = find_run(history, sha, report)
    return CommentInput(
        words=suite.words,
        run=run,
        head_sha=sha if history.runs else None,
        report=report if run is not None or not history.runs else None,
        base_report=_report(files.base_latest, console),
        policy=load_policy_result(files.policy) if files.policy else None,
        server_url=server_url(console.env),
        trend=entries_of(history),
    )


def run_post_comment(
    request: PostRequest,
    suite: Suite,
    github: GitHub,
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """0, or 1 when the section's verdict is a fail: the comment first, then the code.

    Where we may not comment, the job summary carries the text and the code is the verdict's all the
    same. Raises BadInput for files that cannot be used, Unreachable when GitHub does not answer.
    """
    head_sha = github.pull(request.pr_number).head_sha
    sha = request.render.head_sha or head_sha
    data = _gather(request, sha, suite, console)
    posting = Posting(request.pr_number, sha, head_sha, request.render.templates, request.dry_run)
    try:
        return post_section(posting, data, suite, github, console, sleep)
    except MayNotComment as error:
        console.warn(str(error))
        return error.verdict_code


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a section goes: `sha` is the commit it speaks of, `head_sha` the pull request's.

    `run_number` is that of a section without a result: it, too, replaces an older run's.
    """

    pr_number: int
    sha: str
    head_sha: str
    templates: Path | None
    dry_run: bool = False
    run_number: int = 0


class MayNotComment(GitHubRefused):
    """We may not comment there; `verdict_code` is the exit code of the section's verdict."""

    def __init__(self, refused: GitHubRefused, verdict_code: int) -> None:
        what = f"the comment could not be posted, the job summary has its text: {refused}"
        super().__init__(refused.status, what, where="")
        self.verdict_code = verdict_code


def post_section(
    posting: Posting,
    data: CommentInput,
    suite: Suite,
    github: GitHub,
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Put the section of `data` into the pull request's one comment; its verdict's exit code.

    The job summary has the section first. Raises MayNotComment, Unreachable.
    """
    environment = template_environment(posting.templates)

    def section_for(body: str | None) -> Section:
        section = render_section(environment, suite.name, data, room_beside(body, suite.name))
        number = section.run_number or posting.run_number
        return Section(section.name, posting.sha, number, section.status, section.text)

    sticky = StickyComment(
        marker=COMMENT_MARKER,
        edit=lambda body: splice(body, section_for(body), posting.head_sha),
        merge=lambda body, other: merge_bodies(body, other, posting.head_sha),
    )
    section = section_for(None)
    console.add_summary(section.text)
    console.set_outputs({"status": section.status})
    code = 1 if section.status == "fail" else 0
    if posting.dry_run:
        console.print_raw(sticky.edit(None))
        return code
    try:
        posted = upsert(github, posting.pr_number, sticky, sleep)
    except GitHubRefused as error:
        if error.status in _MAY_NOT_WRITE:
            raise MayNotComment(error, code) from error
        raise
    console.say(f"comment {posted.outcome}: {posted.comment.url} ({section.status})")
    console.set_outputs({"comment-url": posted.comment.url})
    return code
