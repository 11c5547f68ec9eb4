"""One candidate for a memory, staged for one later decision, schema 2 (CONTRACTS section 10).

An extract run leaves 0 to n such records. A record holds what its extractor chose, in short pieces:
the bounds below are part of the schema, since a host that forgets them would store a session's log
or a whole tool result. They are checked on writing and on reading.
"""

import json
from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot.candidates.bounded import (
    EntryRange,
    EvidenceId,
    Tag,
    Text,
    Uuid7,
    created_ms,
    instant_of,
    tuple_of_list,
)
from bot.candidates.taxonomy import CandidateKind
from bot.errors import BadInput
from bot.files import decode, parse_json, to_json
from bot.validation import validate

SCHEMA_VERSION: Final = 2
MAX_CLAIM_CHARS: Final = 500
MAX_WHY_USEFUL_CHARS: Final = 500
MAX_STALENESS_CHARS: Final = 300
MAX_EXCERPT_CHARS: Final = 600
MAX_SUMMARY_CHARS: Final = 300
MAX_LABEL_CHARS: Final = 120
MAX_ANCHOR_CHARS: Final = 128  # a host's id of a session or a segment: a UUID, a hash, a short name
MAX_EVIDENCE: Final = 8
MAX_SOURCE_REFS: Final = 16
MAX_RECORD_BYTES: Final = 16 * 1024
"""Of the file. All eight pieces of evidence fit at full length in English, four in Japanese."""

BATCH_KEYS: Final = ("decisions", "discussions", "attempts", "requests")
"""What the old form of one batch a run held; there is no reader for it."""

Anchor = Annotated[str, Text(MAX_ANCHOR_CHARS)]
Excerpt = Annotated[str, Text(MAX_EXCERPT_CHARS)]
Summary = Annotated[str, Text(MAX_SUMMARY_CHARS)]


def _place_of_second(items: Iterable[Hashable]) -> int | None:
    """Where the first stands that was there before, counted from 0."""
    seen: set[Hashable] = set()
    for place, item in enumerate(items):
        if item in seen:
            return place
        seen.add(item)
    return None


def _known_version(value: object) -> object:
    if type(value) is not int or value != SCHEMA_VERSION:
        raise ValueError(f"only version {SCHEMA_VERSION} is known")
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Source(_Part):
    """The stretch of a session's log that the extract run read."""

    segment_id: Anchor
    range: EntryRange


class Evidence(_Part):
    """A short piece that the extractor chose. Its range counts in the record's source segment.

    Known kinds are `message`, `tool_call`, `tool_result`, `file_ref`, `ticket_ref` and
    `objective_ref`; another short tag in snake_case is accepted.
    """

    id: EvidenceId
    kind: Tag
    entry_range: EntryRange | None = None
    excerpt: Excerpt | None = None
    summary: Summary | None = None


class SourceRef(_Part):
    """An anchor that the host resolved. Its range counts in the segment that it names."""

    session_id: Anchor | None = None
    segment_id: Anchor | None = None
    entry_range: EntryRange | None = None
    evidence_id: EvidenceId | None = None
    evidence_kind: Tag | None = None
    label: Annotated[str, Text(MAX_LABEL_CHARS)] | None = None
    summary: Summary | None = None

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("is empty and leads nowhere")
        return self


def check_pieces(evidence: Sequence[Evidence], source_refs: Sequence[SourceRef]) -> None:
    """Raises ValueError for what is given twice, and for a reference that names no evidence."""
    place = _place_of_second(piece.id for piece in evidence)
    if place is not None:
        raise ValueError(f"evidence id {evidence[place].id!r} is given twice")
    place = _place_of_second(source_refs)
    if place is not None:
        raise ValueError(f"source_refs.{place} is given twice")
    known = {piece.id for piece in evidence}
    for place, ref in enumerate(source_refs):
        if ref.evidence_id is not None and ref.evidence_id not in known:
            raise ValueError(
                f"source_refs.{place}.evidence_id {ref.evidence_id!r} names no evidence"
            )


