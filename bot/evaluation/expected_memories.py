"""The memories expected of each turn, `expected_memories.jsonl` (CONTRACTS section 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import model_validator

from bot.errors import BadInput
from bot.evaluation.gold_set import CONVERSATIONS, ConversationRow, Row
from bot.extraction.schema import ExtractedMemory, Memories, TurnIndex
from bot.files import json_lines
from bot.validation import validate

EXPECTED: Final = "expected_memories.jsonl"

TemporalKind = Literal["indefinite", "supersession"]


class ExpectedRow(Row):
    """A line of `expected_memories.jsonl`: the gold memories of one turn."""

    turn_index: TurnIndex
    expected: Memories
    temporal_kinds: tuple[TemporalKind, ...]

    @model_validator(mode="after")
    def _one_kind_each(self) -> Self:
        if len(self.temporal_kinds) != len(self.expected):
            raise ValueError(
                f"{len(self.temporal_kinds)} temporal_kinds for {len(self.expected)} memories"
            )
        return self


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """What is expected of one turn; `kinds[i]` belongs to `memories[i]`."""

    memories: tuple[ExtractedMemory, ...]
    kinds: tuple[TemporalKind, ...]


GoldTurns = dict[int, GoldTurn]
"""By turn index."""


def load_expected_memories(
    data: bytes, path: Path, conversations: Sequence[ConversationRow]
) -> dict[str, GoldTurns]:
    """The gold turns by conversation id; raises BadInput that names the line."""
    turns = {row.conversation_id: {t.turn_index for t in row.turns} for row in conversations}
    gold: dict[str, GoldTurns] = {name: {} for name in turns}
    for number, value in json_lines(data, path):
        row = validate(ExpectedRow, value, f"{path}:{number}")
        name, index, where = row.conversation_id, row.turn_index, f"{path}:{number}"
        if name not in gold:
            raise BadInput(f"conversation {name!r} is not in {CONVERSATIONS}", where=where)
        if index not in turns[name]:
            raise BadInput(f"conversation {name!r} has no turn {index}", where=where)
        if index in gold[name]:
            raise BadInput(f"turn {index} of {name!r} is given twice", where=where)
        gold[name][index] = GoldTurn(row.expected, row.temporal_kinds)
    for name, rows in gold.items():
        if not rows:
            raise BadInput(
                f"conversation {name!r} has no row",
                where=path,
                next_step='write a row with "expected": [] when nothing is to be remembered',
            )
    return gold
