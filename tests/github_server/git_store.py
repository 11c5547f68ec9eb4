"""Git objects and refs in a real bare repository, written through `git` itself.

Whatever the bot commits over the API can be cloned and inspected with plain git. Nothing of the
user's own git configuration, home directory or environment is read.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

NO_OBJECT = "0" * 40
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_SHA = re.compile(r"[0-9a-f]{40}")
_PERSON = re.compile(rb"(?P<name>.*?) ?<(?P<email>[^>]*)> (?P<epoch>-?\d+) (?P<zone>[+-]\d{4})")
_TYPE_OF_MODE = {"040000": "tree", "160000": "commit"}


class GitError(Exception):
    """`git` refused; the message is its standard error."""


class NotFastForward(Exception):
    """The new commit does not descend from what the ref holds."""


class RefChanged(Exception):
    """The ref does not hold the expected old value (or exists already)."""


@dataclass(frozen=True)
class Signature:
    """Author or committer of a commit; `when` is timezone-aware."""

    name: str
    email: str
    when: datetime


@dataclass(frozen=True)
class Commit:
    """A commit object; `message` is verbatim."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a tree; `path` is relative to the tree that was asked for."""

    path: str
    mode: str
    sha: str

    @property
    def type(self) -> str:
        """`blob`, `tree` or `commit` (a submodule), from the mode."""
        return _TYPE_OF_MODE.get(self.mode, "blob")


TreeChange = TreeEntry | None
"""What a path becomes in a new tree: an entry, or None for a deletion."""


