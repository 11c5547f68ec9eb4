"""The gold set: conversations and the memories expected of their turns (CONTRACTS section 2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bot.errors import BadInput
from bot.extraction.schema import ExtractedMemory, Memories, TurnIndex
from bot.extraction.turns import Turn
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes
from bot.validation import validate

CONVERSATIONS: Final = "conversations.jsonl"
EXPECTED: Final = "expected_memories.jsonl"
CASSETTES: Final = "openai_cassettes.jsonl"
MANIFEST: Final = "cassette_manifest.json"
BASELINE: Final = "baseline_results.json"

BUILT_IN_GOLD_SET: Final = Path(__file__).parent / "gold_set" / "v1"

TemporalKind = Literal["indefinite", "supersession"]


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("is blank")
    return value


class Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    conversation_id: Annotated[str, Field(max_length=200)]

    _id_not_blank = field_validator("conversation_id")(_not_blank)


class ConversationRow(Row):
    """A line of `conversations.jsonl`."""

    turns: Annotated[tuple[Turn, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _turns_distinct(self) -> Self:
        indexes = [turn.turn_index for turn in self.turns]
        if len(set(indexes)) != len(indexes):
            raise ValueError("a turn_index is given twice")
        return self


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


@dataclass(frozen=True, slots=True)
class GoldConversation:
    """A conversation with its gold turns by turn index."""

    conversation_id: str
    turns: tuple[Turn, ...]
    gold: dict[int, GoldTurn]


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The conversations in file order, and the bytes they were read from (for their hashes)."""

    directory: Path
    conversations: tuple[GoldConversation, ...]
    conversations_data: bytes
    expected_data: bytes

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(c.conversation_id for c in self.conversations)


def read_part(directory: Path, name: str) -> bytes:
    """The bytes of one file of a gold set; raises BadInput with what a gold set consists of."""
    if not directory.is_dir():
        raise BadInput("no such gold set directory", where=directory, next_step="see --gold-set")
    if not (directory / name).exists():
        raise BadInput(
            f"the gold set has no {name}",
            where=directory,
            next_step="a gold set has five files: "
            + ", ".join((CONVERSATIONS, EXPECTED, CASSETTES, MANIFEST, BASELINE)),
        )
    return read_bytes(directory / name, MAX_LINES_BYTES)


def _conversation_rows(data: bytes, path: Path) -> Iterator[ConversationRow]:
    seen: set[str] = set()
    for number, value in json_lines(data, path):
        row = validate(ConversationRow, value, f"{path}:{number}")
        if row.conversation_id in seen:
            raise BadInput(
                f"conversation {row.conversation_id!r} is given twice",
                where=f"{path}:{number}",
                next_step="give each conversation an id of its own",
            )
        seen.add(row.conversation_id)
        yield row


def _gold_turns(
    data: bytes, path: Path, turns: dict[str, frozenset[int]]
) -> dict[str, dict[int, GoldTurn]]:
    gold: dict[str, dict[int, GoldTurn]] = {name: {} for name in turns}
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


def load_gold_set(directory: Path) -> GoldSet:
    """Read and cross-check conversations and expected memories; raises BadInput."""
    conversations_data = read_part(directory, CONVERSATIONS)
    expected_data = read_part(directory, EXPECTED)
    rows = tuple(_conversation_rows(conversations_data, directory / CONVERSATIONS))
    if not rows:
        raise BadInput("the gold set has no conversation", where=directory / CONVERSATIONS)
    turns = {row.conversation_id: frozenset(t.turn_index for t in row.turns) for row in rows}
    gold = _gold_turns(expected_data, directory / EXPECTED, turns)
    return GoldSet(
        directory=directory,
        conversations=tuple(
            GoldConversation(row.conversation_id, row.turns, gold[row.conversation_id])
            for row in rows
        ),
        conversations_data=conversations_data,
        expected_data=expected_data,
    )
