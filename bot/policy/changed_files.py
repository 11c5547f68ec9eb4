"""The list of a pull request's changed files, in the forms in which tools write it (CONTRACTS 7).

A path that is lost here is a rule that is switched off: what cannot be read for certain is refused.
Names are bytes to git; what is not UTF-8 is kept with surrogate escapes, so that it still compares.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.errors import BadInput

GITHUB_FILES_CAP: Final = 3_000
"""GitHub lists no more files of a pull request; a list of this length may lack some."""

NEXT_STEP: Final = "write it with `git diff --name-status -z BASE...HEAD`"

UTF_16 = "is UTF-16, not UTF-8"
JSON = "is JSON, not a list of paths"
OTHER_OUTPUT = "looks like other output of git than a list of paths: {line}"
ENDS_EARLY = "ends within a --name-status record: {record}"
EMPTY_NAME = "holds an empty path (entry {number})"
BARE_CR = "line {number} holds a carriage return: it is not clear where a path ends"
BAD_QUOTES = "line {number} is not a path as git quotes it: {line}"
BAD_RECORD = "line {number} is no --name-status record: {line}"

_STATUS: Final = re.compile(rb"[ACDMRTUXB]\d{0,3}")
_OTHER_OUTPUT: Final = re.compile(
    rb"diff --git |"  # git diff
    rb" ?[ACDMRTUXB]\d{0,3} {2,}\S|"  # --name-status whose tabs became spaces
    rb" [ACDMRTU] \S|\?\? \S"  # git status --short
)
_ESCAPE: Final = re.compile(rb'\\([0-3][0-7]{2}|[abfnrtv"\\])')
_QUOTED: Final = re.compile(rb'"(?:[^"\\]|' + _ESCAPE.pattern + rb')*"')
_UNESCAPED: Final = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\', strict=True))
_NEEDS_QUOTES: Final = re.compile(rb"[^ !#-\[\]-~]")


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The paths that changed, old and new; `complete` is False when there may be more."""

    paths: frozenset[str]
    complete: bool


def parse_changed_files(data: bytes) -> ChangedFiles:
    """`data` is a path a line, paths between NULs, or `git diff --name-status`, also with -z.

    Lines may be quoted as git quotes them. A list without status letters that has as many entries
    as GitHub ever lists is taken for incomplete. Empty data: nothing changed. Raises BadInput for
    what is none of these forms, or ends too early.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):  # `>` in Windows PowerShell
        raise _refused(UTF_16)
    data = data.removeprefix(b"\xef\xbb\xbf")
    return _from_fields(data) if b"\0" in data else _from_lines(data)


def _refused(what: str) -> BadInput:
    return BadInput(what, next_step=NEXT_STEP)


def _shown(name: bytes) -> str:
    return repr(name[:80].decode("utf-8", "replace"))


def _result(names: Sequence[bytes], *, has_status: bool) -> ChangedFiles:
    texts = (name.decode("utf-8", "surrogateescape") for name in names)
    return ChangedFiles(
        frozenset(re.sub(r"^(?:\./+)+(?=.)", "", text, flags=re.DOTALL) for text in texts),
        complete=has_status or len(names) < GITHUB_FILES_CAP,
    )


def _number_of_names(status: bytes) -> int:
    """How many names follow a status letter: old and new one of a rename and a copy."""
    return 2 if status[:1] in (b"R", b"C") else 1


def _from_fields(data: bytes) -> ChangedFiles:
    fields = data.split(b"\0")
    if fields[-1].strip(b"\r\n") == b"":
        fields.pop()  # behind the last NUL, perhaps the line break of an `echo`
    if b"" in fields:
        raise _refused(EMPTY_NAME.format(number=fields.index(b"") + 1))
    names = _names_after_status(fields)
    return _result(fields if names is None else names, has_status=names is not None)


def _names_after_status(fields: Sequence[bytes]) -> list[bytes] | None:
    """The names in the fields of `--name-status -z`; None when they are a plain list of names.

    A file may be named like a status ("M"). So a list that does not alternate is plain; and where
    no field comes twice, as in a plain list, every field counts as a name.
    """
    names: list[bytes] = []
    position = 0
    while position < len(fields):
        status = fields[position]
        if not _STATUS.fullmatch(status):
            return None
        end = position + 1 + _number_of_names(status)
        if end > len(fields):
            if all(map(_STATUS.fullmatch, fields)):
                return None
            raise _refused(ENDS_EARLY.format(record=_shown(b" ".join(fields[position:]))))
        names += fields[position + 1 : end]
        position = end
    return names if len(set(fields)) < len(fields) else list(fields)


def _from_lines(data: bytes) -> ChangedFiles:
    lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line]
    _refuse_other_output(data, [line for _, line in numbered])
    names: list[bytes] = []
    has_status = any(b"\t" in line for _, line in numbered)
    for number, line in numbered:
        if b"\r" in line:
            raise _refused(BARE_CR.format(number=number))
        if not has_status:
            names += _unquoted(number, line)
            continue
        # Git quotes a name that holds a tab, so a bare tab is always a separator.
        status, *fields = line.split(b"\t")
        is_record = _STATUS.fullmatch(status) and len(fields) == _number_of_names(status)
        if not is_record or b"" in fields:
            raise _refused(BAD_RECORD.format(number=number, line=_shown(line)))
        names += [name for field in fields for name in _unquoted(number, field)]
    return _result(names, has_status=has_status)


def _refuse_other_output(data: bytes, lines: Sequence[bytes]) -> None:
    """Raises BadInput for output whose lines hold paths among other things: all would be missed."""
    if lines and (lines[0].startswith(b"diff --git ") or all(map(_OTHER_OUTPUT.match, lines))):
        raise _refused(OTHER_OUTPUT.format(line=_shown(lines[0])))
    if data.lstrip()[:1] in (b"[", b"{"):  # a file may be named "[id].tsx"
        try:
            json.loads(data)
        except (ValueError, RecursionError):
            return
        raise _refused(JSON)


def _unquoted(number: int, name: bytes) -> tuple[bytes, ...]:
    r"""A name as it stands on a line, unquoted where git quotes it: `"a\303\244.py"`.

    Git quotes only what needs it. Other quotes may be the name's own: both readings count.
    """
    if not name.startswith(b'"'):
        return (name,)
    if not _QUOTED.fullmatch(name):
        raise _refused(BAD_QUOTES.format(number=number, line=_shown(name)))

    def byte(escape: re.Match[bytes]) -> bytes:
        code = escape[1]
        return bytes((int(code, 8) if code.isdigit() else _UNESCAPED[code[0]],))

    plain = _ESCAPE.sub(byte, name[1:-1])
    return (plain,) if _NEEDS_QUOTES.search(plain) else tuple(filter(None, (plain, name)))
