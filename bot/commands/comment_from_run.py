"""`comment-from-run`: the comment on a pull request, from a job that may write.

Nothing of the pull request is checked out or run. Its artifact is data, and hostile: of it only the
report is read. The pull request is found from the run's head, the gate is judged anew against the
base's baseline, the policy anew from the base's rules and GitHub's list of changed files. An
artifact that cannot be used gives "no result", so that a fork cannot keep the policy's verdict away
with one.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bot.commands.download_run import download_run_files
from bot.commands.judge import judge_scores
from bot.commands.post_comment import MayNotComment, Posting, post_section
from bot.commands.pull_request_policy import judge_pull_policy
from bot.commands.render_comment import read_trend, render_comment
from bot.commands.verify_dispatch import run_facts
from bot.comment.view import CommentInput
from bot.console import Console
from bot.environment import server_url
from bot.errors import BadInput, RuleSaysNo, one_line
from bot.evaluation.report import Report, parse_report
from bot.files import decode, parse_json
from bot.gate.baseline import Baseline, load_baseline
from bot.gate.regression import GateResult
from bot.github.interface import CommitState, GitHub, GitHubRefused, WorkflowRun
from bot.history.entry import build_run_entry
from bot.history.identity import RunIdentity
from bot.history.model import RunEntry
from bot.policy.pull_request_run import PullFacts, find_pull_request, judge_pull_request_run
from bot.settings import Settings
from bot.suites import Suite
from bot.verdict import Verdict

MAX_STATUS_CHARS: Final = 140
FORK_NOTE: Final = (
    "Computed by the fork's own workflow run, which runs the fork's code: read the change before "
    "you trust the number."
)
UNUSABLE: Final = "The run's artifact cannot be used: {error}"


def run_of_event(event: Mapping[str, Any], own_run: str | None) -> int:
    """The run that a `workflow_run` event is about; on any other event our own.

    Raises BadInput when there is none.
    """
    found = event.get("workflow_run")
    run_id = found.get("id") if isinstance(found, dict) else None
    if found is None and own_run and own_run.isascii() and own_run.isdigit():
        run_id = int(own_run)
    if not isinstance(run_id, int) or isinstance(run_id, bool) or run_id < 1:
        raise BadInput("neither --run-id nor a workflow_run event", where="comment-from-run")
    return run_id


@dataclass(frozen=True, slots=True)
class CommentFromRun:
    """`baseline` and `published` are the base's files, which lie in this job's checkout.

    `is_own_run` when this job is one of the run's own, which therefore is not completed yet.
    """

    run_id: int
    baseline: Path
    published: Path | None = None
    is_own_run: bool = False
    set_status: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Result:
    """What the fork's report says, judged here."""

    report: Report
    gate: GateResult
    entry: RunEntry


def _result(
    github: GitHub,
    run: WorkflowRun,
    baseline: Baseline,
    path: Path,
    suite: Suite,
    settings: Settings,
) -> _Result | None:
    """None when the evaluation left no report; raises BadInput for one that cannot be used."""
    files = download_run_files(github, run.id, suite) or {}
    report = _report(files, suite)
    if report is None:
        return None
    gate = judge_scores(report.scores, baseline, path, suite)
    identity = RunIdentity(run.head_sha, run.head_branch, run.run_number, run.url)
    entry = build_run_entry(report, gate, baseline, identity, settings.stale_after_days)
    return _Result(report, gate, entry)


def _report(files: Mapping[str, bytes], suite: Suite) -> Report | None:
    data = files.get("latest.json")
    if data is None:
        return None
    where = "artifact latest.json"
    report = parse_report(parse_json(decode(data, where), where, allow_nan=True), where)
    if report.benchmark != suite.name:
        raise BadInput(f"is a report of {report.benchmark!r}, not {suite.name!r}", where=where)
    return report


def _find_pull(
    github: GitHub, run: WorkflowRun, settings: Settings, *, is_own: bool
) -> tuple[PullFacts | None, Verdict]:
    facts = run_facts(run)
    workflow = (settings.workflow_path, settings.workflow_name)
    verdict = judge_pull_request_run(facts, github.repository, workflow, is_own=is_own)
    if not verdict.ok:
        return None, verdict
    owner = str(run.head_repository).partition("/")[0]
    pulls = github.pulls(f"{owner}:{run.head_branch}")
    return find_pull_request(
        facts, [PullFacts(p.number, p.head_sha, p.head_repository) for p in pulls]
    )


def _set_statuses(
    github: GitHub, sha: str, url: str, verdicts: dict[str, Verdict], console: Console
) -> None:
    try:
        for name, verdict in verdicts.items():
            state: CommitState = "success" if verdict.ok else "failure"
            first = verdict.reasons[0] if verdict.reasons else verdict.status
            github.set_status(sha, state, name, one_line(first, MAX_STATUS_CHARS), url)
    except GitHubRefused as error:
        console.warn(f"no status could be set: {error}")


def run_comment_from_run(
    request: CommentFromRun,
    suite: Suite,
    settings: Settings,
    github: GitHub,
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """0 when the comment stands, whatever the verdict in it: that is the evaluation's exit code,
    and with `set_status` the head's statuses. 1 when the run may not speak for a pull request, or
    no longer. An artifact that cannot be used becomes "no result".

    Raises BadInput for a base without a baseline; Unreachable when GitHub does not answer, and when
    it does not let us comment, but for our own run: its verdict is in its own exit code.
    """
    run = _workflow_run(github, request.run_id)
    pull, verdict = _find_pull(github, run, settings, is_own=request.is_own_run)
    console.tell("run", verdict)
    if pull is None:
        return verdict.exit_code
    baseline = load_baseline(request.baseline)
    is_fork = str(run.head_repository).lower() != github.repository.lower()
    note = FORK_NOTE if is_fork else ""
    policy = judge_pull_policy(github, pull.number, pull.head_sha, suite, settings)
    empty = CommentInput(
        words=suite.words,
        run=None,
        head_sha=run.head_sha,
        policy=policy,
        server_url=server_url(console.env),
        note=note,
        trend=read_trend(request.published, suite, console) if request.published else (),
    )
    try:
        result = _result(github, run, baseline, request.baseline, suite, settings)
        data = replace(empty, run=result.entry, report=result.report) if result else empty
        render_comment(data, suite, settings.templates)  # what cannot be shown cannot be used
    except BadInput as error:
        console.warn(str(error))
        result, data = None, replace(empty, note=UNUSABLE.format(error=error))
    if request.set_status and not request.dry_run:
        verdicts = {f"{suite.title}: oracle policy": policy.verdict}
        if result is not None:
            verdicts[f"{suite.title}: gate"] = result.gate.verdict
        _set_statuses(github, run.head_sha, run.url, verdicts, console)
    posting = Posting(
        pr_number=pull.number,
        sha=run.head_sha,
        head_sha=pull.head_sha,
        templates=settings.templates,
        dry_run=request.dry_run,
        run_number=run.run_number,
    )
    try:
        post_section(posting, data, suite, github, console, sleep)
    except MayNotComment as error:
        if not request.is_own_run:
            raise
        console.warn(str(error))
    return 0


def _workflow_run(github: GitHub, run_id: int) -> WorkflowRun:
    try:
        return github.workflow_run(run_id)
    except GitHubRefused as error:
        if error.status != 404:
            raise
        raise RuleSaysNo(
            f"there is no workflow run {run_id} in {github.repository}", where="--run-id"
        ) from error
