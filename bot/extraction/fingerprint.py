"""SHA-256 fingerprints of the extraction contract (CONTRACTS section 1)."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical_json(value: object) -> str:
    """Sorted keys, no spaces, no ASCII escapes; raises ValueError for NaN and infinity."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def prompt_sha256(prompt: str) -> str:
    return sha256_hex(prompt.encode("utf-8"))


def schema_sha256(model: "type[BaseModel]") -> str:
    """Of the structure: the canonical JSON of the model's JSON Schema, not the source's bytes."""
    return _json_sha256(model.model_json_schema())


def _json_sha256(value: object) -> str:
    return sha256_hex(canonical_json(value).encode("utf-8"))


@dataclass(frozen=True, slots=True)
class ContractFingerprint:
    """The prompt and the schema that an answer was, or would be, produced under."""

    prompt_sha256: str
    schema_sha256: str


@dataclass(frozen=True, slots=True)
class Contract:
    """The batch prompt, and the JSON Schema of the answer that it asks for."""

    prompt: str
    json_schema: Mapping[str, Any]

    @property
    def fingerprint(self) -> ContractFingerprint:
        return ContractFingerprint(prompt_sha256(self.prompt), _json_sha256(self.json_schema))


def fingerprint_contract(prompt: str, model: "type[BaseModel]") -> ContractFingerprint:
    return ContractFingerprint(prompt_sha256(prompt), schema_sha256(model))
