"""Changed files between two commits, as GitHub lists them, from the real git diff."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.github_server.git_store import GitStore

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied"}


@dataclass(frozen=True)
class ChangedFile:
    """One entry of a pull request's or comparison's file list.

    `status` is GitHub's word; `additions` and `deletions` are lines (0 for a binary file); `patch`
    is absent for binary and for pure renames.
    """

    filename: str
    status: str = "modified"
    additions: int = 1
    deletions: int = 1
    sha: str = "0" * 40
    patch: str | None = None
    previous_filename: str | None = None


def changed_files(store: GitStore, old: str, new: str) -> list[ChangedFile]:
    """Files that differ between two commits or trees; renames found at git's usual 50 %."""
    output = store.git(
        "diff", "--raw", "--numstat", "--patch", "-z", "-M", "-l0", "--no-color", "--no-ext-diff",
        "--no-abbrev", old, new, "--",
    )  # fmt: skip
    fields, patches = _split_output(output)
    raw = list(_raw_entries(fields))
    counts = list(_numstat_entries(fields[_raw_length(fields) :]))
    if len(patches) != len(raw):
        # A change of type is one entry and two patches; GitHub's `patch` may be absent.
        patches = [None] * len(raw)
    return [
        ChangedFile(
            filename=path,
            status=_STATUS.get(letter, "changed"),
            additions=added,
            deletions=removed,
            sha=sha_old if letter == "D" else sha_new,
            patch=patch,
            previous_filename=previous,
        )
        for (letter, sha_old, sha_new, previous, path), (added, removed), patch in zip(
            raw, counts, patches, strict=True
        )
    ]


def _split_output(output: bytes) -> tuple[list[str], list[str | None]]:
    """With `-z`, the raw and numstat fields end in NUL; one more NUL stands before the patches."""
    cut = output.find(b"\0diff --git ")
    head, tail = (output[:cut], output[cut + 1 :]) if cut >= 0 else (output, b"")
    fields = [field.decode("utf-8", "surrogateescape") for field in head.split(b"\0")]
    while fields and not fields[-1]:
        fields.pop()
    text = "\n" + tail.decode("utf-8", "replace")
    return fields, [_hunks(section) for section in text.split("\ndiff --git ")[1:]]


def _hunks(section: str) -> str | None:
    at = section.find("\n@@ ")
    return section[at + 1 :].rstrip("\n") if at >= 0 else None


def _raw_length(fields: list[str]) -> int:
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        at += 3 if fields[at].split(" ")[4][0] in "RC" else 2
    return at


def _raw_entries(fields: list[str]) -> Iterator[tuple[str, str, str, str | None, str]]:
    """(status letter, old sha, new sha, previous path, path) from `:mode mode sha sha X\\0path`."""
    at, end = 0, _raw_length(fields)
    while at < end:
        _, _, sha_old, sha_new, status = fields[at].split(" ")
        if status[0] in "RC":
            yield status[0], sha_old, sha_new, fields[at + 1], fields[at + 2]
            at += 3
        else:
            yield status[0], sha_old, sha_new, None, fields[at + 1]
            at += 2


def _numstat_entries(fields: list[str]) -> Iterator[tuple[int, int]]:
    """(added, removed) from `added\\tremoved\\tpath`; a rename has two more fields, no path."""
    at = 0
    while at < len(fields):
        added, removed, path = fields[at].split("\t", 2)
        yield (0, 0) if added == "-" else (int(added), int(removed))
        at += 1 if path else 3
