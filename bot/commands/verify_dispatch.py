"""`verify-dispatch`: the payload's claims against the workflow run that GitHub knows."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.console import Console
from bot.errors import BadInput, RuleSaysNo
from bot.files import decode, parse_json, read_bytes
from bot.github.interface import GitHub, GitHubRefused, WorkflowRun
from bot.github.workflow_runs import Waiting, wait_for_run
from bot.policy.dispatch import DispatchClaims, Expected, RunFacts, judge_dispatch
from bot.settings import Settings
from bot.verdict import Verdict

EVENT_TYPE: Final = "extraction_benchmark_main_complete"
_MAX_NUMBER: Final = 2**63
_SHA: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")

NOT_FOUND = "there is no workflow run {run_id} in {repository}"
NOT_FINISHED = "not finished: run {run_id} is {status} after waiting; send the dispatch again later"


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What a dispatch claims, and the default branch (None asks GitHub)."""

    claims: DispatchClaims
    default_branch: str | None = None


def read_event(path: Path) -> dict[str, Any]:
    """The event file that GitHub Actions writes; raises BadInput for what is none."""
    event = parse_json(decode(read_bytes(path), path), path)
    if not isinstance(event, dict):
        raise BadInput("is no event: not a JSON object", where=path)
    return event


def _whole_number(payload: Mapping[str, Any], name: str) -> int:
    value = payload.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < _MAX_NUMBER:
        raise BadInput(
            f"{name}: should be a whole number (got {str(value)[:40]!r})", where="dispatch"
        )
    return value


def parse_claims(payload: object, *, by_hand: bool = False) -> DispatchClaims:
    """The claims in a `client_payload`; raises BadInput for what is none.

    Whoever starts the publishing by hand may name the run alone.
    """
    if not isinstance(payload, dict):
        raise BadInput("there is no client_payload", where="dispatch")
    if by_hand and not payload.get("head_sha") and not payload.get("run_number"):
        return DispatchClaims(_whole_number(payload, "run_id"), None, None)
    sha = payload.get("head_sha")
    if not isinstance(sha, str) or not _SHA.fullmatch(sha):
        shown = json.dumps(sha)[:60]
        raise BadInput(f"head_sha: should be a full commit hash (got {shown})", where="dispatch")
    return DispatchClaims(
        _whole_number(payload, "run_id"), sha, _whole_number(payload, "run_number")
    )


def run_facts(run: WorkflowRun) -> RunFacts:
    return RunFacts(
        repository=run.repository,
        head_repository=run.head_repository,
        workflow_path=run.path,
        workflow_name=run.name,
        head_branch=run.head_branch,
        event=run.event,
        head_sha=run.head_sha,
        run_number=run.run_number,
        is_completed=run.status == "completed",
        conclusion=run.conclusion,
    )


def verify(
    request: VerifyRequest, settings: Settings, github: GitHub, waiting: Waiting
) -> tuple[WorkflowRun, Verdict]:
    """The run and the verdict; a run that is refused already is not waited for.

    Raises RuleSaysNo when there is no such run.
    """
    claims = request.claims
    expected = Expected(
        repository=github.repository,
        workflow_path=settings.workflow_path,
        workflow_name=settings.workflow_name,
        default_branch=request.default_branch or github.default_branch(),
    )
    try:
        run = github.workflow_run(claims.run_id)
    except GitHubRefused as error:
        if error.status != 404:
            raise
        sentence = NOT_FOUND.format(run_id=claims.run_id, repository=github.repository)
        raise RuleSaysNo(sentence, where="dispatch") from error
    verdict = judge_dispatch(run_facts(run), claims, expected)
    if verdict.ok and run.status != "completed":
        run = wait_for_run(github, claims.run_id, waiting)
        verdict = judge_dispatch(run_facts(run), claims, expected)
    if verdict.ok and run.status != "completed":
        sentence = NOT_FINISHED.format(run_id=claims.run_id, status=run.status)
        verdict = Verdict("fail", (sentence,))
    return run, verdict


def run_verify_dispatch(
    request: VerifyRequest, settings: Settings, github: GitHub, console: Console, waiting: Waiting
) -> int:
    """0 when every claim holds and the run is completed; 1 with the reasons when not."""
    _, verdict = verify(request, settings, github, waiting)
    console.tell("dispatch", verdict)
    return verdict.exit_code
