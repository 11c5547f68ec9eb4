"""From what an extractor answered to staging records (CONTRACTS section 10).

Candidates become records as they are. Memories have labels and not kinds, and only what a label
says for sure is staged:

| label | kind | why |
| --- | --- | --- |
| preference | preference | the same thing |
| procedural | left out | a rule may be a constraint, but a way of doing binds nobody |
| factual, behavioral, episodic | left out | a fact, a habit, an event are none of the kinds |

What cannot be expressed, or would point to nothing, is left out and counted, never guessed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from bot.candidates.evidence import entry_ranges, reference_faults, snippet_faults
from bot.candidates.extraction import CandidateDraft
from bot.candidates.record import (
    MAX_CLAIM_CHARS,
    MAX_EXCERPT_CHARS,
    SCHEMA_VERSION,
    CandidateRecord,
    Evidence,
    Source,
    SourceRef,
    new_id,
)
from bot.candidates.taxonomy import CandidateKind
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.sentences import sentences
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import Label

KIND_OF_LABEL: Final[Mapping[Label, CandidateKind]] = {"preference": "preference"}

NO_KIND: Final = "no kind for {labels}"
TOO_LONG: Final = "longer than a claim may be"
NOT_STORABLE: Final = "against a bound of the record"
NO_EVIDENCE: Final = "evidence or entries that are not there"

WHY_USEFUL: Final = "A preference that later work should follow (confidence {confidence:.2f})"
HOLDS_UNTIL: Final = "Holds until {until}"


@dataclass(slots=True)
class Staging:
    """Records to be stored, and why the others are none."""

    records: list[CandidateRecord] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: "Staging") -> "Staging":
        self.records += other.records
        self.left_out += other.left_out
        return self


def stage_memories(
    conversation: GoldConversation, memories: Mapping[int, Sequence[ExtractedMemory]]
) -> Staging:
    """One extract run: the memories of one conversation, by turn index."""
    texts = {turn.turn_index: turn.content for turn in conversation.turns}
    staging, run_id = Staging(), new_id()
    for turn_index, found in sorted(memories.items()):
        for memory in found:
            kinds = {KIND_OF_LABEL[label] for label in memory.labels if label in KIND_OF_LABEL}
            if len(kinds) != 1:
                labels = ", ".join(sorted(memory.labels))
                staging.left_out[NO_KIND.format(labels=labels)] += 1
            elif len(memory.content) > MAX_CLAIM_CHARS:
                staging.left_out[TOO_LONG] += 1
            elif turn_index not in texts:
                staging.left_out[NO_EVIDENCE] += 1
            else:
                draft = _draft(memory, kinds.pop(), turn_index, texts[turn_index])
                _stage(staging, conversation, draft, run_id)
    return staging


def stage_drafts(conversation: GoldConversation, drafts: Sequence[CandidateDraft]) -> Staging:
    """One extract run: the candidates of one conversation."""
    texts = {turn.turn_index: turn.content for turn in conversation.turns}
    staging, run_id = Staging(), new_id()
    for draft in drafts:
        is_there = not snippet_faults(draft, texts) and (
            not entry_ranges(draft) or not reference_faults(draft, texts)
        )
        if is_there:
            _stage(staging, conversation, draft, run_id)
        else:
            staging.left_out[NO_EVIDENCE] += 1
    return staging


def _draft(
    memory: ExtractedMemory, kind: CandidateKind, turn_index: int, text: str
) -> CandidateDraft | None:
    here = (turn_index, turn_index)
    until = memory.valid_until
    try:
        return CandidateDraft(
            kind=kind,
            claim=memory.content,
            why_useful=WHY_USEFUL.format(confidence=memory.confidence),
            staleness=HOLDS_UNTIL.format(until=until.isoformat()) if until else None,
            evidence=(
                Evidence(
                    id="E001",
                    kind="message",
                    entry_range=here,
                    excerpt=closest_sentence(memory.content, text),
                ),
            ),
            source_refs=(SourceRef(entry_range=here, evidence_id="E001", evidence_kind="message"),),
        )
    except ValidationError:
        return None


def closest_sentence(claim: str, text: str) -> str:
    """The sentence of `text` that shares most words with `claim`, cut at an excerpt's bound."""
    from rapidfuzz.fuzz import token_set_ratio

    parts = [part.strip() for part in sentences(text) if part.strip()] or [text]
    best = max(parts, key=lambda part: token_set_ratio(claim, part))
    return best[:MAX_EXCERPT_CHARS].strip()


def _stage(
    staging: Staging, conversation: GoldConversation, draft: CandidateDraft | None, run_id: str
) -> None:
    indexes = conversation.turn_indexes
    try:
        if draft is None:
            raise ValueError(NOT_STORABLE)
        staging.records.append(
            CandidateRecord(
                schema_version=SCHEMA_VERSION,
                id=new_id(),
                extract_run_id=run_id,
                source=Source(
                    segment_id=conversation.conversation_id, range=(min(indexes), max(indexes))
                ),
                kind=draft.kind,
                claim=draft.claim,
                why_useful=draft.why_useful,
                staleness=draft.staleness,
                evidence=draft.evidence,
                source_refs=draft.source_refs,
            )
        )
    except ValueError:  # pydantic's is one
        staging.left_out[NOT_STORABLE] += 1
