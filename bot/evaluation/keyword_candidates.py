"""Candidates found by plain rules, offline and deterministic: what provider `keyword` answers.

A floor, not a model: a few English cue words, one sentence of the user at a time.
"""

import re
from typing import Final

from bot.candidates.extraction import MAX_CANDIDATES, CandidateDraft
from bot.candidates.record import MAX_CLAIM_CHARS, Evidence, SourceRef
from bot.candidates.taxonomy import CandidateKind
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.sentences import sentences

_MIN_CHARS: Final = 12
_WHY: Final = "A cue word of this kind stands in it"

# in order of how telling a cue is; the first that matches names the kind
_CUES: Final[tuple[tuple[CandidateKind, re.Pattern[str]], ...]] = (
    ("lesson", re.compile(r"\b(lesson|learned|learnt|turns out|turned out|next time|mistake)\b")),
    (
        "working_assumption",
        re.compile(r"\b(assume|assuming|assumption|presumably|until proven|working theory)\b"),
    ),
    (
        "decision",
        re.compile(r"\b(decided|we'll go with|going with|let's go with|we chose|settled on)\b"),
    ),
    (
        "open_question",
        re.compile(r"\b(still unclear|open question|don't know yet|undecided|no idea whether)\b"),
    ),
    (
        "constraint",
        re.compile(r"\b(must|at most|no more than|deadline|budget|not allowed|cannot|has to)\b"),
    ),
    ("preference", re.compile(r"\b(prefer|prefers|i like|i'd rather|please (?:use|keep)|hate)\b")),
)


def _draft(sentence: str, entry: int) -> CandidateDraft | None:
    text = sentence.strip(" \t-*•")
    if not _MIN_CHARS <= len(text) <= MAX_CLAIM_CHARS or not text.isprintable():
        return None
    lowered = text.lower().replace("’", "'")
    kind = next((kind for kind, cue in _CUES if cue.search(lowered)), None)
    if kind is None:
        return None
    here = (entry, entry)
    return CandidateDraft(
        kind=kind,
        claim=text.rstrip("."),
        why_useful=_WHY,
        evidence=(Evidence(id="E001", kind="message", entry_range=here, excerpt=text),),
        source_refs=(SourceRef(entry_range=here, evidence_id="E001", evidence_kind="message"),),
    )


def extract_candidates_by_keywords(
    conversation: GoldConversation,
) -> tuple[CandidateDraft, ...]:
    """At most twenty, from the user's turns only."""
    found = (
        _draft(sentence, turn.turn_index)
        for turn in conversation.turns
        if turn.role == "user"
        for sentence in sentences(turn.content)
    )
    return tuple(draft for draft in found if draft is not None)[:MAX_CANDIDATES]
