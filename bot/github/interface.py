"""What we want of GitHub, in plain types; `bot.github.pygithub` is the one that asks it.

Every text in here comes from GitHub's users and is untrusted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from bot.errors import Unreachable


class GitHubRefused(Unreachable):
    """GitHub answered with an error status, and asking again would not help."""

    def __init__(self, status: int, what: str, *, where: str, next_step: str = "") -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.status = status


class GitHubUnreachable(Unreachable):
    """GitHub did not answer, or asked for a longer pause than we may take."""


@dataclass(frozen=True, slots=True)
class Comment:
    """`author` is a login; a bot's ends in "[bot]", which no person's can.

    `app_id` is the GitHub App's that wrote it, or that a person wrote it through.
    """

    id: int
    body: str
    author: str
    is_bot: bool
    url: str
    app_id: int | None = None


@dataclass(frozen=True, slots=True)
class PullRequest:
    """`head_repository` is None when the fork is gone."""

    number: int
    title: str
    body: str
    state: str
    merged: bool
    head_sha: str
    head_ref: str
    head_repository: str | None
    base_ref: str
    base_sha: str
    url: str


@dataclass(frozen=True, slots=True)
class PullFile:
    """A changed file; `previous_filename` is where a renamed one was before."""

    filename: str
    previous_filename: str | None


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """`path` is the workflow file's; `conclusion` is None until `status` is "completed"."""

    id: int
    name: str
    path: str
    event: str
    status: str
    conclusion: str | None
    head_sha: str
    head_branch: str
    head_repository: str | None
    repository: str
    run_number: int
    run_attempt: int
    url: str


@dataclass(frozen=True, slots=True)
class Artifact:
    id: int
    name: str
    size_bytes: int
    expired: bool


@dataclass(frozen=True, slots=True)
class Tip:
    """The commit at the tip of a branch."""

    sha: str
    tree_sha: str
    parents: tuple[str, ...]


CommitState = Literal["error", "failure", "pending", "success"]
Conclusion = Literal["success", "failure", "neutral"]
AnnotationLevel = Literal["notice", "warning", "failure"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """A line of a check run's annotations; lines count from 1."""

    path: str
    line: int
    level: AnnotationLevel
    message: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A completed check run."""

    name: str
    conclusion: Conclusion
    title: str
    summary: str
    details_url: str | None = None
    annotations: tuple[Annotation, ...] = ()


class GitHub(Protocol):
    """One repository, spoken to with one identity.

    Every method raises GitHubRefused or GitHubUnreachable. What reads, or may be repeated without
    harm, is retried. `create_comment`, `edit_comment`, `create_pull`, `create_ref` and `update_ref`
    are not: they raise Ambiguous when it is not known whether they were done, and the caller looks.
    The first two also when they had to wait: what they were made from may be out of date.
    """

    @property
    def repository(self) -> str:
        """OWNER/NAME."""

    def login(self) -> str:
        """The login that our comments are written under."""

    def wrote(self, comment: Comment) -> bool:
        """Is the comment ours?"""

    def default_branch(self) -> str: ...

    def comments(self, issue: int) -> Iterator[Comment]: ...

    def create_comment(self, issue: int, body: str) -> Comment: ...

    def edit_comment(self, comment: int, body: str) -> Comment: ...

    def delete_comment(self, comment: int) -> None: ...

    def pull(self, number: int) -> PullRequest: ...

    def pulls(self, head: str, base: str | None = None, state: str = "open") -> list[PullRequest]:
        """Those whose head is "OWNER:BRANCH"."""

    def create_pull(self, title: str, body: str, head: str, base: str) -> PullRequest: ...

    def edit_pull(self, number: int, title: str, body: str) -> PullRequest: ...

    def pull_files(self, number: int) -> tuple[list[PullFile], bool]:
        """The changed files, and whether the list is complete (GitHub stops at 3,000)."""

    def add_labels(self, issue: int, labels: Sequence[str]) -> None: ...

    def tip(self, branch: str) -> Tip | None:
        """The tip of a branch; None when there is no such branch."""

    def create_ref(self, branch: str, sha: str) -> None: ...

    def update_ref(self, branch: str, sha: str) -> None:
        """Fast-forward only; never forced."""

    def tree_paths(self, tree_sha: str) -> Mapping[str, str]:
        """Path → blob sha of every file below a tree."""

    def blob(self, sha: str) -> bytes: ...

    def create_tree(
        self, base_tree: str, texts: Mapping[str, str], blobs: Mapping[str, str]
    ) -> str:
        """A tree over another: files by their text, or by a blob that is there already."""

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str: ...

    def read_file(self, path: str, ref: str) -> bytes | None:
        """A file's whole content, also over 1 MB; None only when GitHub says 404."""

    def workflow_run(self, run_id: int) -> WorkflowRun: ...

    def artifacts(self, run_id: int, name: str) -> list[Artifact]: ...

    def download_artifact(self, artifact: int, to: Path, max_bytes: int) -> None:
        """The zip, streamed to a file; raises BadInput when it is larger than the bound."""

    def dispatch(self, event_type: str, payload: Mapping[str, object]) -> None: ...

    def set_status(
        self, sha: str, state: CommitState, context: str, description: str, url: str | None
    ) -> None: ...

    def create_check(self, sha: str, report: CheckReport) -> None: ...


class Ambiguous(GitHubUnreachable):
    """The answer to a change was lost: it may have been made. Look before asking again."""
