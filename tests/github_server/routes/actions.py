"""Workflow runs, workflows and artifacts."""

from __future__ import annotations

from tests.github_server import payloads
from tests.github_server.payloads import Json
from tests.github_server.payloads_git import minimal_pull
from tests.github_server.routing import reads, route
from tests.github_server.signed_urls import sign
from tests.github_server.state import Artifact, Repository, WorkflowRun
from tests.github_server.wire import Answer, Call, Refusal, not_found

_ACTIONS = "/repos/{owner}/{repo}/actions"
_RUN = _ACTIONS + "/runs/{run_id}"
_ARTIFACT = _ACTIONS + "/artifacts/{artifact_id}"
_READ = reads("actions")


@route("GET", f"{_ACTIONS}/runs", _READ)
def list_runs(call: Call) -> Answer:
    """Newest first; filtered by head_sha, branch, event, actor and status (or conclusion)."""
    query = call.query
    runs = [
        run
        for run in sorted(call.repo.runs.values(), key=lambda one: -one.id)
        if query.get("head_sha", run.head_sha) == run.head_sha
        and query.get("branch", run.head_branch) == run.head_branch
        and query.get("event", run.event) == run.event
        and query.get("actor", run.actor.login) == run.actor.login
        and query.get("status", run.status) in (run.status, run.conclusion)
    ]
    return call.paged_under("workflow_runs", runs, lambda run: _shown_run(call, run))


@route("GET", _RUN, _READ)
def get_run(call: Call) -> Answer:
    """One workflow run."""
    return Answer(200, _shown_run(call, _run(call)))


@route("GET", _ACTIONS + "/workflows/{workflow_id}", _READ)
def get_workflow(call: Call) -> Answer:
    """A workflow by its id or its file name."""
    wanted = call.parameters["workflow_id"]
    for workflow in call.repo.workflows.values():
        if wanted in (str(workflow.id), workflow.path.rpartition("/")[2]):
            return Answer(200, payloads.workflow(call.urls, call.repo, workflow))
    raise not_found()


@route("GET", f"{_RUN}/artifacts", _READ)
def list_artifacts(call: Call) -> Answer:
    """A run's artifacts, newest first, by name when `name` is given."""
    run = _run(call)
    found = [
        artifact
        for artifact in call.repo.artifacts.values()
        if artifact.run_id == run.id and call.query.get("name", artifact.name) == artifact.name
    ]
    newest_first = call.query.get("direction", "desc") != "asc"
    found.sort(key=lambda one: one.id, reverse=newest_first)
    return call.paged_under("artifacts", found, lambda one: _shown_artifact(call, one))


@route("GET", _ARTIFACT, _READ)
def get_artifact(call: Call) -> Answer:
    """One artifact."""
    return Answer(200, _shown_artifact(call, _artifact(call)))


@route("GET", f"{_ARTIFACT}/{{archive_format}}", _READ)
def download_artifact(call: Call) -> Answer:
    """302 to a signed address on the storage host, valid for a minute; 410 once expired."""
    artifact = _artifact(call)
    if call.parameters["archive_format"] != "zip":
        raise not_found()
    if artifact.is_expired:
        raise Refusal(410, "Artifact has expired")
    expires = int(call.state.timestamp()) + call.state.limits.signed_url_seconds
    path = f"/artifacts/{call.repo.full_name}/{artifact.id}.zip"
    location = f"{call.storage_url}{path}?{sign(path, expires)}"
    return Answer(302, None, {"Location": location})


def _run(call: Call) -> WorkflowRun:
    run = call.repo.runs.get(call.number("run_id"))
    if run is None:
        raise not_found()
    return run


def _artifact(call: Call) -> Artifact:
    artifact = call.repo.artifacts.get(call.number("artifact_id"))
    if artifact is None:
        raise not_found()
    return artifact


def _shown_artifact(call: Call, artifact: Artifact) -> Json:
    run = call.repo.runs.get(artifact.run_id)
    return payloads.artifact(call.urls, call.repo, artifact, run)


def _shown_run(call: Call, run: WorkflowRun) -> Json:
    head = call.state.repository(run.head_repository) or call.repo
    pulls = _open_pulls(call, run, head) if head is call.repo else []
    return payloads.workflow_run(call.urls, call.repo, head, run, pulls)


def _open_pulls(call: Call, run: WorkflowRun, head: Repository) -> list[Json]:
    return [
        minimal_pull(call.urls, call.repo, head, pull)
        for pull in call.repo.pulls
        if pull.head_repository == head.full_name
        and pull.head_ref == run.head_branch
        and call.repo.issues[pull.number].state == "open"
    ]
