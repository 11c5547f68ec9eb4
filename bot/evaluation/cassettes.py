"""Cassettes: a provider's recorded answers, one a conversation (CONTRACTS section 2)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from bot.errors import BadInput
from bot.evaluation.gold_set import CASSETTES, GoldConversation, Row, read_part
from bot.extraction.fingerprint import canonical_json
from bot.extraction.schema import BatchExtractionResult, ExtractedMemory, TurnExtraction
from bot.files import json_lines, parse_json
from bot.validation import validate

RECORD_AGAIN = "record the cassette again, or restore the file"
"""The next step for an answer that cannot be used."""


class CassetteRow(Row):
    """A line of `openai_cassettes.jsonl`; what follows `raw_json` only record mode writes.

    Nothing else is stored: no header, no key, no organisation.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    model: Annotated[str, Field(min_length=1, max_length=200)]
    raw_json: str
    request_sha256: str | None = None
    recorded_at: str | None = None
    usage: dict[str, int] | None = None
    finish_reason: str | None = None
    attempts: int | None = None


Answers = Mapping[int, tuple[ExtractedMemory, ...]]
"""Memories by turn index."""


def parse_answer(raw_json: str, where: str) -> Answers:
    """A provider's answer as text, strictly a `BatchExtractionResult`; raises BadInput."""
    if raw_json.lstrip().startswith("```"):
        raise BadInput(
            "the answer is wrapped in a Markdown fence, not bare JSON",
            where=where,
            next_step=RECORD_AGAIN,
        )
    value = parse_json(raw_json, where)
    result = validate(BatchExtractionResult, value, where, RECORD_AGAIN)
    return {turn.turn_index: turn.memories for turn in result.turns}


def load_cassettes(directory: Path) -> tuple[dict[str, CassetteRow], bytes]:
    """The cassettes by conversation id, and the file's bytes; raises BadInput."""
    data = read_part(directory, CASSETTES)
    path = directory / CASSETTES
    rows: dict[str, CassetteRow] = {}
    for number, value in json_lines(data, path):
        row = validate(CassetteRow, value, f"{path}:{number}")
        if row.conversation_id in rows:
            raise BadInput(
                f"conversation {row.conversation_id!r} has two cassettes", where=f"{path}:{number}"
            )
        rows[row.conversation_id] = row
    return rows, data


def cassettes_data(rows: Iterable[CassetteRow]) -> bytes:
    """The file's bytes: sorted by id, a line each, so that a re-recording diffs cleanly."""
    ordered = sorted(rows, key=lambda row: row.conversation_id)
    return "".join(
        canonical_json(row.model_dump(exclude_none=True)) + "\n" for row in ordered
    ).encode("utf-8")


def parse_cassettes(rows: dict[str, CassetteRow], path: Path) -> dict[str, Answers]:
    """The answers by conversation id; raises BadInput that names the conversation."""
    return {
        name: parse_answer(row.raw_json, f"{path} (conversation {name!r}, raw_json)")
        for name, row in rows.items()
    }


def oracle_cassettes(conversations: Iterable[GoldConversation], model: str) -> list[CassetteRow]:
    """Cassettes that hold exactly the expected memories: they prove the harness, not a model."""
    return [
        CassetteRow(
            conversation_id=conversation.conversation_id,
            model=model,
            raw_json=canonical_json(
                BatchExtractionResult(
                    turns=tuple(
                        TurnExtraction(
                            turn_index=turn.turn_index,
                            memories=conversation.gold[turn.turn_index].memories
                            if turn.turn_index in conversation.gold
                            else (),
                        )
                        for turn in conversation.turns
                    )
                ).model_dump(mode="json")
            ),
        )
        for conversation in sorted(conversations, key=lambda c: c.conversation_id)
    ]
