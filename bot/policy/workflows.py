"""Where workflows use the variable that lets stale cassettes pass (CONTRACTS section 2).

It is for local experiments; in a workflow it would switch the hash check off for everybody.
"""

import re
from collections.abc import Mapping
from typing import Final

_VARIABLE: Final = re.compile("EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT", re.IGNORECASE)
_YAML_ESCAPE: Final = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\U([0-9a-f]{8})", re.I)


def _unescaped(line: str) -> str:
    """`line` with the escapes of YAML's double-quoted strings resolved."""

    def char(match: re.Match[str]) -> str:
        code = int(match[1] or match[2] or match[3], 16)
        return chr(code) if code <= 0x10FFFF else ""

    return _YAML_ESCAPE.sub(char, line)


def drift_uses(files: Mapping[str, str]) -> tuple[str, ...]:
    """The places as "file:line" where a workflow's text uses the variable.

    A comment line is no use of it. Upper and lower case are one name: on Windows runners they are.
    """
    return tuple(
        f"{name}:{number}"
        for name, text in sorted(files.items())
        for number, line in enumerate(text.splitlines(), start=1)
        if not line.lstrip().startswith("#") and _VARIABLE.search(_unescaped(line))
    )
