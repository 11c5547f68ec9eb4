"""From an extracted memory to a write request of `POST /v1/memories` (CONTRACTS section 1).

`content`, `categories` and `confidence` pass through unchanged; only `valid_from` gets a default.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.extraction.fingerprint import sha256_hex
from bot.extraction.schema import ExtractedMemory


@dataclass(frozen=True, slots=True)
class TurnOrigin:
    """Where a memory was said; `timestamp` is the turn's, the default of `valid_from`."""

    org_id: str
    agent_id: str
    session_id: str
    turn_index: int
    timestamp: datetime


def idempotency_key(org_id: str, session_id: str, turn_index: int, ordinal: int) -> str:
    """UUIDv5 (DNS namespace) of the SHA-256 hex of `org:session:turn_index:ordinal`."""
    digest = sha256_hex(f"{org_id}:{session_id}:{turn_index}:{ordinal}".encode())
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, digest))


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A body of `POST /v1/memories` and the idempotency key that it is sent with."""

    idempotency_key: str
    body: dict[str, Any]


def to_write_request(memory: ExtractedMemory, origin: TurnOrigin, ordinal: int) -> WriteRequest:
    """One memory, the `ordinal`-th of its turn (from 0), as one write request."""
    body: dict[str, Any] = {
        "agent_id": origin.agent_id,
        "session_id": origin.session_id,
        "content": memory.content,
        "confidence": memory.confidence,
        "labels": [category.model_dump() for category in memory.categories],
        "valid_from": (memory.valid_from or origin.timestamp).isoformat(),
    }
    if memory.valid_until is not None:
        body["valid_until"] = memory.valid_until.isoformat()
    key = idempotency_key(origin.org_id, origin.session_id, origin.turn_index, ordinal)
    return WriteRequest(key, body)
