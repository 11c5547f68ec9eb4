"""The list of changed files, in the forms in which tools write it (CONTRACTS section 7).

Both names of a rename or a copy count. Names are bytes to git: what is no UTF-8 is kept with
surrogate escapes, so that it still compares.
"""

import re
from dataclasses import dataclass
from typing import Final

from bot.errors import BadInput

GITHUB_FILES_CAP: Final = 3_000
"""GitHub lists no more files of a pull request; a list of this length is not complete."""

_STATUS: Final = re.compile(r"[ACDMRTUXB]\d{0,3}")
_TWO_NAMES: Final = ("R", "C")
_ESCAPE: Final = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_ESCAPED: Final = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b'"': b'"',
    b"\\": b"\\",
}
_NEXT_STEP: Final = "write it with `git diff --name-status -z`"


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The paths that changed; `complete` is False when there may be more."""

    paths: frozenset[str]
    complete: bool


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape").removeprefix("./")


def _unquoted(name: bytes) -> bytes:
    r"""A name as git quotes it on a line, `"a\303\244.py"`, as its bytes."""
    if len(name) < 2 or not (name.startswith(b'"') and name.endswith(b'"')):
        return name

    def plain(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if code.isdigit() else _ESCAPED[code]

    return _ESCAPE.sub(plain, name[1:-1])


def _names_after_status(fields: list[str]) -> list[str] | None:
    """The names of `--name-status -z` fields; None when the fields are no such output."""
    names: list[str] = []
    rest = list(reversed(fields))
    while rest:
        status = rest.pop()
        count = 2 if status[:1] in _TWO_NAMES else 1
        if not _STATUS.fullmatch(status) or len(rest) < count:
            return None
        names += [rest.pop() for _ in range(count)]
    return names


def _from_nul(data: bytes) -> ChangedFiles:
    fields = [_text(field) for field in data.split(b"\0") if field]
    names = _names_after_status(fields)
    if names is not None:
        # a file may be called "M": every field stays in, so that no path can hide behind a status
        return ChangedFiles(frozenset([*names, *fields]), complete=True)
    if _STATUS.fullmatch(fields[0]) and len(fields[0]) > 1:
        raise BadInput("ends within a --name-status record", next_step=_NEXT_STEP)
    return ChangedFiles(frozenset(fields), complete=len(fields) < GITHUB_FILES_CAP)


def _from_lines(data: bytes) -> ChangedFiles:
    names: list[str] = []
    has_status = False
    for number, raw in enumerate(data.split(b"\n"), start=1):
        line = raw.removesuffix(b"\r")
        if not line.strip():
            continue
        status, *fields = line.split(b"\t")
        if fields and _STATUS.fullmatch(_text(status)):
            wanted = 2 if _text(status)[:1] in _TWO_NAMES else 1
            if len(fields) != wanted:
                raise BadInput(
                    f"line {number} has {len(fields)} names, its status wants {wanted}",
                    next_step=_NEXT_STEP,
                )
            has_status = True
            names += [_text(_unquoted(field)) for field in fields]
        else:
            names.append(_text(_unquoted(line)))
    return ChangedFiles(frozenset(names), complete=has_status or len(names) < GITHUB_FILES_CAP)


def parse_changed_files(data: bytes) -> ChangedFiles:
    """Plain lines, NUL-separated names, or `git diff --name-status` with or without `-z`.

    A list without status letters that has as many entries as GitHub ever lists is taken for
    incomplete. Raises BadInput for a record that has lost a name.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip(b"\0\r\n"):
        return ChangedFiles(frozenset(), complete=True)
    return _from_nul(data) if b"\0" in data else _from_lines(data)
