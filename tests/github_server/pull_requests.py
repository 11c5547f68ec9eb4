"""How pull requests follow their branches, what they change, and how they are merged."""

from __future__ import annotations

from tests.github_server.git_diff import ChangedFile, changed_files
from tests.github_server.git_store import EMPTY_TREE, Signature
from tests.github_server.state import Issue, PullRequest, Repository, State, User
from tests.github_server.wire import Refusal, invalid

_RESOURCE = "PullRequest"


def new_number(repo: Repository) -> int:
    """Issues and pull requests share one numbering."""
    return max(repo.issues, default=0) + 1


def open_issue(
    state: State, repo: Repository, user: User, title: str, body: str | None, number: int
) -> Issue:
    """Add an issue."""
    now = state.now()
    issue = Issue(number, state.next_id("issue"), user, title, body, now, now)
    repo.issues[number] = issue
    return issue


def open_pull(
    state: State,
    repo: Repository,
    user: User,
    *,
    head: str,
    base: str,
    title: str,
    body: str | None = None,
    is_draft: bool = False,
    number: int | None = None,
) -> Issue:
    """Open a pull request from `branch` or `owner:branch`. Raises GitHub's 422s."""
    owner, _, branch = head.rpartition(":")
    head_repo = repo if owner in ("", repo.owner.login) else find_fork(state, repo, owner)
    if head_repo is None:
        raise invalid(_RESOURCE, "head", "invalid")
    head_sha = head_repo.git.read_ref(f"refs/heads/{branch}")
    base_sha = repo.git.read_ref(f"refs/heads/{base}")
    if head_sha is None:
        raise invalid(_RESOURCE, "head", "invalid")
    if base_sha is None:
        raise invalid(_RESOURCE, "base", "invalid")
    if any(
        pull.head_ref == branch
        and pull.base_ref == base
        and pull.head_repository == head_repo.full_name
        and repo.issues[pull.number].state == "open"
        for pull in repo.pulls
    ):
        label = f"{head_repo.owner.login}:{branch}"
        raise _custom(f"A pull request already exists for {label}.")
    number = number or new_number(repo)
    _bring_head(repo, head_repo, branch, head_sha, number)
    if repo.git.is_ancestor(head_sha, base_sha):
        repo.git.delete_ref(f"refs/pull/{number}/head")
        raise _custom(f"No commits between {base} and {head}")
    issue = open_issue(state, repo, user, title, body, number)
    issue.pull = PullRequest(
        number=number,
        id=state.next_id("pull"),
        head_repository=head_repo.full_name,
        head_ref=branch,
        head_sha=head_sha,
        base_ref=base,
        base_sha=base_sha,
        is_draft=is_draft,
    )
    return issue


def find_fork(state: State, repo: Repository, owner: str) -> Repository | None:
    """The fork of a repository that this owner holds."""
    for candidate in state.repositories.values():
        if candidate.owner.login == owner and candidate.parent == repo.full_name:
            return candidate
    return None


def follow_branches(state: State, repo: Repository, issue: Issue) -> PullRequest:
    """Bring an open pull request up to what its branches hold now; closes it when its head branch
    is gone, as GitHub does."""
    pull = issue.pull
    assert pull is not None
    if issue.state == "closed":
        return pull
    head_repo = state.repository(pull.head_repository)
    head_sha = head_repo.git.read_ref(f"refs/heads/{pull.head_ref}") if head_repo else None
    if head_repo is None or head_sha is None:
        close(state, issue)
        return pull
    if head_sha != pull.head_sha:
        _bring_head(repo, head_repo, pull.head_ref, head_sha, pull.number)
        pull.head_sha = head_sha
    pull.base_sha = repo.git.read_ref(f"refs/heads/{pull.base_ref}") or pull.base_sha
    return pull


def try_merge(repo: Repository, pull: PullRequest, user: User, state: State) -> None:
    """Compute `mergeable` and the test merge commit at `refs/pull/N/merge`, once a pair of shas."""
    key = (pull.base_sha, pull.head_sha)
    if pull.merged_at is not None or pull.merge_key == key:
        return
    tree = repo.git.merge_trees(*key)
    pull.merge_key, pull.is_mergeable = key, tree is not None
    if tree is not None:
        who = Signature(user.login, user.email, state.now())
        message = f"Merge {pull.head_sha} into {pull.base_sha}"
        pull.merge_commit_sha = repo.git.write_commit(tree, key, message, who, who)
        repo.git.set_ref(f"refs/pull/{pull.number}/merge", pull.merge_commit_sha)


def files_of(repo: Repository, pull: PullRequest) -> list[ChangedFile]:
    """All changed files against the merge base, GitHub's cap not applied yet."""
    if pull.files_override is not None:
        return pull.files_override
    key = (pull.base_sha, pull.head_sha)
    if pull.files_cache is None or pull.files_cache[0] != key:
        start = repo.git.merge_base(*key) or EMPTY_TREE
        pull.files_cache = (key, changed_files(repo.git, start, pull.head_sha))
    return pull.files_cache[1]


def close(state: State, issue: Issue) -> None:
    """Close without merging."""
    issue.state, issue.closed_at, issue.updated_at = "closed", state.now(), state.now()


def squash_merge(state: State, repo: Repository, issue: Issue, user: User) -> str:
    """Merge as one new commit on the base branch, as the button does; returns its sha.

    Raises Refusal 405 on a conflict.
    """
    pull = follow_branches(state, repo, issue)
    tree = repo.git.merge_trees(pull.base_sha, pull.head_sha)
    if tree is None or issue.state == "closed":
        raise Refusal(405, "Pull Request is not mergeable")
    files_of(repo, pull)
    who = Signature(user.login, user.email, state.now())
    message = f"{issue.title} (#{issue.number})"
    sha = repo.git.write_commit(tree, [pull.base_sha], message, who, who)
    repo.git.update_ref(f"refs/heads/{pull.base_ref}", sha, pull.base_sha)
    close(state, issue)
    pull.merged_at, pull.merged_by, pull.merge_commit_sha = state.now(), user, sha
    return sha


def _bring_head(
    repo: Repository, head_repo: Repository, branch: str, head_sha: str, number: int
) -> None:
    ref = f"refs/pull/{number}/head"
    if head_repo is repo:
        repo.git.set_ref(ref, head_sha)
    else:
        repo.git.fetch(head_repo.git, f"refs/heads/{branch}", ref)


def _custom(message: str) -> Refusal:
    return Refusal(
        422,
        "Validation Failed",
        [{"resource": _RESOURCE, "code": "custom", "message": message}],
    )
