"""`set-status`: one commit status or check run for the gate, one for the policy, on the head."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.commands.render_comment import load_policy_result
from bot.console import Console
from bot.errors import BadInput, one_line
from bot.gate.result_file import load_gate_result
from bot.github.interface import Annotation, CheckReport, CommitState, GitHub, GitHubRefused
from bot.suites import Suite
from bot.verdict import Verdict

_MAY_NOT_WRITE: Final = 403
MAX_REASON_CHARS: Final = 600
MAX_REASONS: Final = 100
"""GitHub bounds a check run's summary at 65,535 characters."""


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """`sha` is the head commit: on a merge commit nobody sees a status. Paths: None where absent.

    `baseline_path` is where the gate's annotations point, relative to the repository's root.
    """

    sha: str
    gate: Path | None
    policy: Path | None
    baseline_path: str
    run_url: str | None
    as_check: bool = False


@dataclass(frozen=True, slots=True)
class _Status:
    """A verdict, what it is called, and the files that a reader must look at."""

    name: str
    verdict: Verdict
    paths: tuple[str, ...]


def in_repository(path: Path, root: Path) -> str:
    """Where a file lies, relative to `root`; its bare name when it is outside."""
    whole = root / path
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else path.name


def _read(request: StatusRequest, suite: Suite) -> list[_Status]:
    """Both files, before anything is written; raises BadInput."""
    found = []
    if request.gate is not None:
        gate = load_gate_result(request.gate).verdict
        found.append(_Status(f"{suite.title}: gate", gate, (request.baseline_path,)))
    if request.policy is not None:
        policy = load_policy_result(request.policy)
        name = f"{suite.title}: oracle policy"
        found.append(_Status(name, policy.verdict, policy.contract_changes))
    if not found:
        raise BadInput("neither --gate nor --policy is given", where="set-status")
    return found


def _set(github: GitHub, request: StatusRequest, status: _Status) -> None:
    verdict = status.verdict
    reasons = [one_line(reason, MAX_REASON_CHARS) for reason in verdict.reasons]
    title = reasons[0] if reasons else verdict.status
    if not request.as_check:
        state: CommitState = "success" if verdict.ok else "failure"
        github.set_status(request.sha, state, status.name, title, request.run_url)
        return
    report = CheckReport(
        name=status.name,
        conclusion="success" if verdict.ok else "failure",
        title=title,
        summary="\n".join(f"    {reason}" for reason in reasons[:MAX_REASONS]) or verdict.status,
        details_url=request.run_url,
        annotations=()
        if verdict.ok
        else tuple(
            Annotation(path, 1, "failure", reason) for path in status.paths for reason in reasons
        ),
    )
    github.create_check(request.sha, report)


def run_set_status(request: StatusRequest, suite: Suite, github: GitHub, console: Console) -> int:
    """Set the statuses, or with `as_check` check runs with annotations.

    Each has the verdict's first reason as description and the run as target. A failed gate is
    annotated at the baseline file, a failed policy at each changed contract file, on line 1.

    Returns 0 when they are set, whatever the verdicts: they are the gate's and the policy's to exit
    by. Where we may not write (a fork's token) nothing else carries them: it warns, and returns 1
    when a verdict is a fail. Raises BadInput, with nothing written, when neither a gate nor a
    policy result is given or one cannot be read.
    """
    statuses = _read(request, suite)
    try:
        for status in statuses:
            _set(github, request, status)
            console.say(f"{status.name} on {request.sha}: {status.verdict.status}")
    except GitHubRefused as error:
        if error.status != _MAY_NOT_WRITE:
            raise
        console.warn(f"no status could be set: {error}")
        return max(status.verdict.exit_code for status in statuses)
    return 0
