"""Publishes files on a branch of their own: single commits, never a forced push, nothing lost.

It takes functions and not files: when the branch has moved, its files are read again and `edit` is
called again, so a retry cannot undo what another publisher wrote. A branch without an open pull
request is left over from one that was merged: its next commit has the default branch as a second
parent and the default branch's tree, with the rows of both sides merged file by file.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from bot.github.interface import Ambiguous, GitHub, GitHubRefused, GitHubUnreachable, Tip

MAX_ATTEMPTS: Final = 80
"""32 publishers at once: each round of attempts lets at least one of them through."""
_MOVED: Final = (409, 422)
_PAUSE_SECONDS: Final = 0.3
_MAX_PAUSE_FACTOR: Final = 8

Files = Mapping[str, bytes | None]
"""Path → content; None where there is no such file."""

Outcome = Literal["committed", "on_data_branch", "on_default_branch"]
"""What became of a publication: the last two say that it was made before."""


@dataclass(frozen=True, slots=True)
class DataBranch:
    """What is published and how.

    `edit` gets the publisher's own `paths` on the data branch, merged with the default branch's
    where the branch was left over, and returns what to write. `merge` merges two versions of one
    file below `folder`, whoever's it is: (path, default branch's, data branch's) → bytes.
    """

    name: str
    folder: str
    paths: Sequence[str]
    message: str
    edit: Callable[[Files], Mapping[str, bytes]]
    merge: Callable[[str, bytes, bytes], bytes]


@dataclass(frozen=True)
class Pacing:
    """How to wait between attempts; chance from outside, so that a test can fix it."""

    sleep: Callable[[float], None]
    chance: Callable[[], float] = field(
        default_factory=lambda: random.Random().random  # noqa: S311 - jitter, not a secret
    )

    def pause(self, attempt: int) -> None:
        self.sleep(_PAUSE_SECONDS * min(_MAX_PAUSE_FACTOR, 1 + attempt) * (0.1 + self.chance()))


class _Reader:
    """Trees and blobs, each asked for once."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._blobs: dict[str, bytes] = {}

    def paths(self, tip: Tip, folder: str) -> dict[str, str]:
        found = self._github.tree_paths(tip.tree_sha)
        return {path: blob for path, blob in found.items() if path.startswith(folder)}

    def blob(self, sha: str) -> bytes:
        if sha not in self._blobs:
            self._blobs[sha] = self._github.blob(sha)
        return self._blobs[sha]


@dataclass(frozen=True, slots=True)
class _Base:
    """What a commit is built on: parents, a tree, and the data folder's files over that tree.

    `carried` are files of the data branch that the tree lacks; `on_default` the default branch's
    files below the folder, None where they were not read.
    """

    tip: Tip | None
    parents: tuple[str, ...]
    tree: str
    blobs: Mapping[str, str]
    merged: Mapping[str, bytes] = field(default_factory=dict)
    carried: Mapping[str, str] = field(default_factory=dict)
    on_default: Mapping[str, str] | None = None

    def read(self, reader: _Reader, path: str) -> bytes | None:
        if path in self.merged:
            return self.merged[path]
        return reader.blob(self.blobs[path]) if path in self.blobs else None


def _base(
    github: GitHub, reader: _Reader, branch: DataBranch, default_branch: str, *, is_live: bool
) -> _Base:
    data = github.tip(branch.name)
    if data is not None and is_live:
        return _Base(data, (data.sha,), data.tree_sha, reader.paths(data, branch.folder))
    main = github.tip(default_branch)
    if main is None:
        raise GitHubRefused(404, "there is no such branch", where=default_branch)
    theirs = reader.paths(main, branch.folder)
    if data is None or data.sha == main.sha:
        return _Base(data, (main.sha,), main.tree_sha, theirs, on_default=theirs)
    ours = reader.paths(data, branch.folder)
    if main.sha in data.parents:
        return _Base(data, (data.sha,), data.tree_sha, ours, on_default=theirs)
    return _Base(
        data,
        (data.sha, main.sha),
        main.tree_sha,
        {**ours, **theirs},
        merged={
            path: branch.merge(path, reader.blob(theirs[path]), reader.blob(blob))
            for path, blob in ours.items()
            if path in theirs and theirs[path] != blob
        },
        carried={path: blob for path, blob in ours.items() if path not in theirs},
        on_default=theirs,
    )


def _is_on_default(reader: _Reader, branch: DataBranch, base: _Base) -> bool:
    if base.on_default is None:
        return False
    blobs = {path: base.on_default.get(path) for path in branch.paths}
    files = {path: blob and reader.blob(blob) for path, blob in blobs.items()}
    return not _changes(branch, {path: data or None for path, data in files.items()})


def _changes(branch: DataBranch, before: Files) -> dict[str, bytes]:
    written = branch.edit(before)
    return {path: data for path, data in written.items() if before.get(path) != data}


def publish_files(
    github: GitHub,
    branch: DataBranch,
    default_branch: str,
    is_live: Callable[[], bool],
    pacing: Pacing,
) -> Outcome:
    """Write what `edit` returns as one commit on the data branch, created when it is absent.

    `is_live` says whether the branch has an open pull request; it is asked at each attempt. Raises
    GitHubUnreachable after many attempts, GitHubRefused where we may not write.
    """
    reader = _Reader(github)
    for attempt in range(MAX_ATTEMPTS):
        base = _base(github, reader, branch, default_branch, is_live=is_live())
        if _is_on_default(reader, branch, base):
            return "on_default_branch"
        written = _changes(branch, {path: base.read(reader, path) for path in branch.paths})
        if not written:
            return "on_data_branch"
        files = {**base.merged, **written}
        texts = {path: data.decode() for path, data in files.items()}
        carried = {path: blob for path, blob in base.carried.items() if path not in texts}
        tree = github.create_tree(base.tree, texts, carried)
        commit = github.create_commit(branch.message, tree, base.parents)
        if _move(github, branch.name, base.tip, commit):
            return "committed"
        pacing.pause(attempt)
    raise GitHubUnreachable(
        f"the branch moved under us {MAX_ATTEMPTS} times",
        where=branch.name,
        next_step="run the job again",
    )


def _move(github: GitHub, branch: str, old: Tip | None, commit: str) -> bool:
    """Move the branch to `commit`; False when somebody else has moved it meanwhile."""
    try:
        if old is None:
            github.create_ref(branch, commit)
        else:
            github.update_ref(branch, commit)
    except GitHubRefused as error:
        if error.status in _MOVED:
            return False
        raise
    except Ambiguous:  # the answer was lost: the tip is ours, or ours lies below it, or neither
        tip = github.tip(branch)
        return tip is not None and (tip.sha == commit or github.is_ancestor(commit, tip.sha))
    return True
