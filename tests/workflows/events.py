"""Event payloads with the structure of GitHub's own, shortened to what workflows and bot can read.

Structure: npm's `@octokit/webhooks-examples` 7.6.1, examples of pull_request, workflow_run,
repository_dispatch and push. Names and numbers are the test GitHub's.
"""

from typing import Any

from tests.github_server.state import Issue, Repository, WorkflowRun
from tests.support.github_place import GitHubPlace


def _repository(repo: Repository, url: str) -> dict[str, Any]:
    return {
        "id": repo.id,
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.is_private,
        "owner": {"login": repo.owner.login, "id": repo.owner.id, "type": "Organization"},
        "html_url": f"{url}/{repo.full_name}",
        "fork": repo.parent is not None,
        "default_branch": repo.default_branch,
    }


def _common(place: GitHubPlace, sender: str = "octocat") -> dict[str, Any]:
    return {
        "repository": _repository(place.repo, place.server.url),
        "organization": {"login": place.repo.owner.login, "id": place.repo.owner.id},
        "sender": {"login": sender, "id": 21031067, "type": "User", "site_admin": False},
    }


def pull_request(place: GitHubPlace, issue: Issue, action: str = "opened") -> dict[str, Any]:
    pull = issue.pull
    assert pull is not None
    head = place.server.state.repositories[pull.head_repository.lower()]
    return {
        "action": action,
        "number": issue.number,
        "pull_request": {
            "number": issue.number,
            "state": "open",
            "title": issue.title,
            "body": issue.body,
            "user": {"login": head.owner.login, "type": "User"},
            "draft": False,
            "head": {
                "label": f"{head.owner.login}:{pull.head_ref}",
                "ref": pull.head_ref,
                "sha": pull.head_sha,
                "repo": _repository(head, place.server.url),
            },
            "base": {
                "label": f"{place.repo.owner.login}:{pull.base_ref}",
                "ref": pull.base_ref,
                "sha": pull.base_sha,
                "repo": _repository(place.repo, place.server.url),
            },
        },
        **_common(place),
    }


def workflow_run(place: GitHubPlace, run: WorkflowRun) -> dict[str, Any]:
    head = place.server.state.repositories[run.head_repository.lower()]
    return {
        "action": "completed",
        "workflow": {"id": run.workflow.id, "name": run.name, "path": run.path},
        "workflow_run": {
            "id": run.id,
            "name": run.name,
            "path": run.path,
            "event": run.event,
            "status": run.status,
            "conclusion": run.conclusion,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "run_number": run.run_number,
            "pull_requests": [],  # empty for forks
            "head_repository": _repository(head, place.server.url),
            "repository": _repository(place.repo, place.server.url),
        },
        **_common(place),
    }


def repository_dispatch(place: GitHubPlace, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "action": "extraction_benchmark_main_complete",
        "branch": place.repo.default_branch,
        "client_payload": payload,
        **_common(place, "github-actions[bot]"),
    }


def push(place: GitHubPlace, sha: str) -> dict[str, Any]:
    return {
        "ref": f"refs/heads/{place.repo.default_branch}",
        "before": "0" * 40,
        "after": sha,
        "created": False,
        "deleted": False,
        "forced": False,
        "commits": [],
        "head_commit": {"id": sha},
        **_common(place),
    }


def workflow_dispatch(place: GitHubPlace, inputs: dict[str, str]) -> dict[str, Any]:
    ref = f"refs/heads/{place.repo.default_branch}"
    return {"inputs": inputs, "ref": ref, "workflow": "", **_common(place)}


def schedule(place: GitHubPlace) -> dict[str, Any]:
    return {"schedule": "23 4 * * 1", "workflow": "", **_common(place)}
