"""Where workflows use the variable that lets stale cassettes pass (CONTRACTS section 2).

It is for local experiments; in a workflow it would switch the hash check off for everybody. Found
is its name as text, also with YAML's escapes or over a continued line. A name that a workflow puts
together when it runs is not found: that is for the reviewer.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bot.evaluation.manifest import ALLOW_DRIFT_VARIABLE

_LINE_BREAK: Final = re.compile("\r\n|\r|\n")
# YAML 1.1 starts a new line here and so ends a comment, where an editor shows none.
_UNSEEN_BREAK: Final = re.compile("[\x85\u2028\u2029]")
_MAX_CONTINUATION: Final = len(ALLOW_DRIFT_VARIABLE)  # a character a line; bounds the time
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))"  # \u and \U differ
)


def drift_uses(files: Mapping[str, str]) -> tuple[str, ...]:
    """The places as "file:line" where a workflow's text (name → text) uses the variable.

    A comment line, whose first character other than white space is `#`, is no use of it. Upper and
    lower case are one name, as they are on a Windows runner.
    """
    return tuple(
        f"{name}:{number}" for name, text in sorted(files.items()) for number in _lines_of_use(text)
    )


def _lines_of_use(text: str) -> Iterator[int]:
    lines = [_without_comment(line) for line in _LINE_BREAK.split(text)]
    for number, line in enumerate(lines, start=1):
        # In YAML's double quotes and in a shell, a backslash at its end continues the line.
        joined, after = line, number
        while joined.endswith("\\") and after < min(len(lines), number + _MAX_CONTINUATION):
            joined, after = joined[:-1] + lines[after].lstrip(), after + 1
        # What starts on a later line is reported there.
        is_new = _has_name(joined) and not (after > number and _has_name(joined[len(line) - 1 :]))
        if _has_name(line) or is_new:
            yield number


def _without_comment(line: str) -> str:
    """`line`, or nothing when it is a comment."""
    parts = _UNSEEN_BREAK.split(line)
    return " ".join(part for part in parts if not part.lstrip(" \t\ufeff").startswith("#"))


def _has_name(text: str) -> bool:
    return ALLOW_DRIFT_VARIABLE in _ESCAPE.sub(_character, text).upper()


def _character(escape: re.Match[str]) -> str:
    """The character that an escape of a double-quoted YAML string stands for."""
    code = int(escape[1] or escape[2] or escape[3], 16)
    return chr(code) if code <= 0x10FFFF else ""
