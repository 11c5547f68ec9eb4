"""What the test GitHub remembers, as typed values. No HTTP and no JSON in here."""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Literal

from tests.github_server.git_diff import ChangedFile
from tests.github_server.git_store import GitStore

Level = Literal["none", "read", "write"]
PERMISSIONS = ("contents", "pull_requests", "issues", "statuses", "checks", "actions", "metadata")
ALL_WRITE: Mapping[str, Level] = dict.fromkeys(PERMISSIONS, "write")
ALL_READ: Mapping[str, Level] = dict.fromkeys(PERMISSIONS, "read")

ACTIONS_BOT_ID = 41_898_282
ACTIONS_BOT_LOGIN = "github-actions[bot]"
ACTIONS_APP_ID = 15_368
"""The real ids of github-actions, which bots compare with."""

_wall_clock = time.time
"""Bound at import, so that a test which makes `time.time` explode does not stop the server."""


class TokenKind(StrEnum):
    """Whose token it is: it decides the author, and what GitHub lets it do."""

    ACTIONS = "actions"
    APP = "app"
    PERSONAL = "personal"


@dataclass(frozen=True)
class User:
    """A person or a bot. `type` is `User` or `Bot`."""

    login: str
    id: int
    type: str = "User"

    @property
    def email(self) -> str:
        """GitHub's no-reply address of this user."""
        return f"{self.id}+{self.login}@users.noreply.github.com"


@dataclass(frozen=True)
class App:
    """A registered GitHub App; `public_key_pem` verifies its JWTs."""

    id: int
    slug: str
    public_key_pem: bytes = b""

    @property
    def client_id(self) -> str:
        """The other form of `iss` that GitHub accepts."""
        return f"Iv1.{self.id:016x}"


@dataclass(frozen=True)
class Installation:
    """An App installed on an owner's repositories."""

    id: int
    app: App
    owner: str
    repositories: frozenset[str]
    permissions: Mapping[str, Level]


@dataclass
class Token:
    """A token and what it may do. `repositories` None means every repository."""

    value: str = field(repr=False)
    kind: TokenKind
    user: User
    permissions: dict[str, Level]
    app: App | None = None
    repositories: frozenset[str] | None = None
    expires_at: datetime | None = None
    may_comment_on_locked: bool = False
    rate_limit: int = 5_000
    rate_used: int = 0

    def allows(self, permission: str, level: Level) -> bool:
        """Does the token hold this permission at this level or above?"""
        return self.permissions.get(permission, "none") in ("write", level)


@dataclass
class Comment:
    """An issue comment."""

    id: int
    issue_number: int
    user: User
    app: App | None
    body: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Label:
    """A label of a repository; `color` is six hex digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass
class Issue:
    """An issue, or the issue half of a pull request (same number)."""

    number: int
    id: int
    user: User
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    state: Literal["open", "closed"] = "open"
    closed_at: datetime | None = None
    is_locked: bool = False
    labels: list[str] = field(default_factory=list)
    pull: PullRequest | None = None


@dataclass
class PullRequest:
    """A pull request; title, body, state, labels and comments are its issue's.

    `head_sha` and `base_sha` follow the branches while it is open. `files_override` replaces the
    file list of the real diff.
    """

    number: int
    id: int
    head_repository: str
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    is_draft: bool = False
    merged_at: datetime | None = None
    merged_by: User | None = None
    merge_commit_sha: str | None = None
    is_mergeable: bool | None = None
    merge_key: tuple[str, str] | None = None
    files_override: list[ChangedFile] | None = None
    files_cache: tuple[tuple[str, str], list[ChangedFile]] | None = None


@dataclass(frozen=True)
class Workflow:
    """A workflow file."""

    id: int
    name: str
    path: str


@dataclass
class Artifact:
    """An uploaded artifact; `data` is the zip."""

    id: int
    run_id: int
    name: str
    data: bytes = field(repr=False)
    created_at: datetime
    is_expired: bool = False


@dataclass
class WorkflowRun:
    """One run of a workflow. Tests change its fields freely."""

    id: int
    workflow: Workflow
    run_number: int
    head_sha: str
    head_branch: str
    head_repository: str
    event: str
    status: str
    conclusion: str | None
    actor: User
    created_at: datetime
    updated_at: datetime
    run_attempt: int = 1
    path: str = ""
    name: str = ""


@dataclass(frozen=True)
class CommitStatus:
    """One commit status; a later one of the same context replaces it in the combined view."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    creator: User
    created_at: datetime


