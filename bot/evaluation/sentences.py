"""Sentences, as roughly as plain rules need them."""

import re
from typing import Final

_END: Final = re.compile(r"(?<=[.!;])\s+|\n+")


def sentences(text: str) -> list[str]:
    """The parts of `text` between full stops and line breaks."""
    return _END.split(text)
