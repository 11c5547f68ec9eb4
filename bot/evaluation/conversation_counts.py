"""The counts of each conversation, from which the error of a score is told.

Conversations and not memories are what a gold set samples: the memories of one conversation belong
together. Standard library only: the gate reads these.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from bot.errors import BadInput

MAX_CONVERSATIONS: Final = 200_000
MAX_COLUMNS: Final = 500
_ROW: Final = re.compile(r"[0-9]{1,9}(?: [0-9]{1,9})*")  # sums of them are exact in a float


@dataclass(frozen=True, slots=True)
class ConversationCounts:
    """`rows`: conversation id → its counts in the order of `columns`, as numbers between spaces.

    A column is a path in the task's counts (`labels.factual.tp`). A row is a text, so that a
    report has a line a conversation, and a hundred thousand of them fit into memory.
    """

    columns: tuple[str, ...]
    rows: dict[str, str]

    def __post_init__(self) -> None:
        """Raises ValueError for a row that is none."""
        if not 0 < len(self.columns) <= MAX_COLUMNS or len(set(self.columns)) != len(self.columns):
            raise ValueError("columns: should be distinct names")
        if len(self.rows) > MAX_CONVERSATIONS:
            raise ValueError(f"more than {MAX_CONVERSATIONS:,} conversations")
        for name, row in self.rows.items():
            if not _ROW.fullmatch(row) or row.count(" ") != len(self.columns) - 1:
                raise ValueError(f"{name!r}: should be {len(self.columns)} whole numbers")

    @classmethod
    def parse(cls, raw: object, where: object) -> Self:
        """From JSON; raises BadInput."""
        value = raw if isinstance(raw, dict) else {}
        columns, rows = value.get("columns"), value.get("rows")
        if not (
            isinstance(columns, list)
            and all(isinstance(column, str) for column in columns)
            and isinstance(rows, dict)
            and all(isinstance(row, str) for row in rows.values())
        ):
            raise BadInput(
                "conversation_counts: should hold columns and rows of text", where=str(where)
            )
        try:
            return cls(tuple(columns), rows)
        except ValueError as error:
            raise BadInput(f"conversation_counts: {error}", where=str(where)) from error

    def numbers(self) -> Iterator[list[int]]:
        """Each row as numbers, in the order of `rows`."""
        for row in self.rows.values():
            yield [int(number) for number in row.split(" ")]

    def total(self) -> dict[str, Any]:
        """The sums, nested as the task's counts are; what `flat` takes apart."""
        sums = [0] * len(self.columns)
        for numbers in self.numbers():
            sums = [a + b for a, b in zip(sums, numbers, strict=True)]
        nested: dict[str, Any] = {}
        for column, number in zip(self.columns, sums, strict=True):
            *path, name = column.split(".")
            place = nested
            for part in path:
                place = place.setdefault(part, {})
            place[name] = number
        return nested


def flat(counts: Mapping[str, Any], prefix: str = "") -> dict[str, int]:
    """Nested counts by column."""
    columns: dict[str, int] = {}
    for name, value in counts.items():
        if isinstance(value, Mapping):
            columns |= flat(value, f"{prefix}{name}.")
        else:
            columns[f"{prefix}{name}"] = value
    return columns
