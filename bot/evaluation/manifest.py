"""The cassette manifest, and whether it still describes what lies beside it (fail closed).

Hashes prove that files and contract are those the cassettes were made with. They do not prove that
a model wrote the answers (ADR-0066 section 3).
"""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import BadInput
from bot.evaluation.cassettes import CassetteRow
from bot.evaluation.gold_set import (
    CASSETTES,
    CONVERSATIONS,
    MANIFEST,
    GoldSet,
    read_part,
)
from bot.extraction.fingerprint import ContractFingerprint, sha256_hex
from bot.files import decode, parse_json
from bot.validation import validate

ORACLE_ALIGNED: Final = "oracle_aligned_expected_json"
LIVE_RECORDED: Final = "live_openai_recorded"
ALLOW_DRIFT_VARIABLE: Final = "EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT"

CassetteKind = Literal["oracle_aligned_expected_json", "live_openai_recorded"]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(strict=True, ge=0)]

_REFRESH: Final = (
    "re-record the cassettes, or run `extraction-bot refresh-manifest` when they are oracle-aligned"
)


class Manifest(BaseModel):
    """`cassette_manifest.json`; the fields with a default are absent in older manifests."""

    model_config = ConfigDict(frozen=True, extra="allow")

    gold_set: Annotated[str, Field(min_length=1, max_length=100)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    recorded_at: datetime | date
    prompt_sha256: Sha256 | None = None
    schema_sha256: Sha256 | None = None
    conversation_count: Count
    cassette_count: Count
    conversations_sha256: Sha256 | None = None
    expected_memories_sha256: Sha256 | None = None
    cassettes_sha256: Sha256 | None = None
    category_memory_counts: dict[str, Count] = {}
    multi_label_memories: Count | None = None
    supersession_memories: Count | None = None
    cassette_kind: CassetteKind
    notes: str = ""

    @property
    def is_older(self) -> bool:
        """Whether it predates schema and file hashes: all four are absent, not just some."""
        return not self.model_fields_set & {
            "schema_sha256",
            "conversations_sha256",
            "expected_memories_sha256",
            "cassettes_sha256",
        }


def parse_manifest(data: bytes, where: str | Path) -> Manifest:
    """Raises BadInput for anything that is no manifest."""
    return validate(Manifest, parse_json(decode(data, where), where), where)


def load_manifest(directory: Path) -> Manifest:
    return parse_manifest(read_part(directory, MANIFEST), directory / MANIFEST)


def refreshed(
    manifest: Manifest,
    gold_set: GoldSet,
    cassettes_data: bytes,
    contract: ContractFingerprint,
    recorded_at: datetime,
    facts: Mapping[str, Any],
) -> Manifest:
    """`manifest` with hashes of these files and the task's `facts`, one cassette a conversation."""
    return Manifest.model_validate(
        manifest.model_dump()
        | {
            "recorded_at": recorded_at,
            "prompt_sha256": contract.prompt_sha256,
            "schema_sha256": contract.schema_sha256,
            "conversation_count": len(gold_set.conversations),
            "cassette_count": len(gold_set.conversations),
            "conversations_sha256": sha256_hex(gold_set.conversations_data),
            "expected_memories_sha256": sha256_hex(gold_set.expected_data),
            "cassettes_sha256": sha256_hex(cassettes_data),
        }
        | dict(facts)
    )


def check_ids(gold_set: GoldSet, cassettes: Mapping[str, CassetteRow], manifest: Manifest) -> None:
    """Raises BadInput when the sets of ids, their counts or the model do not agree."""
    where = gold_set.directory / CASSETTES
    missing = sorted(gold_set.ids - set(cassettes))
    if missing:
        raise BadInput(
            f"no cassette for conversation {missing[0]!r} ({len(missing)} missing)",
            where=where,
            next_step="record it, or take the conversation out",
        )
    extra = sorted(set(cassettes) - gold_set.ids)
    if extra:
        raise BadInput(
            f"a cassette for conversation {extra[0]!r}, which is not in {CONVERSATIONS} "
            f"({len(extra)} such)",
            where=where,
            next_step="take it out",
        )
    for field, actual in (
        ("conversation_count", len(gold_set.conversations)),
        ("cassette_count", len(cassettes)),
    ):
        if getattr(manifest, field) != actual:
            raise BadInput(
                f"{field} is {getattr(manifest, field)}, the files hold {actual}",
                where=gold_set.directory / MANIFEST,
                next_step=_REFRESH,
            )
    for name, row in cassettes.items():
        if row.model != manifest.model:
            raise BadInput(
                f"the cassette of {name!r} is by model {row.model!r}, the manifest says "
                f"{manifest.model!r}",
                where=where,
                next_step=_REFRESH,
            )


def check_files(
    gold_set: GoldSet, cassettes_data: bytes, manifest: Manifest, facts: Mapping[str, Any]
) -> None:
    """Raises BadInput when a file is not the one that the manifest describes, or `facts` differ."""
    if manifest.is_older:
        return
    where = gold_set.directory / MANIFEST
    for field, name, data in (
        ("conversations_sha256", CONVERSATIONS, gold_set.conversations_data),
        ("expected_memories_sha256", gold_set.expected_file, gold_set.expected_data),
        ("cassettes_sha256", CASSETTES, cassettes_data),
    ):
        recorded = getattr(manifest, field)
        if recorded is None:
            raise BadInput(f"{field} is missing", where=where, next_step=_REFRESH)
        if recorded != sha256_hex(data):
            raise BadInput(
                f"{name} has changed since the manifest was written ({field} differs)",
                where=where,
                next_step=_REFRESH,
            )
    for field, actual in facts.items():
        recorded = getattr(manifest, field, None)
        if recorded not in (None, {}) and recorded != actual:
            raise BadInput(
                f"{field} is {recorded}, the files hold {actual}", where=where, next_step=_REFRESH
            )


def contract_drift(manifest: Manifest, contract: ContractFingerprint) -> tuple[str, ...]:
    """What differs between the contract of today and the one the cassettes were made under."""
    findings = []
    for field, current in (
        ("prompt_sha256", contract.prompt_sha256),
        ("schema_sha256", contract.schema_sha256),
    ):
        recorded = getattr(manifest, field)
        if recorded is None and field == "schema_sha256" and manifest.is_older:
            continue  # written before schema hashes existed; the caller warns
        if recorded is None:
            findings.append(f"{field} is missing")
        elif recorded != current:
            findings.append(f"{field} is {recorded[:12]}…, the contract's is {current[:12]}…")
    return tuple(findings)


def check_contract(
    gold_set: GoldSet, manifest: Manifest, contract: ContractFingerprint, *, allow_drift: bool
) -> tuple[str, ...]:
    """Warnings for a run that may go on; raises BadInput for one that may not.

    `allow_drift` is EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT=1, for local experiments only.
    """
    where = gold_set.directory / MANIFEST
    drift = contract_drift(manifest, contract)
    if drift and not allow_drift:
        raise BadInput(
            f"cassettes are stale: {'; '.join(drift)}",
            where=where,
            next_step=f"{_REFRESH} (a local experiment may set {ALLOW_DRIFT_VARIABLE}=1)",
        )
    warnings = [f"{where}: {finding}; let through by {ALLOW_DRIFT_VARIABLE}" for finding in drift]
    if manifest.is_older:
        warnings.append(
            f"{where}: an older manifest without schema and file hashes, so a changed schema or "
            "file goes unnoticed; `extraction-bot refresh-manifest` adds them"
        )
    return tuple(warnings)
