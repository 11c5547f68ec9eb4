"""Building what a test starts from: repositories, branches, pull requests, runs, tokens.

Each helper changes the server's state directly, as if people and workflows had done it; nothing
of it is counted as a request.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from tests.github_server import pull_requests
from tests.github_server.git_store import EMPTY_TREE, GitStore, Signature, TreeChange, TreeEntry
from tests.github_server.server import GitHubServer
from tests.github_server.state import (
    ACTIONS_BOT_LOGIN,
    ALL_WRITE,
    App,
    Artifact,
    Comment,
    Installation,
    Issue,
    Level,
    Repository,
    Token,
    TokenKind,
    Workflow,
    WorkflowRun,
)

FileContent = bytes | str | None
"""What a path becomes: content, or None for a deletion."""

PERSON = "octocat"
WORKFLOW_PATH = ".github/workflows/extraction-benchmark.yml"


def create_repository(
    server: GitHubServer,
    full_name: str = "octo-org/memory",
    files: Mapping[str, FileContent] | None = None,
    *,
    default_branch: str = "main",
    is_private: bool = True,
) -> Repository:
    """A repository whose default branch holds `files` in one commit.

    It is private unless told otherwise, so that a read without permission is refused; on a public
    one every token may read, as on GitHub.
    """
    with server.lock:
        owner, name = full_name.split("/")
        git_dir = server.directory / owner / f"{name}.git"
        repo = Repository(
            id=server.state.next_id("repository"),
            owner=server.state.user(owner),
            name=name,
            git=GitStore.create(git_dir, default_branch),
            created_at=server.state.now(),
            default_branch=default_branch,
            is_private=is_private,
        )
        server.state.repositories[full_name.lower()] = repo
        commit_files(server, repo, files or {"README.md": "# Memory\n"}, message="Start")
        return repo


def fork_repository(
    server: GitHubServer, repo: Repository, owner: str, *, is_private: bool | None = None
) -> Repository:
    """A fork under another owner, with all branches."""
    with server.lock:
        git_dir = server.directory / owner / f"{repo.name}.git"
        fork = Repository(
            id=server.state.next_id("repository"),
            owner=server.state.user(owner),
            name=repo.name,
            git=GitStore.fork(repo.git, git_dir),
            created_at=server.state.now(),
            default_branch=repo.default_branch,
            is_private=repo.is_private if is_private is None else is_private,
            parent=repo.full_name,
        )
        server.state.repositories[fork.full_name.lower()] = fork
        return fork


def commit_files(
    server: GitHubServer,
    repo: Repository,
    files: Mapping[str, FileContent],
    *,
    branch: str | None = None,
    message: str = "Change files",
    login: str = PERSON,
    executable: bool = False,
) -> str:
    """One commit on a branch (made from the default branch when absent); returns its sha."""
    with server.lock:
        branch = branch or repo.default_branch
        tip = repo.git.read_ref(f"refs/heads/{branch}")
        parent = tip or repo.git.read_ref(f"refs/heads/{repo.default_branch}")
        base = repo.git.object_info(f"{parent}^{{tree}}") if parent else None
        mode = "100755" if executable else "100644"
        changes: dict[str, TreeChange] = {}
        for path, content in files.items():
            raw = content.encode() if isinstance(content, str) else content
            changes[path] = None if raw is None else TreeEntry(path, mode, repo.git.write_blob(raw))
        tree = repo.git.write_tree(base[0] if base else None, changes)
        user = server.state.user(login)
        who = Signature(user.login, user.email, server.state.now())
        parents = [parent] if parent else []
        sha = repo.git.write_commit(tree or EMPTY_TREE, parents, message, who, who)
        repo.git.set_ref(f"refs/heads/{branch}", sha)
        return sha


def read_file(repo: Repository, path: str, ref: str | None = None) -> bytes | None:
    """A file's content on a branch (the default one unless given), None when it is not there."""
    found = repo.git.read_object(f"refs/heads/{ref or repo.default_branch}:{path}")
    return None if found is None else found[2]


def delete_branch(server: GitHubServer, repo: Repository, branch: str) -> None:
    """Delete a branch; its open pull requests are closed."""
    with server.lock:
        repo.git.delete_ref(f"refs/heads/{branch}")
        for pull in repo.pulls:
            pull_requests.follow_branches(server.state, repo, repo.issues[pull.number])


def open_pull_request(
    server: GitHubServer,
    repo: Repository,
    *,
    head: str = "feature",
    base: str | None = None,
    title: str = "A change",
    body: str | None = "",
    files: Mapping[str, FileContent] | None = None,
    login: str = PERSON,
    number: int | None = None,
) -> Issue:
    """A pull request from `branch`, or from a fork's `owner:branch` (forked when there is none).

    `files` are committed to the head branch first. The pull request itself is `.pull`.
    """
    with server.lock:
        owner, _, branch = head.rpartition(":")
        source = repo
        if owner not in ("", repo.owner.login):
            found = pull_requests.find_fork(server.state, repo, owner)
            source = found or fork_repository(server, repo, owner)
        is_new = source.git.read_ref(f"refs/heads/{branch}") is None
        if files is not None or is_new:
            changed = files if files is not None else {"change.txt": f"{branch}\n"}
            commit_files(server, source, changed, branch=branch, login=login)
        return pull_requests.open_pull(
            server.state,
            repo,
            server.state.user(login),
            head=head,
            base=base or repo.default_branch,
            title=title,
            body=body,
            number=number,
        )


