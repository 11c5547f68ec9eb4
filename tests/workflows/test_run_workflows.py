"""Our workflows, run for real on real payloads: what stands on GitHub when they are done."""

from pathlib import Path
from typing import Any

from tests.github_server.scenario import (
    create_token,
    create_workflow_run,
    open_pull_request,
    read_file,
)
from tests.github_server.state import Issue, PullRequest, Repository, WorkflowRun
from tests.support.github_place import ARCHIVE, DATA, DATA_BRANCH, ROOT, WORKFLOW, GitHubPlace
from tests.workflows import events
from tests.workflows.act import ActRun, run_workflow

WORKFLOWS = ROOT / ".github" / "workflows"
EVALUATION = WORKFLOWS / "extraction-eval.yml"
FORK_COMMENT = WORKFLOWS / "extraction-pr-comment.yml"
PUBLISHING = WORKFLOWS / "publish-extraction-benchmark-data.yml"
PROMPT = "bot/extraction/prompt_v2.py"


def workflow_run(place: GitHubPlace, **fields: Any) -> WorkflowRun:
    """A run of the evaluation, as the test GitHub knows it; it goes on until it is completed."""
    known: dict[str, Any] = {"workflow_name": "extraction-eval", "workflow_path": WORKFLOW}
    return create_workflow_run(place.server, place.repo, status="in_progress", **known, **fields)


def pull_of(place: GitHubPlace, issue: Issue) -> tuple[PullRequest, Repository]:
    """A pull request whose merge commit is made, and the repository of its head."""
    place.api(token=create_token(place.server, repository=place.repo)).pull(issue.number)
    assert issue.pull is not None
    return issue.pull, place.server.state.repositories[issue.pull.head_repository.lower()]


def run_of_pull(place: GitHubPlace, issue: Issue) -> WorkflowRun:
    pull, head = pull_of(place, issue)
    return workflow_run(
        place,
        head_sha=pull.head_sha,
        head_branch=pull.head_ref,
        head_repository=head,
        event="pull_request",
    )


def complete(run: WorkflowRun, done: ActRun) -> None:
    run.status, run.conclusion = "completed", "success" if done.code == 0 else "failure"


def comment_bodies(place: GitHubPlace) -> list[str]:
    return [comment.body for comment in place.repo.comments.values()]


def test_a_pull_request_is_evaluated_and_commented(project: GitHubPlace, tmp_path: Path) -> None:
    issue = open_pull_request(project.server, project.repo, files={"README.md": "# Better\n"})
    run = run_of_pull(project, issue)
    pull, _ = pull_of(project, issue)
    payload = events.pull_request(project, issue)
    jobs = ["evaluate", "comment"]
    done = run_workflow(tmp_path, project, EVALUATION, "pull_request", payload, run, jobs=jobs)
    assert done.code == 0, done.log
    merged, base = done.checkouts
    assert merged[0] == f"refs/pull/{issue.number}/merge"
    assert base == (pull.base_sha, pull.base_sha)
    (body,) = comment_bodies(project)
    assert "PASS" in body
    assert run.head_sha[:7] in body
    assert project.token.value not in done.log


def test_a_changed_prompt_fails_the_job_and_the_comment_says_why(
    project: GitHubPlace, tmp_path: Path
) -> None:
    prompt = (ROOT / PROMPT).read_text().replace("memories", "memory items")
    issue = open_pull_request(project.server, project.repo, files={PROMPT: prompt})
    run = run_of_pull(project, issue)
    payload = events.pull_request(project, issue)
    jobs = ["evaluate", "comment"]
    done = run_workflow(tmp_path, project, EVALUATION, "pull_request", payload, run, jobs=jobs)
    assert done.code == 1, done.log
    assert not done.job_passed("evaluate")
    assert done.job_passed("comment")
    (body,) = comment_bodies(project)
    assert "FAIL" in body
    assert "prompt&#95;v2.py" in body


def test_a_forks_pull_request_is_evaluated_without_rights_and_commented_by_the_base(
    project: GitHubPlace, tmp_path: Path
) -> None:
    files = {"README.md": "# Mallory\n", "bot/policy/oracle.py": "raise SystemExit('run!')\n"}
    issue = open_pull_request(project.server, project.repo, head="mallory:feature", files=files)
    run = run_of_pull(project, issue)
    pull, _ = pull_of(project, issue)
    payload = events.pull_request(project, issue)
    done = run_workflow(
        tmp_path / "eval", project, EVALUATION, "pull_request", payload, run, jobs=["evaluate"]
    )
    assert [ref for ref, _ in done.checkouts] == [f"refs/pull/{issue.number}/merge"]
    assert "run!" in done.log  # the fork's code ran in the job without rights
    assert comment_bodies(project) == []
    complete(run, done)

    payload = events.workflow_run(project, run)
    done = run_workflow(
        tmp_path / "comment", project, FORK_COMMENT, "workflow_run", payload, run, jobs=["comment"]
    )
    assert done.code == 0, done.log
    assert "run!" not in done.log
    assert done.checkouts == [("HEAD", project.git("rev-parse", "main").strip())]
    (body,) = comment_bodies(project)
    assert pull.head_sha[:7] in body
    assert "no result" in body.lower()
    assert {one.sha for one in project.repo.statuses} == {pull.head_sha}


