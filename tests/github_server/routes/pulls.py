"""Pull requests."""

from __future__ import annotations

from typing import Any

from tests.github_server import payloads_git as payloads
from tests.github_server.pull_requests import close, files_of, follow_branches, open_pull, try_merge
from tests.github_server.routing import reads, route, writes
from tests.github_server.state import Issue, TokenKind
from tests.github_server.wire import Answer, Call, Refusal, invalid, not_found

_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"
_STATES = ("open", "closed", "all")


@route("GET", _PULLS, reads("pull_requests"))
def list_pulls(call: Call) -> Answer:
    """Filtered by state, base and `head` as `owner:branch`; newest first.

    A `head` without a colon filters nothing, as on GitHub.
    """
    state = call.query.get("state", "open")
    if state not in _STATES:
        raise invalid("PullRequest", "state", "invalid")
    owner, colon, branch = call.query.get("head", "").partition(":")
    chosen = []
    for issue in _pull_issues(call):
        pull = follow_branches(call.state, call.repo, issue)
        head_owner = pull.head_repository.split("/")[0]
        if (
            state in ("all", issue.state)
            and call.query.get("base", pull.base_ref) == pull.base_ref
            and (not colon or (owner.lower(), branch) == (head_owner.lower(), pull.head_ref))
        ):
            chosen.append(issue)
    by_update = call.query.get("sort") == "updated"
    ascending = call.query.get("direction", "desc" if not call.query.get("sort") else "asc")
    chosen.sort(
        key=lambda one: (one.updated_at if by_update else one.created_at, one.number),
        reverse=ascending != "asc",
    )
    return call.paged(chosen, lambda one: payloads.pull(call.urls, call.state, call.repo, one))


@route("POST", _PULLS, writes("pull_requests"))
def create_pull(call: Call) -> Answer:
    """422 when one exists already for the head, or when there is nothing to merge."""
    if call.bearer.kind is TokenKind.ACTIONS and not call.repo.may_actions_create_pulls:
        raise Refusal(403, "GitHub Actions is not permitted to create or approve pull requests.")
    body = call.body()
    if not body.get("title"):
        raise invalid("PullRequest", "title", "missing_field")
    issue = open_pull(
        call.state,
        call.repo,
        call.actor,
        head=call.required("head", str),
        base=call.required("base", str),
        title=str(body["title"]),
        body=body.get("body"),
        is_draft=bool(body.get("draft", False)),
    )
    answer = _full(call, issue, status=201)
    return Answer(201, answer.body, {"Location": answer.body["url"]})


@route("GET", _PULL, reads("pull_requests"))
def get_pull(call: Call) -> Answer:
    """One pull request with its counts and its test merge."""
    return _full(call, _issue(call))


@route("PATCH", _PULL, writes("pull_requests"))
def update_pull(call: Call) -> Answer:
    """Title, body, base and state."""
    issue, body = _issue(call), call.body()
    pull = issue.pull
    assert pull is not None
    if "base" in body:
        if call.repo.git.read_ref(f"refs/heads/{body['base']}") is None:
            raise invalid("PullRequest", "base", "invalid")
        pull.base_ref = str(body["base"])
    if "title" in body:
        if not body["title"]:
            raise invalid("PullRequest", "title", "missing_field")
        issue.title = str(body["title"])
    issue.body = body.get("body", issue.body)
    if body.get("state") == "closed" and issue.state == "open":
        close(call.state, issue)
    elif body.get("state") == "open" and issue.state == "closed":
        _reopen(call, issue)
    issue.updated_at = call.state.now()
    return _full(call, issue)


@route("GET", f"{_PULL}/files", reads("pull_requests"))
def list_files(call: Call) -> Answer:
    """Changed files against the merge base, cut off at 3,000 without a word, as on GitHub."""
    issue = _issue(call)
    assert issue.pull is not None
    files = files_of(call.repo, issue.pull)[: call.state.limits.pull_files]
    ref = issue.pull.head_sha
    return call.paged(files, lambda one: payloads.changed_file(call.urls, call.repo, ref, one))


@route("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", reads("pull_requests"))
def list_pulls_of_commit(call: Call) -> Answer:
    """Pull requests whose head or merge commit this is, or that bring it in."""
    sha = call.repo.git.resolve_commit(call.parameters["commit_sha"])
    if sha is None:
        message = f"No commit found for SHA: {call.parameters['commit_sha']}"
        raise Refusal(422, message)
    chosen = []
    for issue in _pull_issues(call):
        pull = follow_branches(call.state, call.repo, issue)
        between = call.repo.git.list_commits(pull.base_sha, pull.head_sha)
        if sha in (pull.head_sha, *between) or (pull.merged_at and sha == pull.merge_commit_sha):
            chosen.append(issue)
    return call.paged(chosen, lambda one: payloads.pull(call.urls, call.state, call.repo, one))


def _pull_issues(call: Call) -> list[Issue]:
    return [call.repo.issues[pull.number] for pull in call.repo.pulls]


def _issue(call: Call) -> Issue:
    issue = call.repo.issues.get(call.number("pull_number"))
    if issue is None or issue.pull is None:
        raise not_found()
    follow_branches(call.state, call.repo, issue)
    return issue


def _full(call: Call, issue: Issue, status: int = 200) -> Answer:
    pull = follow_branches(call.state, call.repo, issue)
    try_merge(call.repo, pull, issue.user, call.state)
    files = files_of(call.repo, pull)
    commits = len(call.repo.git.list_commits(pull.base_sha, pull.head_sha))
    shown: dict[str, Any] = payloads.full_pull(
        call.urls, call.state, call.repo, issue, files, commits
    )
    return Answer(status, shown)


def _reopen(call: Call, issue: Issue) -> None:
    pull = issue.pull
    assert pull is not None
    head = call.state.repository(pull.head_repository)
    if pull.merged_at is not None or head is None:
        raise invalid("PullRequest", "state", "invalid", "state cannot be changed.")
    if head.git.read_ref(f"refs/heads/{pull.head_ref}") is None:
        message = f"state cannot be changed. The {pull.head_ref} branch has been deleted."
        raise invalid("PullRequest", "state", "invalid", message)
    issue.state, issue.closed_at = "open", None
