"""What a candidate record is made of: bounded text, tags, ids, ranges (CONTRACTS section 10).

A refusal says the length it met and the bound, so that whoever chose the snippet can shorten it.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, core_schema

BYTES_A_CHAR: Final = 3
"""UTF-8 takes up to 4 bytes a character, so a bound of 4 would refuse nothing. 3 lets every script
in daily use (Japanese, Hindi, …) have its full length; only a text made of emoji meets it."""

MAX_TAG_CHARS: Final = 40
MAX_EVIDENCE_ID_CHARS: Final = 32
MAX_ENTRY_INDEX: Final = 2**53 - 1  # the largest whole number that every JSON reader keeps exact
MAX_UUID7_MS: Final = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z: a date can say no more

_KEPT_CONTROLS: Final = "\n\t"
_UNSEEN: Final = "CZ"  # Unicode's categories of what leaves no ink, a zero-width space included
_UUID7: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
_TAG: Final = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"
_EVIDENCE_ID: Final = r"^[A-Za-z][A-Za-z0-9_-]*$"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _check_length(value: str, max_chars: int) -> None:
    if len(value) > max_chars:
        raise ValueError(f"has {len(value):,} characters, at most {max_chars}")


def _before(check: Callable[[str], None], source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Our check goes first, since pydantic's own refusals do not say the length they met."""

    def checked(value: object) -> object:
        if isinstance(value, str):
            check(value)
        return value

    return core_schema.no_info_before_validator_function(checked, handler(source))


@dataclass(frozen=True)
class Text:
    """`Annotated[str, Text(n)]`: 1 to `n` characters, and at most 3 × `n` bytes of UTF-8.

    Refused: blank text, lone surrogates, control characters other than line feed and tab.
    """

    max_chars: int

    def check(self, value: str) -> None:
        """Raises ValueError with the fault, its length and the bound."""
        _check_length(value, self.max_chars)
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise ValueError("holds a lone surrogate and is no valid text") from error
        if size > BYTES_A_CHAR * self.max_chars:
            raise ValueError(f"has {size:,} UTF-8 bytes, at most {BYTES_A_CHAR * self.max_chars}")
        categories = [unicodedata.category(char) for char in value]
        for place, char in enumerate(value):
            if categories[place] == "Cc" and char not in _KEPT_CONTROLS:
                raise ValueError(f"holds the control character U+{ord(char):04X} at {place}")
        if all(category[0] in _UNSEEN for category in categories):
            raise ValueError("is blank")

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return _before(self.check, source, handler)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": self.max_chars, "pattern": r"\S"}


@dataclass(frozen=True)
class Shaped:
    """`Annotated[str, Shaped(pattern, n, what)]`: at most `n` characters that match `pattern`."""

    pattern: str
    max_chars: int
    what: str

    def check(self, value: str) -> None:
        """Raises ValueError with the fault."""
        _check_length(value, self.max_chars)
        if not re.fullmatch(self.pattern, value):
            raise ValueError(f"is no {self.what}")

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return _before(self.check, source, handler)

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return {"type": "string", "maxLength": self.max_chars, "pattern": self.pattern}


def created_ms(uuid7: str) -> int:
    """When a UUIDv7 was made, in milliseconds since 1970-01-01 UTC (RFC 9562 section 5.7)."""
    return int(uuid7[:8] + uuid7[9:13], 16)


def instant_of(milliseconds: int) -> datetime:
    """Milliseconds since 1970-01-01 UTC, at most `MAX_UUID7_MS`, as an instant in UTC."""
    return _EPOCH + timedelta(milliseconds=milliseconds)


def uuid7_prefix(instant: datetime) -> str:
    """What every UUIDv7 made at `instant` or later, to the millisecond, sorts after."""
    digits = f"{max(0, (instant - _EPOCH) // timedelta(milliseconds=1)):012x}"
    return f"{digits[:8]}-{digits[8:]}"


def is_uuid7(value: str) -> bool:
    """Is this a UUIDv7 in the one form that records use: lower case, with hyphens, up to 9999?"""
    return re.fullmatch(_UUID7, value) is not None and created_ms(value) <= MAX_UUID7_MS


def _check_uuid7(value: str) -> str:
    if not is_uuid7(value):
        raise ValueError("is no UUIDv7 in lower case with hyphens")
    return value


def tuple_of_list(value: object) -> object:
    """JSON has lists only, and a strict tuple takes none."""
    return tuple(value) if isinstance(value, list) else value


def _check_order(value: tuple[int, int]) -> tuple[int, int]:
    first, last = value
    if first > last:
        raise ValueError(f"runs backwards, from {first} to {last}")
    return value


Uuid7 = Annotated[
    str, AfterValidator(_check_uuid7), WithJsonSchema({"type": "string", "pattern": _UUID7})
]
Tag = Annotated[str, Shaped(_TAG, MAX_TAG_CHARS, "tag in snake_case")]
EvidenceId = Annotated[str, Shaped(_EVIDENCE_ID, MAX_EVIDENCE_ID_CHARS, "evidence id such as E001")]
EntryIndex = Annotated[int, Field(ge=0, le=MAX_ENTRY_INDEX)]
EntryRange = Annotated[
    tuple[EntryIndex, EntryIndex], BeforeValidator(tuple_of_list), AfterValidator(_check_order)
]
"""First and last entry of a segment's log, counted from 0, both included."""
