"""`set-status`: one commit status or check run for the gate, one for the policy, on the head."""

from dataclasses import dataclass
from pathlib import Path

from bot.commands.render_comment import load_policy_result
from bot.console import Console
from bot.errors import BadInput
from bot.gate.result_file import load_gate_result
from bot.github.interface import Annotation, CheckReport, CommitState, GitHub
from bot.policy.oracle import PolicyResult
from bot.suites import Suite
from bot.verdict import Verdict


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


def _annotations(paths: tuple[str, ...], verdict: Verdict) -> tuple[Annotation, ...]:
    if verdict.ok:
        return ()
    return tuple(
        Annotation(path, 1, "failure", reason) for path in paths for reason in verdict.reasons
    )


def _set(
    github: GitHub,
    request: StatusRequest,
    name: str,
    verdict: Verdict,
    annotations: tuple[Annotation, ...],
) -> None:
    title = verdict.reasons[0] if verdict.reasons else verdict.status
    if request.as_check:
        report = CheckReport(
            name=name,
            conclusion="success" if verdict.ok else "failure",
            title=title,
            summary="\n".join(f"    {reason}" for reason in verdict.reasons),
            details_url=request.run_url,
            annotations=annotations,
        )
        github.create_check(request.sha, report)
    else:
        state: CommitState = "success" if verdict.ok else "failure"
        github.set_status(request.sha, state, name, title, request.run_url)


def run_set_status(request: StatusRequest, suite: Suite, github: GitHub, console: Console) -> int:
    """0 when it is set, whatever the verdicts: they are the gate's and the policy's to exit by.

    Raises BadInput when neither a gate nor a policy result is given.
    """
    if request.gate is None and request.policy is None:
        raise BadInput("neither --gate nor --policy is given", where="set-status")
    if request.gate is not None:
        gate = load_gate_result(request.gate).verdict
        annotations = _annotations((request.baseline_path,), gate)
        _set(github, request, f"{suite.title}: gate", gate, annotations)
        console.say(f"gate on {request.sha}: {gate.status}")
    if request.policy is not None:
        policy: PolicyResult = load_policy_result(request.policy)
        annotations = _annotations(policy.contract_changes, policy.verdict)
        _set(github, request, f"{suite.title}: oracle policy", policy.verdict, annotations)
        console.say(f"policy on {request.sha}: {policy.status}")
    return 0
