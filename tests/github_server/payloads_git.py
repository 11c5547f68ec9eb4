"""GitHub's JSON for commits, refs, files, issues, comments and pull requests."""

from __future__ import annotations

import re
from datetime import UTC
from urllib.parse import quote

from tests.github_server import payloads
from tests.github_server.git_diff import ChangedFile
from tests.github_server.git_store import Commit, Signature
from tests.github_server.payloads import (
    Json,
    node_id,
    optional_timestamp,
    repository_url,
    timestamp,
)
from tests.github_server.state import Comment, Issue, PullRequest, Repository, State, User
from tests.github_server.wire import Urls

_NO_REPLY = re.compile(r"(?P<id>\d+)\+(?P<login>.+)@users\.noreply\.github\.com")

UNSIGNED: Json = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}


def _person(signature: Signature) -> Json:
    when = timestamp(signature.when.astimezone(UTC))
    return {"name": signature.name, "email": signature.email, "date": when}


def _account(urls: Urls, signature: Signature) -> Json | None:
    """The account behind a commit's author, by its no-reply address, or null."""
    match = _NO_REPLY.fullmatch(signature.email)
    if match is None:
        return None
    kind = "Bot" if match["login"].endswith("[bot]") else "User"
    return payloads.user(urls, User(match["login"], int(match["id"]), kind))


def _parents(urls: Urls, repo: Repository, commit: Commit, path: str) -> list[Json]:
    return [
        {
            "sha": sha,
            "url": f"{repository_url(urls, repo)}/{path}/{sha}",
            "html_url": f"{urls.html}/{repo.full_name}/commit/{sha}",
        }
        for sha in commit.parents
    ]


def git_commit(urls: Urls, repo: Repository, commit: Commit) -> Json:
    """`git-commit`, as the Git Data API shows it."""
    own = repository_url(urls, repo)
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", commit.sha),
        "url": f"{own}/git/commits/{commit.sha}",
        "html_url": f"{urls.html}/{repo.full_name}/commit/{commit.sha}",
        "author": _person(commit.author),
        "committer": _person(commit.committer),
        "message": commit.message,
        "tree": {"sha": commit.tree, "url": f"{own}/git/trees/{commit.tree}"},
        "parents": _parents(urls, repo, commit, "git/commits"),
        "verification": UNSIGNED,
    }


def commit(urls: Urls, repo: Repository, one: Commit) -> Json:
    """`commit`, as the repository's commit endpoints show it (without files)."""
    own = f"{repository_url(urls, repo)}/commits/{one.sha}"
    inner = git_commit(urls, repo, one)
    shown = ("url", "author", "committer", "message", "tree", "verification")
    return {
        "sha": one.sha,
        "node_id": node_id("Commit", one.sha),
        "commit": {**{name: inner[name] for name in shown}, "comment_count": 0},
        "url": own,
        "html_url": inner["html_url"],
        "comments_url": f"{own}/comments",
        "author": _account(urls, one.author),
        "committer": _account(urls, one.committer),
        "parents": _parents(urls, repo, one, "commits"),
    }


def git_ref(urls: Urls, repo: Repository, ref: str, sha: str, kind: str) -> Json:
    """`git-ref`."""
    own = repository_url(urls, repo)
    return {
        "ref": ref,
        "node_id": node_id("Ref", ref),
        "url": f"{own}/git/{quote(ref)}",
        "object": {"sha": sha, "type": kind, "url": f"{own}/git/{kind}s/{sha}"},
    }


def changed_file(urls: Urls, repo: Repository, ref: str, one: ChangedFile) -> Json:
    """`diff-entry`."""
    path = quote(one.filename, errors="surrogateescape")
    web = f"{urls.html}/{repo.full_name}"
    entry: Json = {
        "sha": one.sha,
        "filename": one.filename,
        "status": one.status,
        "additions": one.additions,
        "deletions": one.deletions,
        "changes": one.additions + one.deletions,
        "blob_url": f"{web}/blob/{ref}/{path}",
        "raw_url": f"{web}/raw/{ref}/{path}",
        "contents_url": f"{repository_url(urls, repo)}/contents/{path}?ref={ref}",
    }
    if one.patch is not None:
        entry["patch"] = one.patch
    if one.previous_filename is not None:
        entry["previous_filename"] = one.previous_filename
    return entry


def association(repo: Repository, who: User) -> str:
    """What the author is to the repository."""
    return "OWNER" if who.login == repo.owner.login else "NONE"


def comment(urls: Urls, repo: Repository, one: Comment) -> Json:
    """`issue-comment`."""
    own = repository_url(urls, repo)
    issue = repo.issues.get(one.issue_number)
    page = "pull" if issue is not None and issue.pull is not None else "issues"
    web = f"{urls.html}/{repo.full_name}/{page}/{one.issue_number}"
    return {
        "id": one.id,
        "node_id": node_id("IssueComment", one.id),
        "url": f"{own}/issues/comments/{one.id}",
        "html_url": f"{web}#issuecomment-{one.id}",
        "issue_url": f"{own}/issues/{one.issue_number}",
        "user": payloads.user(urls, one.user),
        "body": one.body,
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.updated_at),
        "author_association": association(repo, one.user),
        "performed_via_github_app": payloads.app(urls, one.app),
    }


