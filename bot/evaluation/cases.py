"""What went wrong, case by case, for a reader who wants to know why a score fell."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

CaseKind = Literal[
    "missed", "invented", "labels", "time", "contradicts", "kind", "evidence", "reference"
]


_NEWER_FIELDS: Final = {"extra": "ignore"}
"""Else pydantic takes the report's "allow", and a class with slots has no place for them."""


@dataclass(frozen=True, slots=True)
class CaseMemory:
    """What a reader of a case needs of a memory; times as ISO 8601 text."""

    __pydantic_config__: ClassVar[dict[str, str]] = _NEWER_FIELDS

    content: str
    labels: tuple[str, ...]
    valid_from: str | None = None
    valid_until: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that went wrong: a gold memory, a prediction, or a pair that disagrees."""

    __pydantic_config__: ClassVar[dict[str, str]] = _NEWER_FIELDS

    conversation_id: str
    turn_index: int
    kind: CaseKind
    expected: CaseMemory | None = None
    predicted: CaseMemory | None = None
    detail: str = ""
