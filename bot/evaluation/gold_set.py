"""The gold set: conversations, and what is expected of them (CONTRACTS section 2)."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bot.errors import BadInput
from bot.extraction.turns import Turn
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes
from bot.validation import validate

CONVERSATIONS: Final = "conversations.jsonl"
EXPECTED_PREFIX: Final = "expected_"
CASSETTES: Final = "openai_cassettes.jsonl"
MANIFEST: Final = "cassette_manifest.json"
BASELINE: Final = "baseline_results.json"


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


@dataclass(frozen=True, slots=True)
class GoldConversation:
    """A conversation with what is expected of it, in the type of the task that scores it."""

    conversation_id: str
    turns: tuple[Turn, ...]
    gold: Any

    @property
    def turn_indexes(self) -> frozenset[int]:
        return frozenset(turn.turn_index for turn in self.turns)


LoadExpected = Callable[[bytes, Path, Sequence[ConversationRow]], Mapping[str, Any]]
"""Bytes and path of the expected file, and the conversations → gold by conversation id."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The conversations in file order, and the bytes they were read from (for their hashes)."""

    directory: Path
    conversations: tuple[GoldConversation, ...]
    conversations_data: bytes
    expected_data: bytes
    expected_file: str

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(c.conversation_id for c in self.conversations)

    @property
    def sha256(self) -> str:
        """Of both files, their lengths first, so that no byte can move from one to the other."""
        lengths = f"{len(self.conversations_data)} {len(self.expected_data)}\n".encode()
        return hashlib.sha256(lengths + self.conversations_data + self.expected_data).hexdigest()


def read_part(directory: Path, name: str) -> bytes:
    """The bytes of one file of a gold set; raises BadInput with what a gold set consists of."""
    if not directory.is_dir():
        raise BadInput("no such gold set directory", where=directory, next_step="see --gold-set")
    if not (directory / name).exists():
        raise BadInput(
            f"the gold set has no {name}",
            where=directory,
            next_step="a gold set has five files: the expected answers, "
            + ", ".join((CONVERSATIONS, CASSETTES, MANIFEST, BASELINE)),
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


def load_gold_set(directory: Path, expected_file: str, load_expected: LoadExpected) -> GoldSet:
    """Read and cross-check conversations and what is expected of them; raises BadInput."""
    conversations_data = read_part(directory, CONVERSATIONS)
    expected_data = read_part(directory, expected_file)
    rows = tuple(_conversation_rows(conversations_data, directory / CONVERSATIONS))
    if not rows:
        raise BadInput("the gold set has no conversation", where=directory / CONVERSATIONS)
    gold = load_expected(expected_data, directory / expected_file, rows)
    return GoldSet(
        directory=directory,
        conversations=tuple(
            GoldConversation(row.conversation_id, row.turns, gold[row.conversation_id])
            for row in rows
        ),
        conversations_data=conversations_data,
        expected_data=expected_data,
        expected_file=expected_file,
    )