def isolated_git_environment(home: Path) -> dict[str, str]:
    """Environment in which `git` sees no configuration but the repository's own."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


class GitStore:
    """One bare repository. Methods are safe to call from several threads."""

    def __init__(self, git_dir: Path) -> None:
        self.git_dir = git_dir
        self._environment = isolated_git_environment(git_dir.parent)
        self._reader: subprocess.Popen[bytes] | None = None
        self._reader_lock = threading.Lock()

    @classmethod
    def create(cls, git_dir: Path, default_branch: str) -> GitStore:
        """Make an empty bare repository whose HEAD is `default_branch`."""
        git_dir.parent.mkdir(parents=True, exist_ok=True)
        store = cls(git_dir)
        store._run_anywhere("init", "--quiet", "--bare", "-b", default_branch, str(git_dir))
        return store

    @classmethod
    def fork(cls, source: GitStore, git_dir: Path) -> GitStore:
        """Copy a repository's branches and objects into another bare repository."""
        git_dir.parent.mkdir(parents=True, exist_ok=True)
        store = cls(git_dir)
        store._run_anywhere("clone", "--quiet", "--bare", str(source.git_dir), str(git_dir))
        return store

    def close(self) -> None:
        """End the long-lived reader process."""
        with self._reader_lock:
            if self._reader is not None:
                self._reader.communicate()
                self._reader = None

    # --- objects -------------------------------------------------------------------------------

    def read_object(self, name: str) -> tuple[str, str, bytes] | None:
        """(sha, type, content) of an object name such as a sha, `main:dir/file` or `x^{tree}`."""
        answer = self._ask("contents", name)
        return None if answer is None else (answer[0], answer[1], answer[3])

    def object_info(self, name: str) -> tuple[str, str, int] | None:
        """(sha, type, size in bytes) of an object name, or None when there is no such object."""
        answer = self._ask("info", name)
        return None if answer is None else (answer[0], answer[1], answer[2])

    def has_object(self, sha: str, kind: str) -> bool:
        """Is there an object with this full sha and of this type?"""
        info = self.object_info(sha) if _SHA.fullmatch(sha) else None
        return info is not None and info[1] == kind

    def resolve_commit(self, name: str) -> str | None:
        """The commit a branch, tag, full ref or sha names, branches first as on GitHub."""
        for candidate in (f"refs/heads/{name}", f"refs/tags/{name}", name):
            info = self.object_info(f"{candidate}^{{commit}}")
            if info is not None:
                return info[0]
        return None

    def write_blob(self, content: bytes) -> str:
        """Store a file's content; returns its sha."""
        return self.git("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def read_tree(self, name: str) -> list[TreeEntry] | None:
        """Entries directly within a tree, or None when the name is not a tree."""
        answer = self.read_object(f"{name}^{{tree}}" if ":" not in name else name)
        if answer is None or answer[1] != "tree":
            return None
        return list(_parse_tree(answer[2]))

    def read_tree_recursive(self, name: str) -> list[TreeEntry]:
        """All entries below a tree, subtrees included."""
        listing = self.git("ls-tree", "-r", "-t", "-z", name)
        entries = []
        for line in listing.split(b"\0")[:-1]:
            head, path = line.split(b"\t", 1)
            mode, _, sha = head.decode().split(" ")
            entries.append(TreeEntry(_text(path), mode, sha))
        return entries

    def write_tree(self, base: str | None, changes: Mapping[str, TreeChange]) -> str:
        """A new tree: `base` (a tree sha) with `changes` by path. Raises KeyError for a deletion
        of a path that `base` does not hold."""
        entries = {entry.path: entry for entry in (self.read_tree(base) or [] if base else [])}
        below: dict[str, dict[str, TreeChange]] = {}
        for path, change in changes.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = change
            elif change is None:
                del entries[name]
            else:
                entries[name] = TreeEntry(name, change.mode, change.sha)
        for name, sub_changes in below.items():
            old = entries.get(name)
            old_tree = old.sha if old is not None and old.type == "tree" else None
            subtree = self.write_tree(old_tree, sub_changes)
            if subtree == EMPTY_TREE:
                entries.pop(name, None)
            else:
                entries[name] = TreeEntry(name, "040000", subtree)
        lines = "".join(f"{e.mode} {e.type} {e.sha}\t{e.path}\0" for e in entries.values())
        made = self.git("mktree", "-z", stdin=lines.encode("utf-8", "surrogateescape"))
        return made.decode().strip()

    def write_commit(
        self,
        tree: str,
        parents: Sequence[str],
        message: str,
        author: Signature,
        committer: Signature,
    ) -> str:
        """Store a commit, its message verbatim; returns its sha."""
        arguments = [part for parent in parents for part in ("-p", parent)]
        people = {
            "GIT_AUTHOR_NAME": author.name,
            "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": _git_date(author.when),
            "GIT_COMMITTER_NAME": committer.name,
            "GIT_COMMITTER_EMAIL": committer.email,
            "GIT_COMMITTER_DATE": _git_date(committer.when),
        }
        made = self.git("commit-tree", tree, *arguments, stdin=message.encode(), extra=people)
        return made.decode().strip()

    def read_commit(self, name: str) -> Commit | None:
        """The commit a name stands for (see `resolve_commit`)."""
        sha = self.resolve_commit(name)
        answer = self.read_object(sha) if sha is not None else None
        return None if answer is None else _parse_commit(answer[0], answer[2])

    # --- refs ----------------------------------------------------------------------------------

    def read_ref(self, ref: str) -> str | None:
        """The sha that a full ref name holds, or None."""
        info = self.object_info(ref) if self.is_ref_name(ref) else None
        return None if info is None else info[0]

    def list_refs(self, prefix: str) -> list[tuple[str, str]]:
        """(ref, sha) of all refs whose full name starts with `prefix`, by name."""
        listing = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/")
        pairs = [line.rsplit(" ", 1) for line in listing.decode().splitlines()]
        return [(ref, sha) for ref, sha in pairs if ref.startswith(prefix)]

    def is_ref_name(self, ref: str) -> bool:
        """Would git take this as a full ref name (`refs/…/…`)?"""
        bad = re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|[/.]$", ref)
        return ref.startswith("refs/") and ref.count("/") >= 2 and bad is None

    def create_ref(self, ref: str, sha: str) -> None:
        """Raises RefChanged when the ref exists already or its name collides with another."""
        self._update_ref(ref, sha, NO_OBJECT)

    def update_ref(self, ref: str, sha: str, old: str, *, force: bool = False) -> None:
        """Compare and swap. Raises NotFastForward, or RefChanged when the ref is not at `old`."""
        if not force and not self.is_ancestor(old, sha):
            raise NotFastForward(f"{ref}: {sha} does not descend from {old}")
        self._update_ref(ref, sha, old)

    def set_ref(self, ref: str, sha: str) -> None:
        """Put a ref at a commit, whatever it held: for the server's own refs and for tests."""
        self.git("update-ref", ref, sha)

    def delete_ref(self, ref: str) -> None:
        """Remove a ref."""
        self.git("update-ref", "-d", ref)

    def is_ancestor(self, old: str, new: str) -> bool:
        """Is `old` equal to, or an ancestor of, `new`?"""
        return old == new or self._status("merge-base", "--is-ancestor", old, new) == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, or None for unrelated histories."""
        done = self._call("merge-base", one, other)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def list_commits(self, old: str, new: str) -> list[str]:
        """Commits reachable from `new` and not from `old`, oldest first."""
        listing = self.git("rev-list", "--reverse", "--topo-order", f"{old}..{new}")
        return listing.decode().split()

    def merge_trees(self, base: str, head: str) -> str | None:
        """The tree of merging `head` into `base`, or None when they conflict."""
        done = self._call("merge-tree", "--write-tree", "--allow-unrelated-histories", base, head)
        return done.stdout.decode().split("\n", 1)[0] if done.returncode == 0 else None

    def fetch(self, source: GitStore, source_ref: str, ref: str) -> None:
        """Bring a ref of another repository here (a fork's branch to `refs/pull/N/head`)."""
        self.git("fetch", "--quiet", str(source.git_dir), f"+{source_ref}:{ref}")

    # --- processes -----------------------------------------------------------------------------

    def git(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] = {}) -> bytes:
        """Standard output of one `git` command in this repository. Raises GitError."""
        done = self._call(*arguments, stdin=stdin, extra=extra)
        if done.returncode != 0:
            raise GitError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def _status(self, *arguments: str) -> int:
        return self._call(*arguments).returncode

    def _call(
        self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["git", f"--git-dir={self.git_dir}", *arguments],
            input=stdin,
            capture_output=True,
            env={**self._environment, **extra},
            check=False,
        )

    def _run_anywhere(self, *arguments: str) -> None:
        done = subprocess.run(
            ["git", *arguments], capture_output=True, env=self._environment, check=False
        )
        if done.returncode != 0:
            raise GitError(done.stderr.decode(errors="replace").strip())

    def _update_ref(self, ref: str, sha: str, old: str) -> None:
        try:
            self.git("update-ref", ref, sha, old)
        except GitError as error:
            raise RefChanged(str(error)) from error

    def _ask(self, what: str, name: str) -> tuple[str, str, int, bytes] | None:
        """One question to the long-lived `cat-file` process: a process a read would cost 3 ms."""
        if "\n" in name or not name:
            return None
        with self._reader_lock:
            if self._reader is None:
                self._reader = subprocess.Popen(
                    ["git", f"--git-dir={self.git_dir}", "cat-file", "--batch-command"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environment,
                )
            assert self._reader.stdin is not None
            assert self._reader.stdout is not None
            self._reader.stdin.write(f"{what} {name}\n".encode("utf-8", "surrogateescape"))
            self._reader.stdin.flush()
            words = self._reader.stdout.readline().decode("utf-8", "surrogateescape").split()
            if len(words) != 3 or not words[2].isdigit():
                return None
            content = b""
            if what == "contents":
                content = self._reader.stdout.read(int(words[2]))
                self._reader.stdout.read(1)
            return words[0], words[1], int(words[2]), content


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _git_date(when: datetime) -> str:
    return f"{int(when.timestamp())} {when.strftime('%z')}"


def _parse_tree(content: bytes) -> Iterator[TreeEntry]:
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, name = content[at:end].split(b" ", 1)
        yield TreeEntry(_text(name), mode.decode().zfill(6), content[end + 1 : end + 21].hex())
        at = end + 21


def _parse_commit(sha: str, content: bytes) -> Commit:
    head, _, message = content.partition(b"\n\n")
    fields: dict[bytes, list[bytes]] = {}
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        fields.setdefault(key, []).append(value)
    return Commit(
        sha=sha,
        tree=fields[b"tree"][0].decode(),
        parents=tuple(parent.decode() for parent in fields.get(b"parent", [])),
        author=_parse_person(fields[b"author"][0]),
        committer=_parse_person(fields[b"committer"][0]),
        message=message.decode("utf-8", "replace"),
    )


def _parse_person(line: bytes) -> Signature:
    match = _PERSON.fullmatch(line)
    if match is None:
        raise GitError(f"not a person line: {line!r}")
    zone = match["zone"].decode()
    minutes = int(zone[1:3]) * 60 + int(zone[3:5])
    offset = timezone(timedelta(minutes=-minutes if zone[0] == "-" else minutes))
    when = datetime.fromtimestamp(int(match["epoch"]), tz=offset)
    return Signature(match["name"].decode(), match["email"].decode(), when)
