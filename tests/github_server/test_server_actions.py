"""Workflow runs, artifacts, statuses and check runs on the test GitHub."""

from __future__ import annotations

import io
import urllib.error
import urllib.request
import zipfile
from typing import Any
from urllib.parse import urlsplit

import pytest
from github import GithubException
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient, pygithub
from tests.github_server.scenario import (
    WORKFLOW_PATH,
    create_token,
    create_workflow_run,
    fork_repository,
    open_pull_request,
    zip_of,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Artifact, Repository

REPO = "/repos/octo-org/memory"
ARTIFACT_NAME = "extraction-quality-benchmark-data"


@pytest.fixture
def artifact(github_server: GitHubServer, repo: Repository) -> Artifact:
    zipped = zip_of({"latest.json": "{}"})
    create_workflow_run(github_server, repo, artifacts={ARTIFACT_NAME: zipped, "logs": zipped})
    return next(iter(repo.artifacts.values()))


def test_a_run_tells_repository_workflow_commit_and_outcome(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    made = create_workflow_run(github_server, repo, conclusion="failure", run_number=41)
    run = remote.get_workflow_run(made.id)
    assert (run.head_sha, run.head_branch) == (repo.git.read_ref("refs/heads/main"), "main")
    assert (run.status, run.conclusion, run.event) == ("completed", "failure", "push")
    assert (run.run_number, run.name, run.path) == (41, "Extraction benchmark", WORKFLOW_PATH)
    assert run.head_repository.full_name == run.repository.full_name == "octo-org/memory"
    assert remote.get_workflow(run.workflow_id).path == WORKFLOW_PATH
    assert remote.get_workflow("extraction-benchmark.yml").id == run.workflow_id


def test_a_forks_run_names_the_fork_and_no_pull_request(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    issue = open_pull_request(github_server, repo, head="mallory:main", files={"x": "x"})
    fork = github_server.state.repository("mallory/memory")
    made = create_workflow_run(github_server, repo, head_repository=fork, event="pull_request")
    run = remote.get_workflow_run(made.id)
    assert issue.pull is not None
    assert (run.head_branch, run.head_sha) == ("main", issue.pull.head_sha)
    assert run.head_repository.full_name == "mallory/memory"
    assert run.pull_requests == []


def test_a_run_of_the_same_repository_names_its_pull_request(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="feature")
    made = create_workflow_run(
        github_server, repo, head_branch="feature", event="pull_request", status="in_progress"
    )
    run = remote.get_workflow_run(made.id)
    assert run.conclusion is None
    assert [pull.number for pull in run.pull_requests] == [1]


def test_runs_are_filtered_by_sha_branch_and_event(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    fork_repository(github_server, repo, "mallory")
    one = create_workflow_run(github_server, repo)
    two = create_workflow_run(github_server, repo, event="schedule", head_sha="a" * 40)
    assert [run.id for run in remote.get_workflow_runs()] == [two.id, one.id]
    assert [run.id for run in remote.get_workflow_runs(head_sha="a" * 40)] == [two.id]
    main = remote.get_branch("main")
    assert [run.id for run in remote.get_workflow_runs(event="push", branch=main)] == [one.id]
    assert (one.run_number, two.run_number) == (1, 2)


def test_artifacts_are_listed_by_name(
    artifact: Artifact, remote: PyRepository, plain: PlainClient
) -> None:
    run = remote.get_workflow_run(artifact.run_id)
    assert [one.name for one in run.get_artifacts()] == ["logs", ARTIFACT_NAME]
    path = f"{REPO}/actions/runs/{run.id}/artifacts?name={ARTIFACT_NAME}"
    listed = plain.ask("GET", path).json
    assert (listed["total_count"], listed["artifacts"][0]["id"]) == (1, artifact.id)
    assert remote.get_artifact(artifact.id).size_in_bytes == len(artifact.data)


def test_the_zip_is_behind_a_redirect_to_another_host(
    github_server: GitHubServer, artifact: Artifact, plain: PlainClient
) -> None:
    reply = plain.ask("GET", f"{REPO}/actions/artifacts/{artifact.id}/zip")
    location = reply.headers["location"]
    assert reply.status == 302
    assert urlsplit(location).hostname != urlsplit(github_server.url).hostname
    with urllib.request.urlopen(location) as answer:
        archive = zipfile.ZipFile(io.BytesIO(answer.read()))
    assert archive.read("latest.json") == b"{}"
    assert len(github_server.storage_requests) == 1


def test_the_storage_refuses_a_request_that_still_carries_the_token(
    github_server: GitHubServer, artifact: Artifact, plain: PlainClient
) -> None:
    reply = plain.ask("GET", f"{REPO}/actions/artifacts/{artifact.id}/zip")
    parts = urlsplit(reply.headers["location"])
    storage = PlainClient(github_server.storage_url, plain.token)
    assert storage.ask("GET", f"{parts.path}?{parts.query}").status == 400
    storage.close()
    # urllib keeps the header on a redirect to another host: the trap that this answer is for.
    request = urllib.request.Request(
        f"{github_server.url}{REPO}/actions/artifacts/{artifact.id}/zip",
        headers={"Authorization": f"Bearer {plain.token}"},
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 400
    refused.value.close()


def test_a_signed_address_is_good_for_its_path_and_a_minute_only(
    github_server: GitHubServer, artifact: Artifact, plain: PlainClient
) -> None:
    reply = plain.ask("GET", f"{REPO}/actions/artifacts/{artifact.id}/zip")
    parts = urlsplit(reply.headers["location"])
    storage = PlainClient(github_server.storage_url)
    assert storage.ask("GET", f"{parts.path}x?{parts.query}").status == 403
    assert storage.ask("GET", parts.path).status == 403
    github_server.state.clock_skew_seconds = 61
    assert storage.ask("GET", f"{parts.path}?{parts.query}").status == 403
    storage.close()


def test_an_expired_artifact_is_410(artifact: Artifact, plain: PlainClient) -> None:
    artifact.is_expired = True
    assert plain.ask("GET", f"{REPO}/actions/artifacts/{artifact.id}/zip").status == 410


def test_the_newest_status_of_each_context_counts(repo: Repository, remote: PyRepository) -> None:
    commit = remote.get_branch("main").commit
    commit.create_status("pending", "https://example.org/1", "running", "gate")
    commit.create_status("success", "https://example.org/1", "passed", "gate")
    commit.create_status("failure", description="no", context="policy")
    assert [one.state for one in commit.get_statuses()] == ["failure", "success", "pending"]
    combined = commit.get_combined_status()
    assert (combined.state, combined.total_count) == ("failure", 2)
    assert repo.statuses[0].creator.login == "github-actions[bot]"


def test_a_status_with_a_long_description_or_unknown_commit_is_422(
    repo: Repository, plain: PlainClient
) -> None:
    sha = repo.git.read_ref("refs/heads/main")
    body = {"state": "success", "description": "x" * 141}
    assert plain.ask("POST", f"{REPO}/statuses/{sha}", body).status == 422
    assert plain.ask("POST", f"{REPO}/statuses/{'1' * 40}", {"state": "success"}).status == 422


def test_a_check_run_is_created_completed_and_listed_with_all_annotations(
    repo: Repository, remote: PyRepository
) -> None:
    sha = str(repo.git.read_ref("refs/heads/main"))
    note = {
        "path": "a.txt",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "failure",
        "message": "dropped",
    }
    output: dict[str, Any] = {"title": "Gate", "summary": "3 points", "annotations": [note] * 50}
    check = remote.create_check_run("gate", sha, status="in_progress", output=output)
    output["annotations"] = [note]
    check.edit(conclusion="failure", output=output)
    found = next(iter(remote.get_commit(sha).get_check_runs()))
    assert (found.status, found.conclusion) == ("completed", "failure")
    assert found.output.annotations_count == 51
    assert found.app.slug == "github-actions"


def test_more_than_fifty_annotations_at_once_are_422(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    note = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice"}
    annotations = [{**note, "message": str(number)} for number in range(51)]
    output = {"title": "t", "summary": "s", "annotations": annotations}
    sha = repo.git.read_ref("refs/heads/main")
    body = {"name": "gate", "head_sha": sha, "output": output}
    assert plain.ask("POST", f"{REPO}/check-runs", body).status == 422
    assert repo.check_runs == {}
    assert "output/annotations" in github_server.contract_violations.pop()


def test_only_the_latest_check_run_of_a_name_is_listed_unless_all_are_asked_for(
    repo: Repository, remote: PyRepository
) -> None:
    sha = str(repo.git.read_ref("refs/heads/main"))
    for _ in range(2):
        remote.create_check_run("gate", sha, conclusion="success", status="completed")
    commit = remote.get_commit(sha)
    assert commit.get_check_runs().totalCount == 1
    assert commit.get_check_runs(filter="all").totalCount == 2


def test_a_personal_token_cannot_make_check_runs(
    github_server: GitHubServer, repo: Repository
) -> None:
    token = create_token(github_server, "personal")
    with pygithub(github_server, token) as client:
        remote = client.get_repo(repo.full_name)
        with pytest.raises(GithubException) as refused:
            remote.create_check_run("gate", str(repo.git.read_ref("refs/heads/main")))
    assert refused.value.status == 403