def test_a_forks_good_run_is_commented_with_its_scores(
    project: GitHubPlace, tmp_path: Path
) -> None:
    issue = open_pull_request(
        project.server, project.repo, head="mallory:feature", files={"README.md": "# Better\n"}
    )
    run = run_of_pull(project, issue)
    payload = events.pull_request(project, issue)
    done = run_workflow(
        tmp_path / "eval", project, EVALUATION, "pull_request", payload, run, jobs=["evaluate"]
    )
    assert done.code == 0, done.log
    complete(run, done)
    payload = events.workflow_run(project, run)
    done = run_workflow(
        tmp_path / "comment", project, FORK_COMMENT, "workflow_run", payload, run, jobs=["comment"]
    )
    assert done.code == 0, done.log
    (body,) = comment_bodies(project)
    assert "PASS" in body
    assert "fork's own workflow run" in body
    assert [one.state for one in project.repo.statuses] == ["success", "success"]


def test_a_merge_to_main_is_evaluated_announced_and_published(
    project: GitHubPlace, tmp_path: Path
) -> None:
    run = workflow_run(project, head_branch="main", event="push")
    payload = events.push(project, run.head_sha)
    done = run_workflow(
        tmp_path / "eval",
        project,
        EVALUATION,
        "push",
        payload,
        run,
        jobs=["evaluate", "notify"],
        env={"GITHUB_SHA": run.head_sha},
    )
    assert done.code == 0, done.log
    (sent,) = project.repo.dispatches
    claims = {"run_id": run.id, "head_sha": run.head_sha, "run_number": run.run_number}
    assert sent.client_payload == claims
    complete(run, done)

    payload = events.repository_dispatch(project, sent.client_payload)
    other = workflow_run(project, head_branch="main", event="repository_dispatch")
    done = run_workflow(
        tmp_path / "publish",
        project,
        PUBLISHING,
        "repository_dispatch",
        payload,
        other,
        jobs=["publish"],
    )
    assert done.code == 0, done.log
    assert project.published() == [run.run_number]
    changed = project.git("diff", "--name-only", "main", DATA_BRANCH).split()
    assert {DATA, ARCHIVE} <= set(changed)
    assert all(name.startswith("web_data/") for name in changed)
    assert project.git("rev-list", "--count", f"main..{DATA_BRANCH}").strip() == "1"
    (pull,) = project.repo.pulls
    assert (pull.head_ref, pull.base_ref) == (DATA_BRANCH, "main")


def test_publishing_by_hand_only_says_what_it_would_write(
    project: GitHubPlace, tmp_path: Path
) -> None:
    run = workflow_run(project, head_branch="main", event="push")
    payload = events.push(project, run.head_sha)
    done = run_workflow(
        tmp_path / "eval",
        project,
        EVALUATION,
        "push",
        payload,
        run,
        jobs=["evaluate", "notify"],
        env={"GITHUB_SHA": run.head_sha},
    )
    complete(run, done)
    payload = events.workflow_dispatch(project, {"run_id": str(run.id), "dry_run": "true"})
    other = workflow_run(project, head_branch="main", event="workflow_dispatch")
    done = run_workflow(
        tmp_path / "publish",
        project,
        PUBLISHING,
        "workflow_dispatch",
        payload,
        other,
        jobs=["publish"],
    )
    assert done.code == 0, done.log
    assert DATA in done.log
    assert read_file(project.repo, DATA, DATA_BRANCH) is None
    assert project.repo.pulls == []


def test_the_weekly_run_without_a_key_replays_the_cassettes_and_says_so(
    project: GitHubPlace, tmp_path: Path
) -> None:
    run = workflow_run(project, head_branch="main", event="schedule")
    payload = events.schedule(project)
    done = run_workflow(
        tmp_path,
        project,
        EVALUATION,
        "schedule",
        payload,
        run,
        jobs=["full", "notify"],
        env={"GITHUB_SHA": run.head_sha},
    )
    assert done.code == 0, done.log
    assert "OPENAI_API_KEY" in done.log
    assert done.job_passed("full")
    assert [sent.client_payload["run_id"] for sent in project.repo.dispatches] == [run.id]
