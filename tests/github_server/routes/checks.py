"""Commit statuses and check runs."""

from __future__ import annotations

from typing import Any

from tests.github_server import payloads
from tests.github_server.payloads import repository_url, timestamp
from tests.github_server.routing import reads, route, writes
from tests.github_server.state import CheckRun, CommitStatus
from tests.github_server.wire import Answer, Call, Refusal, invalid, not_found

_REPO = "/repos/{owner}/{repo}"
_STATES = ("error", "failure", "pending", "success")
_WEIGHT = {"success": 0, "pending": 1, "failure": 2, "error": 2}
MAX_STATUS_DESCRIPTION_CHARS = 140
MAX_OUTPUT_CHARS = 65_535


@route("POST", f"{_REPO}/statuses/{{sha}}", writes("statuses"))
def create_status(call: Call) -> Answer:
    """A status on a commit of this repository."""
    sha, body = _commit(call, call.parameters["sha"]), call.body()
    state, description = call.required("state", str), body.get("description")
    if state not in _STATES:
        raise invalid("Status", "state", "custom", "state is not included in the list")
    if description is not None and len(description) > MAX_STATUS_DESCRIPTION_CHARS:
        message = f"description is too long (maximum is {MAX_STATUS_DESCRIPTION_CHARS} characters)"
        raise invalid("Status", "description", "custom", message)
    status = CommitStatus(
        id=call.state.next_id("status"),
        sha=sha,
        state=state,
        context=body.get("context", "default"),
        description=description,
        target_url=body.get("target_url"),
        creator=call.actor,
        created_at=call.state.now(),
    )
    call.repo.statuses.append(status)
    return Answer(201, payloads.commit_status(call.urls, call.repo, status))


@route("GET", f"{_REPO}/statuses/{{ref}}", reads("statuses"))
@route("GET", f"{_REPO}/commits/{{ref}}/statuses", reads("statuses"))
def list_statuses(call: Call) -> Answer:
    """All statuses of a commit, newest first."""
    found = _statuses(call, _commit(call, call.parameters["ref"]))
    return call.paged(found, lambda one: payloads.commit_status(call.urls, call.repo, one))


@route("GET", f"{_REPO}/commits/{{ref}}/status", reads("statuses"))
def get_combined_status(call: Call) -> Answer:
    """The newest status of each context, and the worst of them."""
    sha = _commit(call, call.parameters["ref"])
    newest: dict[str, CommitStatus] = {}
    for status in _statuses(call, sha):
        newest.setdefault(status.context, status)
    worst = max((_WEIGHT[status.state] for status in newest.values()), default=1)
    own = repository_url(call.urls, call.repo)
    shown = {
        "state": ("success", "pending", "failure")[worst],
        "sha": sha,
        "total_count": len(newest),
        "statuses": [payloads.commit_status(call.urls, call.repo, one) for one in newest.values()],
        "repository": payloads.minimal_repository(call.urls, call.repo),
        "commit_url": f"{own}/commits/{sha}",
        "url": f"{own}/commits/{sha}/status",
    }
    return Answer(200, shown)


@route("POST", f"{_REPO}/check-runs", writes("checks"))
def create_check_run(call: Call) -> Answer:
    """A check run; only an App's token (GITHUB_TOKEN is one) may make it."""
    app = call.bearer.app
    if app is None:
        raise Refusal(403, "You must authenticate via a GitHub App.")
    check = CheckRun(
        id=call.state.next_id("check_run"),
        head_sha=_commit(call, call.required("head_sha", str)),
        name=call.required("name", str),
        app=app,
        status="queued",
        conclusion=None,
        started_at=timestamp(call.state.now()),
        completed_at=None,
    )
    _apply(call, check, call.body())
    call.repo.check_runs[check.id] = check
    return Answer(201, payloads.check_run(call.urls, call.repo, check))


@route("GET", f"{_REPO}/check-runs/{{check_run_id}}", reads("checks"))
def get_check_run(call: Call) -> Answer:
    """One check run."""
    return Answer(200, payloads.check_run(call.urls, call.repo, _check_run(call)))


@route("PATCH", f"{_REPO}/check-runs/{{check_run_id}}", writes("checks"))
def update_check_run(call: Call) -> Answer:
    """Only the App that made it; annotations are added to those already there."""
    check = _check_run(call)
    if call.bearer.app is None or call.bearer.app.id != check.app.id:
        raise Refusal(403, "Invalid app_id for check run.")
    _apply(call, check, call.body())
    return Answer(200, payloads.check_run(call.urls, call.repo, check))


@route("GET", f"{_REPO}/commits/{{ref}}/check-runs", reads("checks"))
def list_check_runs(call: Call) -> Answer:
    """Check runs of a commit, newest first; by default the latest of each name."""
    sha, query = _commit(call, call.parameters["ref"]), call.query
    found: list[CheckRun] = []
    seen: set[tuple[int, str]] = set()
    for check in sorted(call.repo.check_runs.values(), key=lambda one: -one.id):
        if (
            check.head_sha != sha
            or query.get("check_name", check.name) != check.name
            or query.get("status", check.status) != check.status
            or query.get("app_id", str(check.app.id)) != str(check.app.id)
        ):
            continue
        key = (check.app.id, check.name)
        if query.get("filter", "latest") == "all" or key not in seen:
            found.append(check)
        seen.add(key)
    return call.paged_under(
        "check_runs", found, lambda one: payloads.check_run(call.urls, call.repo, one)
    )


def _statuses(call: Call, sha: str) -> list[CommitStatus]:
    return [status for status in reversed(call.repo.statuses) if status.sha == sha]


def _commit(call: Call, name: str) -> str:
    sha = call.repo.git.resolve_commit(name)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {name}")
    return sha


def _check_run(call: Call) -> CheckRun:
    check = call.repo.check_runs.get(call.number("check_run_id"))
    if check is None:
        raise not_found()
    return check


def _apply(call: Call, check: CheckRun, body: dict[str, Any]) -> None:
    output = body.get("output") or {}
    _check_output(call, output)
    for name in ("name", "status", "details_url", "external_id", "started_at", "completed_at"):
        if name in body:
            setattr(check, name, body[name])
    if body.get("conclusion") is not None:
        check.conclusion, check.status = body["conclusion"], "completed"
        check.completed_at = check.completed_at or timestamp(call.state.now())
    elif check.status == "completed" and check.conclusion is None:
        raise invalid("CheckRun", "conclusion", "missing_field")
    for name in ("title", "summary", "text"):
        if name in output:
            setattr(check, name, output[name])
    check.annotations.extend(output.get("annotations", []))


def _check_output(call: Call, output: dict[str, Any]) -> None:
    limit = call.state.limits.annotations_per_request
    if len(output.get("annotations", [])) > limit:
        raise Refusal(422, f"Invalid request.\n\nNo more than {limit} items are allowed.")
    for name in ("summary", "text"):
        if len(output.get(name) or "") > MAX_OUTPUT_CHARS:
            raise invalid("CheckRun", name, "too_large", f"{name} exceeds a maximum length")
