"""GitHub's JSON as our plain types."""

import json
from typing import Any

from bot.github.interface import (
    Artifact,
    Comment,
    PullFile,
    PullRequest,
    Tip,
    WorkflowRun,
)


def message_of(text: str) -> str:
    """The message of an error answer; GitHub's proxies answer in HTML, which is not shown."""
    try:
        data = json.loads(text)
    except ValueError:
        return "an answer that is no JSON"
    if not isinstance(data, dict):
        return "no message"
    details = [
        str(error.get("message") or error.get("code"))
        for error in data.get("errors") or []
        if isinstance(error, dict)
    ]
    return ": ".join([str(data.get("message", "no message")), *details])


def _repository(data: dict[str, Any] | None) -> str | None:
    return None if data is None else str(data["full_name"])


def comment(data: dict[str, Any]) -> Comment:
    user = data.get("user") or {"login": "ghost", "type": "User"}
    app = data.get("performed_via_github_app") or {}
    return Comment(
        id=data["id"],
        body=data.get("body") or "",
        author=user["login"],
        is_bot=user["type"] == "Bot",
        url=data["html_url"],
        app_id=app.get("id"),
    )


def pull(data: dict[str, Any]) -> PullRequest:
    return PullRequest(
        number=data["number"],
        title=data["title"],
        body=data.get("body") or "",
        state=data["state"],
        merged=bool(data.get("merged_at")),
        head_sha=data["head"]["sha"],
        head_ref=data["head"]["ref"],
        head_repository=_repository(data["head"].get("repo")),
        base_ref=data["base"]["ref"],
        base_sha=data["base"]["sha"],
        url=data["html_url"],
    )


def pull_file(data: dict[str, Any]) -> PullFile:
    return PullFile(data["filename"], data.get("previous_filename"))


def tip(data: dict[str, Any]) -> Tip:
    return Tip(
        sha=data["commit"]["sha"],
        tree_sha=data["commit"]["commit"]["tree"]["sha"],
        parents=tuple(parent["sha"] for parent in data["commit"]["parents"]),
    )


def workflow_run(data: dict[str, Any]) -> WorkflowRun:
    return WorkflowRun(
        id=data["id"],
        name=data.get("name") or "",
        path=data["path"].partition("@")[0],
        event=data["event"],
        status=data["status"] or "",
        conclusion=data["conclusion"],
        head_sha=data["head_sha"],
        head_branch=data["head_branch"] or "",
        head_repository=_repository(data.get("head_repository")),
        repository=str(_repository(data["repository"])),
        run_number=data["run_number"],
        run_attempt=data.get("run_attempt", 1),
        url=data["html_url"],
    )


def artifact(data: dict[str, Any]) -> Artifact:
    return Artifact(data["id"], data["name"], data["size_in_bytes"], data["expired"])
