"""GitHub's JSON for users, Apps, repositories, runs, statuses and checks.

Each builder gives at least what GitHub's description requires; addresses are on the base that the
request came in by, because PyGithub follows them.
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from typing import Any

from tests.github_server.state import (
    App,
    Artifact,
    CheckRun,
    CommitStatus,
    Installation,
    Label,
    Repository,
    State,
    User,
    Workflow,
    WorkflowRun,
)
from tests.github_server.wire import Urls

Json = dict[str, Any]

ARTIFACT_RETENTION = timedelta(days=90)


def timestamp(when: datetime) -> str:
    """A time as GitHub writes it."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def optional_timestamp(when: datetime | None) -> str | None:
    """A time, or null."""
    return None if when is None else timestamp(when)


def node_id(kind: str, number: int | str) -> str:
    """An opaque global id."""
    return base64.b64encode(f"{kind}:{number}".encode()).decode()


def user(urls: Urls, who: User) -> Json:
    """`simple-user`."""
    own = f"{urls.api}/users/{who.login.replace('[', '%5B').replace(']', '%5D')}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id(who.type, who.id),
        "avatar_url": f"{urls.html}/avatars/u/{who.id}?v=4",
        "gravatar_id": "",
        "url": own,
        "html_url": f"{urls.html}/{who.login.removesuffix('[bot]')}",
        "followers_url": f"{own}/followers",
        "following_url": f"{own}/following{{/other_user}}",
        "gists_url": f"{own}/gists{{/gist_id}}",
        "starred_url": f"{own}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{own}/subscriptions",
        "organizations_url": f"{own}/orgs",
        "repos_url": f"{own}/repos",
        "events_url": f"{own}/events{{/privacy}}",
        "received_events_url": f"{own}/received_events",
        "type": who.type,
        "site_admin": False,
        "user_view_type": "public",
    }


def full_user(urls: Urls, state: State, who: User, *, private: bool) -> Json:
    """`public-user`, or `private-user` as `GET /user` shows one's own."""
    empty: Json = dict.fromkeys(("company", "blog", "location", "email", "hireable", "bio"))
    counts: Json = dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0)
    own: Json = {
        **dict.fromkeys(("private_gists", "total_private_repos", "owned_private_repos"), 0),
        **dict.fromkeys(("disk_usage", "collaborators"), 0),
        "two_factor_authentication": True,
        "user_view_type": "private",
    }
    return {
        **user(urls, who),
        **empty,
        **counts,
        "name": who.login,
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": timestamp(state.now()),
        **(own if private else {}),
    }


def app(urls: Urls, one: App | None) -> Json | None:
    """`integration`."""
    if one is None:
        return None
    return {
        "id": one.id,
        "slug": one.slug,
        "node_id": node_id("App", one.id),
        "client_id": one.client_id,
        "owner": user(urls, User("github", 9919, "Organization")),
        "name": one.slug,
        "description": None,
        "external_url": f"{urls.html}/apps/{one.slug}/home",
        "html_url": f"{urls.html}/apps/{one.slug}",
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "permissions": {"metadata": "read"},
        "events": [],
    }


def installation(urls: Urls, one: Installation, owner: User) -> Json:
    """`installation`."""
    own = f"{urls.api}/app/installations/{one.id}"
    return {
        "id": one.id,
        "account": user(urls, owner),
        "repository_selection": "selected",
        "access_tokens_url": f"{own}/access_tokens",
        "repositories_url": f"{urls.api}/installation/repositories",
        "html_url": f"{urls.html}/settings/installations/{one.id}",
        "app_id": one.app.id,
        "client_id": one.app.client_id,
        "app_slug": one.app.slug,
        "target_id": owner.id,
        "target_type": owner.type,
        "permissions": granted(one.permissions),
        "events": [],
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
        "single_file_name": None,
        "suspended_by": None,
        "suspended_at": None,
    }


