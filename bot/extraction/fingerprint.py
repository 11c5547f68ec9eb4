"""SHA-256 fingerprints of the extraction contract (CONTRACTS section 1)."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


class HasJsonSchema(Protocol):
    """What the schema side of a contract must offer: a pydantic model class does."""

    @property
    def model_json_schema(self) -> Callable[[], dict[str, Any]]: ...


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: object) -> str:
    """Sorted keys, no spaces, no ASCII escapes; raises ValueError for NaN and infinity."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def prompt_sha256(prompt: str) -> str:
    return sha256_hex(prompt.encode("utf-8"))


def schema_sha256(model: HasJsonSchema) -> str:
    """Of the structure: the canonical JSON of the model's JSON Schema, not the source's bytes."""
    return sha256_hex(canonical_json(model.model_json_schema()).encode("utf-8"))


@dataclass(frozen=True, slots=True)
class ContractFingerprint:
    """The prompt and the schema that an answer was, or would be, produced under."""

    prompt_sha256: str
    schema_sha256: str


def fingerprint_contract(prompt: str, model: HasJsonSchema) -> ContractFingerprint:
    return ContractFingerprint(prompt_sha256(prompt), schema_sha256(model))
