"""Issues and their comments."""

from __future__ import annotations

from datetime import datetime

from tests.github_server import payloads_git as payloads
from tests.github_server.pull_requests import close, follow_branches
from tests.github_server.routing import reads, route, writes
from tests.github_server.state import Comment, Issue
from tests.github_server.wire import Answer, Call, Refusal, invalid, not_found

_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
_READ = reads("issues", "pull_requests")
_WRITE = writes("issues", "pull_requests")


def issue_of(call: Call) -> Issue:
    """The issue or pull request of `{issue_number}`."""
    issue = call.repo.issues.get(call.number("issue_number"))
    if issue is None:
        raise not_found()
    if issue.pull is not None:
        follow_branches(call.state, call.repo, issue)
    return issue


@route("GET", "/repos/{owner}/{repo}/issues/{issue_number}", _READ)
def get_issue(call: Call) -> Answer:
    """One issue, or a pull request seen as an issue."""
    return Answer(200, payloads.issue(call.urls, call.repo, issue_of(call)))


@route("PATCH", "/repos/{owner}/{repo}/issues/{issue_number}", _WRITE)
def update_issue(call: Call) -> Answer:
    """Title, body, state and labels."""
    issue, body = issue_of(call), call.body()
    issue.title = str(body.get("title", issue.title))
    issue.body = body.get("body", issue.body)
    if "labels" in body:
        issue.labels = [one if isinstance(one, str) else one["name"] for one in body["labels"]]
    if body.get("state") == "closed" and issue.state == "open":
        close(call.state, issue)
    elif body.get("state") == "open":
        issue.state, issue.closed_at = "open", None
    issue.updated_at = call.state.now()
    return Answer(200, payloads.issue(call.urls, call.repo, issue))


@route("GET", _COMMENTS, _READ)
def list_comments(call: Call) -> Answer:
    """Comments, oldest first."""
    comments = call.repo.comments_on(issue_of(call).number)
    since = call.query.get("since")
    if since:
        start = datetime.fromisoformat(since)
        comments = [comment for comment in comments if comment.updated_at >= start]
    return call.paged(comments, lambda one: payloads.comment(call.urls, call.repo, one))


@route("POST", _COMMENTS, _WRITE)
def create_comment(call: Call) -> Answer:
    """A new comment by the token's author."""
    issue = issue_of(call)
    _refuse_when_locked(call, issue, "create")
    body = _checked_body(call)
    now = call.state.now()
    comment = Comment(
        call.state.next_id("comment"), issue.number, call.actor, call.bearer.app, body, now, now
    )
    call.repo.comments[comment.id] = comment
    shown = payloads.comment(call.urls, call.repo, comment)
    return Answer(201, shown, {"Location": shown["url"]})


@route("GET", _COMMENT, _READ)
def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(200, payloads.comment(call.urls, call.repo, _comment_of(call)))


@route("PATCH", _COMMENT, _WRITE)
def update_comment(call: Call) -> Answer:
    """A new body. With write permission anyone's comment can be edited, as on GitHub."""
    comment = _comment_of(call)
    _refuse_when_locked(call, call.repo.issues[comment.issue_number], "update")
    comment.body = _checked_body(call)
    comment.updated_at = call.state.now()
    return Answer(200, payloads.comment(call.urls, call.repo, comment))


@route("DELETE", _COMMENT, _WRITE)
def delete_comment(call: Call) -> Answer:
    """Gone; later calls about it answer 404."""
    comment = _comment_of(call)
    _refuse_when_locked(call, call.repo.issues[comment.issue_number], "delete")
    del call.repo.comments[comment.id]
    return Answer(204)


def _comment_of(call: Call) -> Comment:
    comment = call.repo.comments.get(call.number("comment_id"))
    if comment is None:
        raise not_found()
    return comment


def _checked_body(call: Call) -> str:
    body = call.required("body", str)
    if not body.strip():
        raise invalid("IssueComment", "data", "unprocessable", "Body cannot be blank")
    limit = call.state.limits.comment_chars
    if len(body) > limit:
        message = f"body is too long (maximum is {limit} characters)"
        raise invalid("IssueComment", "data", "unprocessable", message)
    return body


def _refuse_when_locked(call: Call, issue: Issue, verb: str) -> None:
    if issue.is_locked and not call.bearer.may_comment_on_locked:
        raise Refusal(403, f"Unable to {verb} comment because issue is locked.")
