"""Extraction output, schema v2 (ADR-0063 section 1, CONTRACTS section 1). Everything fails closed.

The contract's fingerprint is that of the JSON Schema of `BatchExtractionResult`: comments and
docstrings in this file do not change it, a field or a bound does (`bot.extraction.fingerprint`).
"""

from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from bot.extraction.taxonomy import Label

MIN_CONTENT_CHARS: Final = 5
MAX_CONTENT_CHARS: Final = 10_000
MAX_CONTENT_BYTES: Final = 10_000  # octet_length of the column the write path fills
MAX_LABELS: Final = 3
MAX_MEMORIES: Final = 10


def _instant(value: object) -> object:
    """JSON carries an instant as ISO 8601 text; a bare number could be seconds or milliseconds."""
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str):
        return datetime.fromisoformat(value)
    raise ValueError("a time is an ISO 8601 text or null")


# strict: a boolean or a text is no number, although Python could make one of it
Confidence = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
TurnIndex = Annotated[int, Field(strict=True, ge=0)]
Instant = Annotated[datetime | None, BeforeValidator(_instant)]


def _without_docstring(schema: dict[str, Any]) -> None:
    """Keep this module's docstrings out of the JSON Schema, and so out of the fingerprint."""
    schema.pop("description", None)


class _Contract(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_without_docstring)


class ExtractedMemoryLabel(_Contract):
    """One label of the fixed taxonomy with its own confidence, a fraction in [0, 1]."""

    label: Label
    confidence: Confidence


class ExtractedMemory(_Contract):
    """One memory with its labels, its overall confidence (a fraction) and its validity."""

    content: Annotated[str, Field(min_length=MIN_CONTENT_CHARS, max_length=MAX_CONTENT_CHARS)]
    categories: Annotated[
        tuple[ExtractedMemoryLabel, ...], Field(min_length=1, max_length=MAX_LABELS)
    ]
    confidence: Confidence
    valid_from: Instant = None
    valid_until: Instant = None

    @field_validator("content")
    @classmethod
    def _bytes_bounded(cls, value: str) -> str:
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise ValueError("content holds a lone surrogate and is no valid text") from error
        if size > MAX_CONTENT_BYTES:
            raise ValueError(f"content has {size} UTF-8 bytes, at most {MAX_CONTENT_BYTES}")
        return value

    @field_validator("categories")
    @classmethod
    def _labels_distinct(
        cls, value: tuple[ExtractedMemoryLabel, ...]
    ) -> tuple[ExtractedMemoryLabel, ...]:
        labels = [category.label for category in value]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise ValueError(f"label {twice!r} is given twice")
        return value

    @model_validator(mode="after")
    def _validity_ordered(self) -> Self:
        start, end = self.valid_from, self.valid_until
        if start is None or end is None:
            return self
        if (start.utcoffset() is None) != (end.utcoffset() is None):
            raise ValueError("valid_from and valid_until must both have a UTC offset, or neither")
        if end <= start:
            raise ValueError("valid_until must be after valid_from")
        return self

    @cached_property
    def labels(self) -> frozenset[Label]:
        """The label set, without confidences."""
        return frozenset(category.label for category in self.categories)


Memories = Annotated[tuple[ExtractedMemory, ...], Field(max_length=MAX_MEMORIES)]


class ExtractionResult(_Contract):
    """The answer for one turn: at most ten memories; eleven are rejected, never cut."""

    memories: Memories


class TurnExtraction(_Contract):
    """The memories of the turn `turn_index` of a batch."""

    turn_index: TurnIndex
    memories: Memories


class BatchExtractionResult(_Contract):
    """The answer for a session: one entry a turn, no turn twice."""

    turns: tuple[TurnExtraction, ...]

    @field_validator("turns")
    @classmethod
    def _turns_distinct(cls, value: tuple[TurnExtraction, ...]) -> tuple[TurnExtraction, ...]:
        seen: set[int] = set()
        for turn in value:
            if turn.turn_index in seen:
                raise ValueError(f"turn_index {turn.turn_index} is given twice")
            seen.add(turn.turn_index)
        return value