def squash_merge_pull_request(
    server: GitHubServer,
    repo: Repository,
    number: int,
    *,
    login: str = PERSON,
    delete_head: bool = False,
) -> str:
    """Squash and merge as the button does; returns the new commit's sha."""
    with server.lock:
        issue = repo.issues[number]
        sha = pull_requests.squash_merge(server.state, repo, issue, server.state.user(login))
        if delete_head and issue.pull is not None:
            delete_branch(server, repo, issue.pull.head_ref)
        return sha


def lock_issue(repo: Repository, number: int) -> None:
    """Lock the conversation."""
    repo.issues[number].is_locked = True


def add_comments(
    server: GitHubServer,
    repo: Repository,
    number: int,
    count: int = 1,
    *,
    body: str = "Looks good to me.",
    login: str = PERSON,
    app: App | None = None,
) -> list[Comment]:
    """Comments by a person (or, with a bot's login and App, by a bot)."""
    with server.lock:
        made = []
        kind = "Bot" if login.endswith("[bot]") else "User"
        for _ in range(count):
            now = server.state.now()
            user = server.state.user(login, kind)
            comment_id = server.state.next_id("comment")
            comment = Comment(comment_id, number, user, app, body, now, now)
            repo.comments[comment.id] = comment
            made.append(comment)
        return made


def create_token(
    server: GitHubServer,
    kind: TokenKind | str = TokenKind.ACTIONS,
    permissions: Mapping[str, Level] = ALL_WRITE,
    *,
    login: str = PERSON,
    repository: Repository | None = None,
) -> Token:
    """An Actions token (GITHUB_TOKEN) or a personal one; App tokens come from `install_app` and
    the API. What `permissions` leaves out is none, but metadata can always be read."""
    with server.lock:
        kind = TokenKind(kind)
        is_actions = kind is TokenKind.ACTIONS
        user = server.state.user(ACTIONS_BOT_LOGIN if is_actions else login)
        granted: dict[str, Level] = {"metadata": "read", **permissions}
        return server.state.add_token(
            Token(
                value=server.state.new_token_value("ghs" if is_actions else "ghp"),
                kind=kind,
                user=user,
                permissions=granted,
                app=server.state.actions_app if is_actions else None,
                repositories=frozenset({repository.full_name}) if repository else None,
                may_comment_on_locked=not is_actions and granted.get("contents") == "write",
                rate_limit=1_000 if is_actions else 5_000,
            )
        )


def install_app(
    server: GitHubServer,
    repo: Repository,
    public_key_pem: bytes,
    *,
    app_id: int = 424_242,
    slug: str = "memory-bench",
    permissions: Mapping[str, Level] = ALL_WRITE,
) -> Installation:
    """Register an App by its public key and install it on a repository."""
    with server.lock:
        app = App(app_id, slug, public_key_pem)
        server.state.apps[app.id] = app
        server.state.user(f"{slug}[bot]", "Bot")
        installation = Installation(
            id=server.state.next_id("installation"),
            app=app,
            owner=repo.owner.login,
            repositories=frozenset({repo.full_name}),
            permissions={"metadata": "read", **permissions},
        )
        server.state.installations[installation.id] = installation
        return installation


def create_workflow_run(
    server: GitHubServer,
    repo: Repository,
    *,
    head_sha: str | None = None,
    head_branch: str | None = None,
    head_repository: Repository | None = None,
    event: str = "push",
    status: str = "completed",
    conclusion: str | None = "success",
    run_number: int | None = None,
    workflow_name: str = "Extraction benchmark",
    workflow_path: str = WORKFLOW_PATH,
    login: str = PERSON,
    artifacts: Mapping[str, bytes] | None = None,
) -> WorkflowRun:
    """A workflow run; `artifacts` are zips by name (see `zip_of`). Change its fields freely."""
    with server.lock:
        head = head_repository or repo
        branch = head_branch or repo.default_branch
        sha = head_sha or head.git.read_ref(f"refs/heads/{branch}") or ""
        workflow = _workflow(server, repo, workflow_name, workflow_path)
        earlier = [run for run in repo.runs.values() if run.workflow == workflow]
        now = server.state.now()
        run = WorkflowRun(
            id=server.state.next_id("run"),
            workflow=workflow,
            run_number=run_number or max((r.run_number for r in earlier), default=0) + 1,
            head_sha=sha,
            head_branch=branch,
            head_repository=head.full_name,
            event=event,
            status=status,
            conclusion=conclusion if status == "completed" else None,
            actor=server.state.user(login),
            created_at=now,
            updated_at=now,
            path=workflow.path,
            name=workflow.name,
        )
        repo.runs[run.id] = run
        for name, data in (artifacts or {}).items():
            add_artifact(server, repo, run, name, data)
        return run


def add_artifact(
    server: GitHubServer, repo: Repository, run: WorkflowRun, name: str, data: bytes
) -> Artifact:
    """Attach an artifact (zip bytes) to a run."""
    with server.lock:
        artifact_id = server.state.next_id("artifact")
        artifact = Artifact(artifact_id, run.id, name, data, server.state.now())
        repo.artifacts[artifact.id] = artifact
        return artifact


def zip_of(files: Mapping[str, bytes | str]) -> bytes:
    """A zip with these files; names are taken as they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _workflow(server: GitHubServer, repo: Repository, name: str, path: str) -> Workflow:
    for workflow in repo.workflows.values():
        if (workflow.name, workflow.path) == (name, path):
            return workflow
    workflow = Workflow(server.state.next_id("workflow"), name, path)
    repo.workflows[workflow.id] = workflow
    return workflow