def granted(permissions: Any) -> Json:
    """`app-permissions`: what is not granted is left out."""
    return {name: level for name, level in permissions.items() if level != "none"}


_REPOSITORY_PATHS = {
    "archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}", "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}", "comments": "/comments{/number}",
    "commits": "/commits{/sha}", "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}", "contributors": "/contributors",
    "deployments": "/deployments", "downloads": "/downloads", "events": "/events",
    "forks": "/forks", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}", "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}", "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}", "keys": "/keys{/key_id}", "labels": "/labels{/name}",
    "languages": "/languages", "merges": "/merges", "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}", "pulls": "/pulls{/number}",
    "releases": "/releases{/id}", "stargazers": "/stargazers", "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers", "subscription": "/subscription", "tags": "/tags",
    "teams": "/teams", "trees": "/git/trees{/sha}",
}  # fmt: skip


def repository_url(urls: Urls, repo: Repository) -> str:
    """The API address of a repository."""
    return f"{urls.api}/repos/{repo.full_name}"


def minimal_repository(urls: Urls, repo: Repository) -> Json:
    """`minimal-repository`: what a workflow run shows of its repository."""
    own = repository_url(urls, repo)
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "owner": user(urls, repo.owner),
        "private": repo.is_private,
        "html_url": f"{urls.html}/{repo.full_name}",
        "description": None,
        "fork": repo.parent is not None,
        "url": own,
        **{f"{name}_url": own + path for name, path in _REPOSITORY_PATHS.items()},
    }


def repository(urls: Urls, repo: Repository) -> Json:
    """`repository` and `full-repository` at once (the full one without its parent)."""
    web = f"{urls.html}/{repo.full_name}"
    host = urls.html.split("://", 1)[1]
    zeros = ("forks", "forks_count", "stargazers_count", "watchers", "watchers_count", "size")
    open_issues = sum(issue.state == "open" for issue in repo.issues.values())
    return {
        **minimal_repository(urls, repo),
        **dict.fromkeys((*zeros, "network_count", "subscribers_count"), 0),
        **dict.fromkeys(("has_issues", "has_downloads"), True),
        **dict.fromkeys(("has_projects", "has_wiki", "has_pages", "has_discussions"), False),
        **dict.fromkeys(("archived", "disabled"), False),
        **dict.fromkeys(("homepage", "language", "mirror_url", "license")),
        "clone_url": f"{web}.git",
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "svn_url": web,
        "default_branch": repo.default_branch,
        "open_issues": open_issues,
        "open_issues_count": open_issues,
        "visibility": "private" if repo.is_private else "public",
        "pushed_at": timestamp(repo.created_at),
        "created_at": timestamp(repo.created_at),
        "updated_at": timestamp(repo.created_at),
    }


def label(urls: Urls, repo: Repository, one: Label) -> Json:
    """`label`."""
    return {
        "id": one.id,
        "node_id": node_id("Label", one.id),
        "url": f"{repository_url(urls, repo)}/labels/{one.name.replace(' ', '%20')}",
        "name": one.name,
        "description": one.description,
        "color": one.color,
        "default": False,
    }


def workflow(urls: Urls, repo: Repository, one: Workflow) -> Json:
    """A workflow."""
    web = f"{urls.html}/{repo.full_name}"
    return {
        "id": one.id,
        "node_id": node_id("Workflow", one.id),
        "name": one.name,
        "path": one.path,
        "state": "active",
        "created_at": timestamp(repo.created_at),
        "updated_at": timestamp(repo.created_at),
        "url": f"{repository_url(urls, repo)}/actions/workflows/{one.id}",
        "html_url": f"{web}/blob/{repo.default_branch}/{one.path}",
        "badge_url": f"{web}/workflows/{one.name}/badge.svg",
    }


