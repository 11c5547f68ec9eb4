"""Memories found by plain rules, offline and deterministic: what provider `keyword` answers.

It is a floor, not a model: it looks for a few English cue words, one sentence at a time, and copies
the sentence. It exists so that every step can be run on scores that are not perfect, and so that a
model's scores have something to be better than.
"""

import calendar
import re
from datetime import UTC, datetime
from typing import Final

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.scoring import Answers
from bot.evaluation.sentences import sentences
from bot.extraction.schema import (
    MAX_LABELS,
    MAX_MEMORIES,
    MIN_CONTENT_CHARS,
    ExtractedMemory,
    ExtractedMemoryLabel,
)
from bot.extraction.taxonomy import Label

_CONFIDENCE: Final = 0.5  # a rule knows nothing of how sure it is
_MAX_SENTENCE_CHARS: Final = 400

# in order of how telling a cue is; the first three that match label the sentence
_CUES: Final[tuple[tuple[Label, re.Pattern[str]], ...]] = (
    (
        "preference",
        re.compile(
            r"\b(prefer|prefers|favou?rite|(?:i|we|she|he|they)(?:'d| would)? "
            r"(?:really )?(?:like|likes|love|loves|hate|hates|dislike|dislikes|rather)|can't stand|"
            r"please (?:use|keep|write|don't)|don't like|doesn't like)\b"
        ),
    ),
    (
        "procedural",
        re.compile(
            r"\b(first\b.*\bthen|before (?:you|we|every|each|any)|after (?:every|each)|must|never|"
            r"make sure|step|steps|rule|policy|to (?:deploy|release|restart|reset|file)|has to|"
            r"have to be|only after)\b"
        ),
    ),
    (
        "behavioral",
        re.compile(
            r"\b(always|usually|every (?:day|week|month|morning|evening|night|year|other|"
            r"monday|tuesday|wednesday|thursday|friday|saturday|sunday)|tend to|tends to|"
            r"mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|on weekends|"
            r"each (?:morning|week)|normally|most (?:days|mornings|evenings))\b"
        ),
    ),
    (
        "episodic",
        re.compile(
            r"\b(yesterday|last (?:week|month|year|night|summer|spring|autumn|winter)|in 20\d\d|"
            r"(?:january|february|march|april|may|june|july|august|september|october|november|"
            r"december) (?:\d{1,2}|20\d\d)|moved|started|finished|broke|happened|booked|"
            r"got married|graduated|signed|joined|bought|launched|went down|crashed)\b"
        ),
    ),
    (
        "factual",
        re.compile(
            r"\b(my|our|i'm|i am|we're|we are|i have|we have|is called|are called|lives|live|"
            r"works|work at|runs on|allergic|has|uses)\b"
        ),
    ),
)
_MONTHS: Final = [name.lower() for name in calendar.month_name[1:]]
_UNTIL: Final = re.compile(
    r"\b(?:until|till|through|expires(?: on)?|up to and including)\s+(?:the\s+)?(?:"
    r"(?P<iso>\d{4}-\d{2}-\d{2})|"
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)?\s+(?P<month>[a-z]+),?\s+(?P<year>\d{4})|"
    r"(?P<month2>[a-z]+)\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{4}))",
    re.IGNORECASE,
)
_THIRD_PERSON: Final = (
    (re.compile(r"\bI'm\b|\bI am\b|\bim\b", re.IGNORECASE), "User is"),
    (re.compile(r"\bI've\b|\bI have\b", re.IGNORECASE), "User has"),
    (re.compile(r"\bI'd\b", re.IGNORECASE), "User would"),
    (re.compile(r"\bI\b", re.IGNORECASE), "User"),
    (re.compile(r"\bmy\b", re.IGNORECASE), "User's"),
)


def _valid_until(sentence: str) -> datetime | None:
    """The end of the day (UTC) that an "until …" with a whole date names."""
    found = _UNTIL.search(sentence)
    if found is None:
        return None
    try:
        if iso := found["iso"]:
            day = datetime.fromisoformat(iso)
        else:
            month = (found["month"] or found["month2"]).lower()
            day = datetime(
                int(found["year"] or found["year2"]),
                _MONTHS.index(month) + 1,
                int(found["day"] or found["day2"]),
            )
    except ValueError:  # no month of this name, no such day
        return None
    return day.replace(hour=23, minute=59, second=59, tzinfo=UTC)


def _memory(sentence: str) -> ExtractedMemory | None:
    text = sentence.strip(" \t-*•")
    if not MIN_CONTENT_CHARS <= len(text) <= _MAX_SENTENCE_CHARS or text.endswith("?"):
        return None
    lowered = text.lower().replace("’", "'")
    labels = [label for label, cue in _CUES if cue.search(lowered)]
    if not labels:
        return None
    if len(labels) > 1 and "factual" in labels:
        labels.remove("factual")  # its cues are the weakest
    for pattern, replacement in _THIRD_PERSON:
        text = pattern.sub(replacement, text)
    return ExtractedMemory(
        content=text.rstrip("."),
        categories=tuple(
            ExtractedMemoryLabel(label=label, confidence=_CONFIDENCE)
            for label in labels[:MAX_LABELS]
        ),
        confidence=_CONFIDENCE,
        valid_until=_valid_until(text),
    )


def extract_by_keywords(text: str) -> tuple[ExtractedMemory, ...]:
    """The memories of one turn's text, at most ten."""
    found = (_memory(sentence) for sentence in sentences(text))
    return tuple(memory for memory in found if memory is not None)[:MAX_MEMORIES]


def extract_memories_by_keywords(conversation: GoldConversation) -> Answers:
    """Answers for the user's turns only, from their text alone."""
    return {
        turn.turn_index: extract_by_keywords(turn.content) if turn.role == "user" else ()
        for turn in conversation.turns
    }