def labels_of(urls: Urls, repo: Repository, one: Issue) -> list[Json]:
    """The labels on an issue or pull request."""
    found = [repo.labels[name.lower()] for name in one.labels if name.lower() in repo.labels]
    return [payloads.label(urls, repo, label) for label in found]


def _shared(urls: Urls, repo: Repository, one: Issue) -> Json:
    """What an issue and its pull request show alike."""
    return {
        "number": one.number,
        "state": one.state,
        "locked": one.is_locked,
        "active_lock_reason": None,
        "title": one.title,
        "user": payloads.user(urls, one.user),
        "body": one.body,
        "labels": labels_of(urls, repo, one),
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.updated_at),
        "closed_at": optional_timestamp(one.closed_at),
        "author_association": association(repo, one.user),
    }


def issue(urls: Urls, repo: Repository, one: Issue) -> Json:
    """`issue`; a pull request carries `pull_request`."""
    own = f"{repository_url(urls, repo)}/issues/{one.number}"
    shown: Json = {
        "id": one.id,
        "node_id": node_id("Issue", one.id),
        "url": own,
        "repository_url": repository_url(urls, repo),
        "labels_url": f"{own}/labels{{/name}}",
        "comments_url": f"{own}/comments",
        "events_url": f"{own}/events",
        "html_url": f"{urls.html}/{repo.full_name}/issues/{one.number}",
        "comments": len(repo.comments_on(one.number)),
        **_shared(urls, repo, one),
    }
    if one.pull is not None:
        web = f"{urls.html}/{repo.full_name}/pull/{one.number}"
        shown["html_url"] = web
        shown["pull_request"] = {
            "url": f"{repository_url(urls, repo)}/pulls/{one.number}",
            "html_url": web,
            "diff_url": f"{web}.diff",
            "patch_url": f"{web}.patch",
            "merged_at": optional_timestamp(one.pull.merged_at),
        }
    return shown


def _side(urls: Urls, repo: Repository, ref: str, sha: str) -> Json:
    return {
        "label": f"{repo.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": payloads.user(urls, repo.owner),
        "repo": payloads.repository(urls, repo),
    }


def pull(urls: Urls, state: State, repo: Repository, one: Issue) -> Json:
    """`pull-request-simple`, as lists show it."""
    assert one.pull is not None
    request = one.pull
    own = f"{repository_url(urls, repo)}/pulls/{one.number}"
    issue_url = f"{repository_url(urls, repo)}/issues/{one.number}"
    web = f"{urls.html}/{repo.full_name}/pull/{one.number}"
    links = {
        "self": own,
        "html": web,
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{own}/comments",
        "review_comment": f"{repository_url(urls, repo)}/pulls/comments{{/number}}",
        "commits": f"{own}/commits",
        "statuses": f"{repository_url(urls, repo)}/statuses/{request.head_sha}",
    }
    head = state.repository(request.head_repository) or repo
    names = ("issue", "comments", "review_comments", "review_comment", "commits", "statuses")
    return {
        "id": request.id,
        "node_id": node_id("PullRequest", request.id),
        "url": own,
        "html_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        **{f"{name}_url": links[name] for name in names},
        **_shared(urls, repo, one),
        "merged_at": optional_timestamp(request.merged_at),
        "merge_commit_sha": request.merge_commit_sha,
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(urls, head, request.head_ref, request.head_sha),
        "base": _side(urls, repo, request.base_ref, request.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
        "auto_merge": None,
        "draft": request.is_draft,
    }


def full_pull(
    urls: Urls, state: State, repo: Repository, one: Issue, files: list[ChangedFile], commits: int
) -> Json:
    """`pull-request`, as the single endpoints show it."""
    assert one.pull is not None
    merger = one.pull.merged_by
    return {
        **pull(urls, state, repo, one),
        "merged": one.pull.merged_at is not None,
        "mergeable": one.pull.is_mergeable,
        "rebaseable": one.pull.is_mergeable,
        "mergeable_state": {True: "clean", False: "dirty", None: "unknown"}[one.pull.is_mergeable],
        "merged_by": None if merger is None else payloads.user(urls, merger),
        "comments": len(repo.comments_on(one.number)),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": commits,
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }


def minimal_pull(urls: Urls, repo: Repository, head: Repository, one: PullRequest) -> Json:
    """`pull-request-minimal`, as a workflow run shows it."""

    def side(of: Repository, ref: str, sha: str) -> Json:
        shown = {"id": of.id, "url": repository_url(urls, of), "name": of.name}
        return {"ref": ref, "sha": sha, "repo": shown}

    return {
        "id": one.id,
        "number": one.number,
        "url": f"{repository_url(urls, repo)}/pulls/{one.number}",
        "head": side(head, one.head_ref, one.head_sha),
        "base": side(repo, one.base_ref, one.base_sha),
    }
