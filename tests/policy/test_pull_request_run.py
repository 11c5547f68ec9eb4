"""Which pull request a run speaks for; the rest is tested through `comment-from-run`."""

from bot.policy.dispatch import RunFacts
from bot.policy.pull_request_run import PullFacts, find_pull_request

RUN = RunFacts(
    repository="octo-org/memory",
    head_repository="Octo-Org/memory",
    workflow_path=".github/workflows/extraction-eval.yml",
    workflow_name="extraction-eval",
    head_branch="feature",
    event="pull_request",
    head_sha="a" * 40,
    run_number=7,
    is_completed=True,
    conclusion="success",
)


def test_a_second_fork_of_the_same_owner_is_another_head() -> None:
    pulls = [
        PullFacts(1, "a" * 40, "octo-org/memory-2"),
        PullFacts(2, "a" * 40, "octo-org/memory"),
        PullFacts(3, "a" * 40, None),
    ]
    found, verdict = find_pull_request(RUN, pulls)
    assert (found, verdict.status) == (pulls[1], "pass")
    found, verdict = find_pull_request(RUN, [pulls[0]])
    assert (found, verdict.status) == (None, "fail")
