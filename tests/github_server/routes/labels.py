"""Labels of a repository and of its issues."""

from __future__ import annotations

import re
from typing import Any

from tests.github_server import payloads
from tests.github_server.payloads_git import labels_of
from tests.github_server.routes.comments import issue_of
from tests.github_server.routing import reads, route, writes
from tests.github_server.state import Issue, Label
from tests.github_server.wire import Answer, Call, Refusal, invalid, not_found

_LABELS = "/repos/{owner}/{repo}/labels"
_ISSUE_LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"
_READ = reads("issues", "pull_requests")
_WRITE = writes("issues", "pull_requests")
MAX_DESCRIPTION_CHARS = 100


@route("GET", _LABELS, _READ)
def list_labels(call: Call) -> Answer:
    """All labels of the repository."""
    labels = sorted(call.repo.labels.values(), key=lambda one: one.name.lower())
    return call.paged(labels, lambda one: payloads.label(call.urls, call.repo, one))


@route("POST", _LABELS, _WRITE)
def create_label(call: Call) -> Answer:
    """A new label; a name is taken whatever its letter case."""
    name, body = call.required("name", str), call.body()
    if name.lower() in call.repo.labels:
        raise invalid("Label", "name", "already_exists")
    color = body.get("color", "ededed")
    if not re.fullmatch(r"[0-9a-fA-F]{6}", str(color)):
        raise invalid("Label", "color", "invalid")
    description = body.get("description") or ""
    if len(description) > MAX_DESCRIPTION_CHARS:
        raise invalid("Label", "description", "invalid", "description is too long")
    label = Label(call.state.next_id("label"), name, color, description)
    call.repo.labels[name.lower()] = label
    return Answer(201, payloads.label(call.urls, call.repo, label))


@route("GET", _LABELS + "/{name}", _READ)
def get_label(call: Call) -> Answer:
    """One label by name."""
    label = call.repo.labels.get(call.parameters["name"].lower())
    if label is None:
        raise not_found()
    return Answer(200, payloads.label(call.urls, call.repo, label))


@route("GET", _ISSUE_LABELS, _READ)
def list_issue_labels(call: Call) -> Answer:
    """Labels on an issue."""
    issue = issue_of(call)
    return call.paged(labels_of(call.urls, call.repo, issue), lambda shown: shown)


@route("POST", _ISSUE_LABELS, _WRITE)
def add_issue_labels(call: Call) -> Answer:
    """Add labels; one that the repository lacks is made, as GitHub does."""
    return _put_labels(call, issue_of(call), keep=True)


@route("PUT", _ISSUE_LABELS, _WRITE)
def set_issue_labels(call: Call) -> Answer:
    """Replace the labels."""
    return _put_labels(call, issue_of(call), keep=False)


@route("DELETE", _ISSUE_LABELS, _WRITE)
def remove_issue_labels(call: Call) -> Answer:
    """Take all labels off."""
    issue_of(call).labels = []
    return Answer(204)


def _put_labels(call: Call, issue: Issue, *, keep: bool) -> Answer:
    names = _names(call.json())
    labels = list(issue.labels) if keep else []
    for name in names:
        if name.lower() not in call.repo.labels:
            call.repo.labels[name.lower()] = Label(call.state.next_id("label"), name)
        if name.lower() not in (present.lower() for present in labels):
            labels.append(name)
    issue.labels, issue.updated_at = labels, call.state.now()
    return Answer(200, labels_of(call.urls, call.repo, issue))


def _names(body: Any) -> list[str]:
    """Label names from a bare list or from `{"labels": [...]}`, of strings or of objects."""
    items = body if isinstance(body, list) else body.get("labels", [])
    names = [item["name"] if isinstance(item, dict) and "name" in item else item for item in items]
    if not all(isinstance(name, str) and name for name in names):
        raise Refusal(422, "Validation Failed", [{"resource": "Label", "code": "invalid"}])
    return names
