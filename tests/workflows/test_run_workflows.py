"""Our workflows, run for real on real payloads: what stands on GitHub when they are done."""

from pathlib import Path

from tests.github_server.scenario import create_token, create_workflow_run, open_pull_request
from tests.github_server.state import Issue, WorkflowRun
from tests.support.github_place import ROOT, GitHubPlace
from tests.workflows import events
from tests.workflows.act import run_workflow

WORKFLOWS = ROOT / ".github" / "workflows"
EVALUATION = ".github/workflows/extraction-eval.yml"


def evaluation_run(place: GitHubPlace, issue: Issue, status: str = "in_progress") -> WorkflowRun:
    place.api(token=create_token(place.server, repository=place.repo)).pull(issue.number)
    pull = issue.pull
    assert pull is not None
    return create_workflow_run(
        place.server,
        place.repo,
        head_sha=pull.head_sha,
        head_branch=pull.head_ref,
        head_repository=place.server.state.repositories[pull.head_repository.lower()],
        event="pull_request",
        status=status,
        workflow_name="extraction-eval",
        workflow_path=EVALUATION,
    )


def comment_bodies(place: GitHubPlace) -> list[str]:
    return [comment.body for comment in place.repo.comments.values()]


def test_a_pull_request_is_evaluated_and_commented(project: GitHubPlace, tmp_path: Path) -> None:
    issue = open_pull_request(project.server, project.repo, files={"README.md": "# Better\n"})
    run = evaluation_run(project, issue)
    assert issue.pull is not None
    done = run_workflow(
        tmp_path,
        project,
        WORKFLOWS / "extraction-eval.yml",
        "pull_request",
        events.pull_request(project, issue),
        run,
        jobs=["evaluate", "comment"],
    )
    assert done.code == 0, done.log
    assert done.checkouts == [
        (f"refs/pull/{issue.number}/merge", done.checkouts[0][1]),
        (issue.pull.base_sha, issue.pull.base_sha),
    ]
    (body,) = comment_bodies(project)
    assert "PASS" in body
    assert run.head_sha[:7] in body
