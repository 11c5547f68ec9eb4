"""Does a dispatch speak the truth? (CONTRACTS section 9): facts in, a verdict out.

Whoever may write to the repository can send a dispatch: its payload proves nothing. Each claim is
checked, one by one, against the workflow run that GitHub knows under that id.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from bot.verdict import Verdict

EVENTS: Final = ("push", "schedule", "workflow_dispatch")
CONCLUSIONS: Final = ("success", "failure")

MISMATCH = "{claim}: got {got}, expected {expected}"
HOLDS = "every claim of the dispatch holds"


@dataclass(frozen=True, slots=True)
class DispatchClaims:
    """What the payload says; None where a person, by hand, only named the run."""

    run_id: int
    head_sha: str | None
    run_number: int | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What GitHub says of the run; `conclusion` is None until it is completed."""

    repository: str
    head_repository: str | None
    workflow_path: str
    workflow_name: str
    head_branch: str
    event: str
    head_sha: str
    run_number: int
    is_completed: bool
    conclusion: str | None


@dataclass(frozen=True, slots=True)
class Expected:
    """What the run must be; `repository` is OWNER/NAME."""

    repository: str
    workflow_path: str
    workflow_name: str
    default_branch: str


def _one_of(values: tuple[str, ...]) -> str:
    return " or ".join(values)


def _mismatches(run: RunFacts, claims: DispatchClaims, expected: Expected) -> Iterator[str]:
    equal = (
        ("repository", run.repository.lower(), expected.repository.lower()),
        ("head repository", str(run.head_repository).lower(), expected.repository.lower()),
        ("workflow path", run.workflow_path, expected.workflow_path),
        ("workflow name", run.workflow_name, expected.workflow_name),
        ("branch", run.head_branch, expected.default_branch),
        ("head sha", run.head_sha, claims.head_sha or run.head_sha),
        ("run number", str(run.run_number), str(claims.run_number or run.run_number)),
    )
    for claim, got, wanted in equal:
        if got != wanted:
            yield MISMATCH.format(claim=claim, got=got, expected=wanted)
    if run.event not in EVENTS:
        yield MISMATCH.format(claim="event", got=run.event, expected=_one_of(EVENTS))
    if run.is_completed and run.conclusion not in CONCLUSIONS:
        yield MISMATCH.format(claim="conclusion", got=run.conclusion, expected=_one_of(CONCLUSIONS))


def judge_dispatch(run: RunFacts, claims: DispatchClaims, expected: Expected) -> Verdict:
    """Pass when every claim holds; that the run is completed is the caller's to wait for."""
    reasons = tuple(_mismatches(run, claims, expected))
    return Verdict("fail", reasons) if reasons else Verdict("pass", (HOLDS,))


@dataclass(frozen=True, slots=True)
class PublishedFacts:
    """The newest run in the artifact, to be compared with the workflow run."""

    sha: str
    run_number: int
    run_url: str
    status: str


def judge_artifact(found: PublishedFacts, run: RunFacts, run_url: str) -> Verdict:
    """The artifact's newest run must be the workflow run's, and a failed run must say so."""
    equal = (
        ("the artifact's sha", found.sha, run.head_sha),
        ("the artifact's run number", str(found.run_number), str(run.run_number)),
        ("the artifact's run address", found.run_url, run_url),
    )
    reasons = [
        MISMATCH.format(claim=claim, got=got, expected=wanted)
        for claim, got, wanted in equal
        if got != wanted
    ]
    if run.conclusion == "failure" and found.status != "fail":
        reasons.append(
            MISMATCH.format(
                claim="the artifact's status", got=found.status, expected="fail, as the run failed"
            )
        )
    return Verdict("fail", tuple(reasons)) if reasons else Verdict("pass", (HOLDS,))