Claim = Annotated[str, Text(MAX_CLAIM_CHARS)]
WhyUseful = Annotated[str, Text(MAX_WHY_USEFUL_CHARS)]
Staleness = Annotated[str, Text(MAX_STALENESS_CHARS)]
Pieces = Annotated[
    tuple[Evidence, ...], Field(max_length=MAX_EVIDENCE), BeforeValidator(tuple_of_list)
]
SourceRefs = Annotated[
    tuple[SourceRef, ...], Field(max_length=MAX_SOURCE_REFS), BeforeValidator(tuple_of_list)
]


class CandidateRecord(_Part):
    """One candidate, staged for one later decision. `id` is also the name of its file."""

    schema_version: Annotated[Literal[2], BeforeValidator(_known_version)]
    id: Uuid7
    extract_run_id: Uuid7
    source: Source
    kind: CandidateKind
    claim: Claim
    why_useful: WhyUseful
    staleness: Staleness | None = None
    evidence: Pieces = ()
    source_refs: SourceRefs = ()

    @property
    def created_at(self) -> datetime:
        """When the id was made, to the millisecond, in UTC."""
        return instant_of(created_ms(self.id))

    @model_validator(mode="before")
    @classmethod
    def _no_batch(cls, value: object) -> object:
        keys = [key for key in BATCH_KEYS if key in value] if isinstance(value, dict) else []
        if keys:
            raise ValueError(
                f"is a batch payload (holds {', '.join(keys)}), which has no reader: "
                "a file is one record, and a record is one candidate"
            )
        return value

    @model_validator(mode="after")
    def _pieces_agree(self) -> Self:
        check_pieces(self.evidence, self.source_refs)
        return self

    @model_validator(mode="after")
    def _ranges_within_source(self) -> Self:
        for place, piece in enumerate(self.evidence):
            self._check_within(piece.entry_range, f"evidence.{place}")
        for place, ref in enumerate(self.source_refs):
            if ref.segment_id == self.source.segment_id:
                self._check_within(ref.entry_range, f"source_refs.{place}")
        return self

    def _check_within(self, entry_range: tuple[int, int] | None, place: str) -> None:
        first, last = self.source.range
        if entry_range is not None and not first <= entry_range[0] <= entry_range[1] <= last:
            raise ValueError(
                f"{place}.entry_range {list(entry_range)} leaves the source's range [{first}, "
                f"{last}]; both count entries of the segment's log from 0"
            )

    @model_validator(mode="after")
    def _fits_its_file(self) -> Self:
        size = len(record_to_json(self))
        if size > MAX_RECORD_BYTES:
            raise ValueError(f"takes {size:,} bytes as a file, at most {MAX_RECORD_BYTES:,}")
        return self


def new_id() -> str:
    """A UUIDv7 for a record or an extract run; within a process each sorts after the one before."""
    from uuid_utils import uuid7

    return str(uuid7())


def record_to_json(record: CandidateRecord) -> bytes:
    """The record's file: keys in the order of the schema, absent values left out, UTF-8."""
    return to_json(record.model_dump(exclude_none=True)).encode("utf-8")


def record_to_json_line(record: CandidateRecord) -> str:
    """The same values on one line, without a line break."""
    return json.dumps(record.model_dump(exclude_none=True), ensure_ascii=False)


def parse_record(data: bytes, where: str | Path = "") -> CandidateRecord:
    """The record that a file's bytes hold; its own bytes come back from `record_to_json`.

    Raises BadInput, naming `where`, the field, the length and the bound, for what is too large, no
    UTF-8, no JSON, a batch payload of the old form, or breaks a rule of the schema.
    """
    if len(data) > MAX_RECORD_BYTES:
        raise BadInput(
            f"has {len(data):,} bytes, a record at most {MAX_RECORD_BYTES:,}",
            where=where,
            next_step="stage bounded snippets, never a log or a whole tool result",
        )
    return validate(CandidateRecord, parse_json(decode(data, where), where), where)


def candidate_json_schema() -> dict[str, Any]:
    """The JSON Schema of a record, generated from the models above.

    It cannot say what compares two values: ranges, references, bytes, what is given twice.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **CandidateRecord.model_json_schema(),
        "title": "Candidate staging record",
    }
