"""What an extractor answers for a stretch of a session: candidates, before a host stages them.

A draft has what the extractor chooses; ids, run and source are the host's (`bot.candidates.
staging`). Ranges count the entries that were shown, by their index.
"""

from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot.candidates.bounded import tuple_of_list
from bot.candidates.record import (
    Claim,
    Pieces,
    SourceRefs,
    Staleness,
    WhyUseful,
    check_pieces,
)
from bot.candidates.taxonomy import CandidateKind

MAX_CANDIDATES: Final = 20
"""Of one stretch; more are rejected, never cut."""


def _without_docstring(schema: dict[str, Any]) -> None:
    """Keep this module's docstrings out of the JSON Schema, and so out of the fingerprint."""
    schema.pop("description", None)


class _Answer(BaseModel):
    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", json_schema_extra=_without_docstring
    )


class CandidateDraft(_Answer):
    """One candidate: one claim, of one kind, for one later decision."""

    kind: CandidateKind
    claim: Claim
    why_useful: WhyUseful
    staleness: Staleness | None = None
    evidence: Pieces = ()
    source_refs: SourceRefs = ()

    @property
    def content(self) -> str:
        return self.claim

    @property
    def labels(self) -> frozenset[str]:
        return frozenset((self.kind,))

    @model_validator(mode="after")
    def _pieces_agree(self) -> Self:
        check_pieces(self.evidence, self.source_refs)
        return self


class CandidateExtraction(_Answer):
    """The answer for one stretch of a session."""

    candidates: Annotated[
        tuple[CandidateDraft, ...],
        Field(max_length=MAX_CANDIDATES),
        BeforeValidator(tuple_of_list),
    ]