def workflow_run(
    urls: Urls, repo: Repository, head: Repository, run: WorkflowRun, pulls: list[Json]
) -> Json:
    """`workflow-run`; `pulls` is empty for a fork's run, as on GitHub."""
    own = f"{repository_url(urls, repo)}/actions/runs/{run.id}"
    commit = head.git.read_commit(run.head_sha)
    suite = run.id + 1
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("WorkflowRun", run.id),
        "check_suite_id": suite,
        "check_suite_node_id": node_id("CheckSuite", suite),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.path,
        "run_number": run.run_number,
        "run_attempt": run.run_attempt,
        "referenced_workflows": [],
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": run.workflow.id,
        "url": own,
        "html_url": f"{urls.html}/{repo.full_name}/actions/runs/{run.id}",
        "pull_requests": pulls,
        "created_at": timestamp(run.created_at),
        "updated_at": timestamp(run.updated_at),
        "actor": user(urls, run.actor),
        "triggering_actor": user(urls, run.actor),
        "run_started_at": timestamp(run.created_at),
        **{f"{part}_url": f"{own}/{part}" for part in ("jobs", "logs", "artifacts", "cancel")},
        "check_suite_url": f"{repository_url(urls, repo)}/check-suites/{suite}",
        "rerun_url": f"{own}/rerun",
        "previous_attempt_url": None,
        "workflow_url": f"{repository_url(urls, repo)}/actions/workflows/{run.workflow.id}",
        "head_commit": None
        if commit is None
        else {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": commit.committer.when.isoformat(),
            "author": {"name": commit.author.name, "email": commit.author.email},
            "committer": {"name": commit.committer.name, "email": commit.committer.email},
        },
        "repository": minimal_repository(urls, repo),
        "head_repository": minimal_repository(urls, head),
        "display_title": (commit.message.split("\n")[0] if commit is not None else run.name),
    }


def artifact(urls: Urls, repo: Repository, one: Artifact, run: WorkflowRun | None) -> Json:
    """`artifact`."""
    own = f"{repository_url(urls, repo)}/actions/artifacts/{one.id}"
    return {
        "id": one.id,
        "node_id": node_id("Artifact", one.id),
        "name": one.name,
        "size_in_bytes": len(one.data),
        "url": own,
        "archive_download_url": f"{own}/zip",
        "expired": one.is_expired,
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.created_at),
        "expires_at": timestamp(one.created_at + ARTIFACT_RETENTION),
        "workflow_run": None
        if run is None
        else {
            "id": run.id,
            "repository_id": repo.id,
            "head_repository_id": repo.id,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
        },
    }


def commit_status(urls: Urls, repo: Repository, one: CommitStatus) -> Json:
    """`status`."""
    return {
        "url": f"{repository_url(urls, repo)}/statuses/{one.sha}",
        "avatar_url": f"{urls.html}/avatars/u/{one.creator.id}?v=4",
        "id": one.id,
        "node_id": node_id("Status", one.id),
        "state": one.state,
        "description": one.description,
        "target_url": one.target_url,
        "context": one.context,
        "created_at": timestamp(one.created_at),
        "updated_at": timestamp(one.created_at),
        "creator": user(urls, one.creator),
    }


def check_run(urls: Urls, repo: Repository, one: CheckRun) -> Json:
    """`check-run`."""
    own = f"{repository_url(urls, repo)}/check-runs/{one.id}"
    web = f"{urls.html}/{repo.full_name}/runs/{one.id}"
    return {
        "id": one.id,
        "head_sha": one.head_sha,
        "node_id": node_id("CheckRun", one.id),
        "external_id": one.external_id,
        "url": own,
        "html_url": web,
        "details_url": one.details_url or web,
        "status": one.status,
        "conclusion": one.conclusion,
        "started_at": one.started_at,
        "completed_at": one.completed_at,
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": one.text,
            "annotations_count": len(one.annotations),
            "annotations_url": f"{own}/annotations",
        },
        "name": one.name,
        "check_suite": {"id": one.app.id},
        "app": app(urls, one.app),
        "pull_requests": [],
    }
