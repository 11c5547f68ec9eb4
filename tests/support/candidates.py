"""A candidate record as a host would stage it."""

import json
from pathlib import Path
from typing import Any

from bot.candidates.record import CandidateRecord, new_id, parse_record, record_to_json

RUN_ID = "01926f2c-0000-7000-8000-000000000001"
SEGMENT_ID = "01926f2b-aaaa-7000-8000-00000000000a"


def id_at(milliseconds: int, number: int = 0) -> str:
    """A UUIDv7 made at this time, in milliseconds since 1970 (RFC 9562 section 5.7)."""
    digits = f"{milliseconds:012x}"
    return f"{digits[:8]}-{digits[8:]}-7000-8000-{number:012x}"


def fields(**changes: Any) -> dict[str, Any]:
    """The JSON object of a valid record, with these fields changed."""
    return {
        "schema_version": 2,
        "id": new_id(),
        "extract_run_id": RUN_ID,
        "source": {"segment_id": SEGMENT_ID, "range": [10, 40]},
        "kind": "preference",
        "claim": "Ada wants short commit messages.",
        "why_useful": "Later sessions write commits for her.",
        "staleness": "She changes teams.",
        "evidence": [
            {
                "id": "E001",
                "kind": "message",
                "entry_range": [12, 14],
                "excerpt": "Keep the subject\nunder 50 characters.",
                "summary": "Ada asks for short subjects.",
            }
        ],
        "source_refs": [
            {
                "session_id": "s-1",
                "segment_id": SEGMENT_ID,
                "entry_range": [12, 14],
                "evidence_id": "E001",
                "evidence_kind": "message",
                "label": "her request",
                "summary": "what she asked for",
            }
        ],
        **changes,
    }


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def candidate(**changes: Any) -> CandidateRecord:
    return parse_record(encoded(fields(**changes)))


def stage(folder: Path, *records: CandidateRecord) -> None:
    """Lay records into a folder quickly, as if they had been there."""
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        (folder / f"{record.id}.json").write_bytes(record_to_json(record))
