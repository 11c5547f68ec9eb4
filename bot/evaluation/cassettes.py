"""Cassettes: a provider's recorded answers, one a conversation (CONTRACTS section 2)."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from bot.errors import BadInput
from bot.evaluation.gold_set import CASSETTES, GoldConversation, Row, read_part
from bot.evaluation.outcome import Failure
from bot.extraction.fingerprint import canonical_json
from bot.files import json_lines
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


def parse_cassettes(
    rows: Mapping[str, CassetteRow], path: Path, judge: Callable[[str], Any]
) -> dict[str, Any]:
    """The predictions by conversation id; raises BadInput that names the conversation."""
    predictions = {}
    for name, row in rows.items():
        judged = judge(row.raw_json)
        if isinstance(judged, Failure):
            raise BadInput(
                judged.detail,
                where=f"{path} (conversation {name!r}, raw_json)",
                next_step=RECORD_AGAIN,
            )
        predictions[name] = judged
    return predictions


def oracle_cassettes(
    conversations: Iterable[GoldConversation],
    model: str,
    answer: Callable[[GoldConversation], object],
) -> list[CassetteRow]:
    """Cassettes that hold exactly the right `answer`: they prove the harness, not a model."""
    return [
        CassetteRow(
            conversation_id=conversation.conversation_id,
            model=model,
            raw_json=canonical_json(answer(conversation)),
        )
        for conversation in conversations
    ]
