"""Which pull request does a workflow run speak for? (docs/threat-model.md): facts in, verdict out.

The event's own list of pull requests is empty for a fork, and a branch name proves nothing: the
run must be of the expected workflow, and exactly one open pull request must have its head
repository and its head commit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.policy.dispatch import MISMATCH, RunFacts
from bot.verdict import Verdict

EVENT: Final = "pull_request"
CONCLUSIONS: Final = ("success", "failure")

NOT_COMPLETED = "the run is not completed"
NO_FORK = "the run's head repository is gone"
NO_PULL = "no open pull request comes from {head}"
MOVED_ON = "the pull request's head has moved on to {sha}: its own run will speak for it"
AMBIGUOUS = "pull requests {numbers} have the same head: none of them is commented"
HOLDS = "the run is of pull request {number}"


@dataclass(frozen=True, slots=True)
class PullFacts:
    """An open pull request whose head has the run's branch name."""

    number: int
    head_sha: str
    head_repository: str | None


def judge_pull_request_run(
    run: RunFacts, repository: str, workflow: tuple[str, str], *, is_own: bool
) -> Verdict:
    """Whether the run may speak at all; `workflow` is the expected (path, name).

    A run that we are a job of (`is_own`) is not completed yet.
    """
    reasons = tuple(_mismatches(run, repository, workflow, is_own=is_own))
    return Verdict("fail", reasons) if reasons else Verdict("pass", ())


def _mismatches(
    run: RunFacts, repository: str, workflow: tuple[str, str], *, is_own: bool
) -> Iterator[str]:
    for claim, got, wanted in (
        ("repository", run.repository.lower(), repository.lower()),
        ("workflow path", run.workflow_path, workflow[0]),
        ("workflow name", run.workflow_name, workflow[1]),
        ("event", run.event, EVENT),
    ):
        if got != wanted:
            yield MISMATCH.format(claim=claim, got=got, expected=wanted)
    if run.head_repository is None:
        yield NO_FORK
    if is_own:
        return
    if not run.is_completed:
        yield NOT_COMPLETED
    elif run.conclusion not in CONCLUSIONS:
        wanted = " or ".join(CONCLUSIONS)
        yield MISMATCH.format(claim="conclusion", got=run.conclusion, expected=wanted)


def find_pull_request(
    run: RunFacts, pulls: Sequence[PullFacts]
) -> tuple[PullFacts | None, Verdict]:
    """The one pull request whose head is the run's; None with the reason when there is not one."""
    head = str(run.head_repository).lower()
    ours = [pull for pull in pulls if str(pull.head_repository).lower() == head]
    found = [pull for pull in ours if pull.head_sha == run.head_sha]
    if len(found) == 1:
        return found[0], Verdict("pass", (HOLDS.format(number=found[0].number),))
    if found:
        numbers = ", ".join(f"#{pull.number}" for pull in found)
        return None, Verdict("fail", (AMBIGUOUS.format(numbers=numbers),))
    if ours:
        return None, Verdict("fail", (MOVED_ON.format(sha=ours[0].head_sha[:7]),))
    return None, Verdict("fail", (NO_PULL.format(head=f"{head}:{run.head_branch}"),))
