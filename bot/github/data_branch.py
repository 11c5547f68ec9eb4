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

MAX_ATTEMPTS: Final = 30
_MOVED: Final = (409, 422)
_FIRST_PAUSE_SECONDS: Final = 4.0
_PAUSE_DOUBLINGS: Final = 2
"""A publication takes about a second, and a repository's token has 1,000 requests an hour: wide
pauses let 32 publishers through in three or four attempts each."""

Files = Mapping[str, bytes | None]
"""Path → content; None where there is no such file."""

Outcome = Literal["committed", "on_data_branch", "on_default_branch"]
"""What became of a publication: the last two say that it was made before."""


@dataclass(frozen=True, slots=True)
class DataBranch:
    """What is published and how.

    `edit` gets the publisher's own `paths` on the data branch, merged with the default branch's
    where the branch was left over, and returns what to write; nothing when they hold it. `merge`
    merges two versions of one file below `folder`, whoever's it is: (path, default branch's, data
    branch's) → bytes.
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
        """Anything from nothing up to the bound, which doubles twice."""
        self.sleep(_FIRST_PAUSE_SECONDS * 2 ** min(attempt, _PAUSE_DOUBLINGS) * self.chance())


class _Reader:
    """Files of commits and blobs, each asked for once."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._files: dict[tuple[str, str], bytes | None] = {}
        self._blobs: dict[str, bytes] = {}

    def files(self, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        for path in paths:
            if (commit, path) not in self._files:
                self._files[commit, path] = self._github.read_file(path, commit)
        return {path: self._files[commit, path] for path in paths}

    def blobs(self, tip: Tip, folder: str) -> dict[str, str]:
        """Path → blob of every file below `folder`."""
        found = self._github.tree_paths(tip.tree_sha)
        return {path: blob for path, blob in found.items() if path.startswith(folder)}

    def blob(self, sha: str) -> bytes:
        if sha not in self._blobs:
            self._blobs[sha] = self._github.blob(sha)
        return self._blobs[sha]


@dataclass(frozen=True, slots=True)
class _Base:
    """What a commit is built on: parents, a tree, and the publisher's own files.

    `merged` and `carried` bring a left-over branch up: files of both sides merged, and those that
    the default branch lacks. `is_published`: the default branch holds what is to be published.
    """

    tip: Tip | None
    parents: tuple[str, ...]
    tree: str
    files: Files
    merged: Mapping[str, bytes] = field(default_factory=dict)
    carried: Mapping[str, str] = field(default_factory=dict)
    is_published: bool = False


def _base(
    github: GitHub, reader: _Reader, branch: DataBranch, default_branch: str, *, is_live: bool
) -> _Base:
    data = github.tip(branch.name)
    if data is not None and is_live:
        files = reader.files(data.sha, branch.paths)
        return _Base(data, (data.sha,), data.tree_sha, files)
    main = github.tip(default_branch)
    if main is None:
        raise GitHubRefused(404, "there is no such branch", where=default_branch)
    on_main = reader.files(main.sha, branch.paths)
    is_published = not branch.edit(on_main)
    if data is None or data.sha == main.sha:
        return _Base(data, (main.sha,), main.tree_sha, on_main, is_published=is_published)
    if main.sha in data.parents:
        files = reader.files(data.sha, branch.paths)
        return _Base(data, (data.sha,), data.tree_sha, files, is_published=is_published)
    merged, carried = _merge_sides(reader, branch, main, data)
    files = {**on_main, **{path: merged[path] for path in branch.paths if path in merged}}
    files |= {path: reader.blob(carried[path]) for path in branch.paths if path in carried}
    parents = (data.sha, main.sha)
    return _Base(data, parents, main.tree_sha, files, merged, carried, is_published)


def _merge_sides(
    reader: _Reader, branch: DataBranch, main: Tip, data: Tip
) -> tuple[dict[str, bytes], dict[str, str]]:
    """(files that differ, merged; blobs of files that only the data branch has)."""
    ours, theirs = reader.blobs(data, branch.folder), reader.blobs(main, branch.folder)
    merged = {
        path: branch.merge(path, reader.blob(theirs[path]), reader.blob(blob))
        for path, blob in ours.items()
        if path in theirs and theirs[path] != blob
    }
    return merged, {path: blob for path, blob in ours.items() if path not in theirs}


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
        if base.is_published:
            return "on_default_branch"
        written = branch.edit(base.files)
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
    except Ambiguous:
        return False  # the answer was lost: the next reading tells whether our rows are there
    return True