@dataclass
class CheckRun:
    """A check run; annotations pile up over the requests that bring them."""

    id: int
    head_sha: str
    name: str
    app: App
    status: str
    conclusion: str | None
    started_at: str | None
    completed_at: str | None
    details_url: str | None = None
    external_id: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Dispatch:
    """A repository dispatch that was accepted."""

    event_type: str
    client_payload: dict[str, Any]
    sender: User


@dataclass
class Repository:
    """A repository with everything in it; `git` holds the real objects and refs."""

    id: int
    owner: User
    name: str
    git: GitStore
    created_at: datetime
    default_branch: str = "main"
    is_private: bool = True
    parent: str | None = None
    may_actions_create_pulls: bool = True
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    workflows: dict[int, Workflow] = field(default_factory=dict)
    runs: dict[int, WorkflowRun] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    statuses: list[CommitStatus] = field(default_factory=list)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    dispatches: list[Dispatch] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    @property
    def pulls(self) -> list[PullRequest]:
        """All pull requests, by number."""
        return [issue.pull for _, issue in sorted(self.issues.items()) if issue.pull is not None]

    def comments_on(self, number: int) -> list[Comment]:
        """Comments of one issue or pull request, oldest first."""
        return [comment for comment in self.comments.values() if comment.issue_number == number]


@dataclass
class Limits:
    """GitHub's bounds. Tests may lower a byte limit to avoid large files."""

    comment_chars: int = 65_536
    contents_json_bytes: int = 1_048_576
    contents_raw_bytes: int = 100 * 1_048_576
    blob_bytes: int = 100 * 1_048_576
    pull_files: int = 3_000
    compare_files: int = 300
    page_size: int = 100
    annotations_per_request: int = 50
    dispatch_payload_properties: int = 10
    signed_url_seconds: int = 60


class State:
    """Everything the server knows. The server's one lock guards it."""

    def __init__(self, clock: Callable[[], float] = _wall_clock) -> None:
        self.clock = clock
        self.clock_skew_seconds = 0.0
        self.limits = Limits()
        self.repositories: dict[str, Repository] = {}
        self.users: dict[str, User] = {}
        self.tokens: dict[str, Token] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self._counters: dict[str, Iterator[int]] = {}
        self.actions_app = App(ACTIONS_APP_ID, "github-actions")
        self.users[ACTIONS_BOT_LOGIN] = User(ACTIONS_BOT_LOGIN, ACTIONS_BOT_ID, "Bot")

    def now(self) -> datetime:
        """The server's clock, whole seconds in UTC as GitHub writes times."""
        return datetime.fromtimestamp(int(self.timestamp()), tz=UTC)

    def timestamp(self) -> float:
        """The server's clock in seconds since the epoch, skew included."""
        return self.clock() + self.clock_skew_seconds

    def next_id(self, kind: str) -> int:
        """Ids count up from a base of their own kind: the same in each run of a test, above 2³¹
        where GitHub's are."""
        if kind not in self._counters:
            base = 1 + int(hashlib.sha256(kind.encode()).hexdigest()[:4], 16)
            large = kind in ("comment", "run", "artifact", "pull", "issue", "check_run", "status")
            self._counters[kind] = itertools.count(base * 100_000 + (3 << 32 if large else 0))
        return next(self._counters[kind])

    def user(self, login: str, kind: str = "User") -> User:
        """The user of this login, made when it is new."""
        if login not in self.users:
            self.users[login] = User(login, self.next_id("user"), kind)
        return self.users[login]

    def repository(self, full_name: str) -> Repository | None:
        """A repository by `owner/name`, in any letter case."""
        return self.repositories.get(full_name.lower())

    def add_token(self, token: Token) -> Token:
        """Register a token by its value."""
        self.tokens[token.value] = token
        return token

    def new_token_value(self, prefix: str) -> str:
        """A value that looks like GitHub's (and that secret scrubbers know by its prefix)."""
        number = self.next_id(f"token-{prefix}")
        return f"{prefix}_{hashlib.sha256(f'{prefix}{number}'.encode()).hexdigest()[:36]}"
