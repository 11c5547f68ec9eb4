"""The repository itself, branches, commits, comparisons, repository dispatch."""

from __future__ import annotations

from tests.github_server import payloads
from tests.github_server import payloads_git as git_payloads
from tests.github_server.git_diff import changed_files
from tests.github_server.git_store import EMPTY_TREE, Commit
from tests.github_server.payloads import Json, repository_url
from tests.github_server.pull_requests import find_fork
from tests.github_server.routing import reads, route, writes
from tests.github_server.state import Dispatch
from tests.github_server.wire import Answer, Call, Refusal, not_found

_REPO = "/repos/{owner}/{repo}"


@route("GET", _REPO, reads("metadata"))
def get_repository(call: Call) -> Answer:
    """The repository; a fork carries `parent` and `source`."""
    shown = payloads.repository(call.urls, call.repo)
    parent = call.state.repository(call.repo.parent) if call.repo.parent else None
    if parent is not None:
        shown["parent"] = shown["source"] = payloads.repository(call.urls, parent)
    writes_contents = call.bearer.allows("contents", "write")
    shown["permissions"] = {"admin": False, "push": writes_contents, "pull": True}
    return Answer(200, shown)


@route("GET", f"{_REPO}/branches/{{branch}}", reads("contents"))
def get_branch(call: Call) -> Answer:
    """A branch and the commit it is at."""
    name = call.parameters["branch"]
    sha = call.repo.git.read_ref(f"refs/heads/{name}")
    if sha is None:
        raise Refusal(404, "Branch not found")
    own = f"{repository_url(call.urls, call.repo)}/branches/{name}"
    shown = {
        "name": name,
        "commit": git_payloads.commit(call.urls, call.repo, _commit(call, sha)),
        "_links": {"self": own, "html": f"{call.urls.html}/{call.repo.full_name}/tree/{name}"},
        "protected": False,
        "protection": {"enabled": False},
        "protection_url": f"{own}/protection",
    }
    return Answer(200, shown)


@route("GET", f"{_REPO}/commits/{{ref}}", reads("contents"))
def get_commit(call: Call) -> Answer:
    """A commit by sha, branch or tag, with its files against the first parent."""
    sha = _resolve(call, call.parameters["ref"])
    if call.accepts("sha"):
        content_type = "application/vnd.github.sha; charset=utf-8"
        return Answer(200, sha.encode(), content_type=content_type)
    commit = _commit(call, sha)
    start = commit.parents[0] if commit.parents else EMPTY_TREE
    files = changed_files(call.repo.git, start, sha)
    chosen, headers = call.page(files)
    added, removed = sum(f.additions for f in files), sum(f.deletions for f in files)
    shown = {
        **git_payloads.commit(call.urls, call.repo, commit),
        "stats": {"additions": added, "deletions": removed, "total": added + removed},
        "files": [git_payloads.changed_file(call.urls, call.repo, sha, f) for f in chosen],
    }
    return Answer(200, shown, headers)


@route("GET", f"{_REPO}/compare/{{basehead}}", reads("contents"))
def compare_commits(call: Call) -> Answer:
    """`base...head`, each a sha, a branch, or a fork's `owner:branch`; at most 300 files."""
    base_name, dots, head_name = call.parameters["basehead"].partition("...")
    if not dots:
        raise not_found()
    base, head = _resolve_side(call, base_name), _resolve_side(call, head_name)
    store = call.repo.git
    merge_base = store.merge_base(base, head)
    if merge_base is None:
        raise Refusal(404, f"No common ancestor between {base_name} and {head_name}.")
    ahead, behind = store.list_commits(base, head), store.list_commits(head, base)
    status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
    own = f"{repository_url(call.urls, call.repo)}/compare/{base}...{head}"
    web = f"{call.urls.html}/{call.repo.full_name}/compare/{base}...{head}"
    chosen, headers = call.page(ahead)
    shown: Json = {
        "url": own,
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": git_payloads.commit(call.urls, call.repo, _commit(call, base)),
        "merge_base_commit": git_payloads.commit(call.urls, call.repo, _commit(call, merge_base)),
        "status": status.get((bool(ahead), bool(behind)), "identical"),
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [
            git_payloads.commit(call.urls, call.repo, _commit(call, sha)) for sha in chosen
        ],
        "files": [],
    }
    if call.query.get("page", "1") == "1":
        files = changed_files(store, merge_base, head)[: call.state.limits.compare_files]
        shown["files"] = [git_payloads.changed_file(call.urls, call.repo, head, f) for f in files]
    return Answer(200, shown, headers)


@route("POST", f"{_REPO}/dispatches", writes("contents"))
def create_dispatch(call: Call) -> Answer:
    """Recorded in `Repository.dispatches`; starts nothing."""
    event_type = call.required("event_type", str)
    payload = call.body().get("client_payload", {})
    if not isinstance(payload, dict):
        raise Refusal(422, 'Invalid request.\n\n"client_payload" is not an object.')
    limit = call.state.limits.dispatch_payload_properties
    if len(payload) > limit:
        raise Refusal(422, f"No more than {limit} properties are allowed; {len(payload)} given.")
    if not 0 < len(event_type) <= 100:
        raise Refusal(422, "event_type must be 1 to 100 characters")
    call.repo.dispatches.append(Dispatch(event_type, payload, call.actor))
    return Answer(204)


def _commit(call: Call, sha: str) -> Commit:
    commit = call.repo.git.read_commit(sha)
    if commit is None:
        raise not_found()
    return commit


def _resolve(call: Call, name: str) -> str:
    sha = call.repo.git.resolve_commit(name)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {name}")
    return sha


def _resolve_side(call: Call, name: str) -> str:
    owner, colon, branch = name.partition(":")
    repo = call.repo
    if colon and owner != repo.owner.login:
        fork = find_fork(call.state, repo, owner)
        if fork is None:
            raise not_found()
        ref = f"refs/forks/{owner}/{branch}"
        repo.git.fetch(fork.git, f"refs/heads/{branch}", ref)
        name = ref
    elif colon:
        name = branch
    sha = repo.git.resolve_commit(name)
    if sha is None:
        raise not_found()
    return sha
