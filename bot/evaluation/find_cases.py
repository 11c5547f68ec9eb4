"""Finds the cases of a turn whose answer is not all right."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.evaluation.cases import Case, CaseMemory
from bot.evaluation.gold_set import GoldTurn
from bot.evaluation.matching import Pairing
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import VALID_LABELS


def _same_instant(a: datetime | None, b: datetime | None) -> bool:
    """Whatever the UTC offset; a time without one is taken as UTC."""
    if a is None or b is None:
        return a is b
    aware_a, aware_b = (t if t.utcoffset() is not None else t.replace(tzinfo=UTC) for t in (a, b))
    return aware_a == aware_b


def same_validity(gold: ExtractedMemory, predicted: ExtractedMemory) -> bool:
    return _same_instant(gold.valid_from, predicted.valid_from) and _same_instant(
        gold.valid_until, predicted.valid_until
    )


def _shown(memory: ExtractedMemory) -> CaseMemory:
    return CaseMemory(
        content=memory.content,
        labels=tuple(label for label in VALID_LABELS if label in memory.labels),
        valid_from=memory.valid_from.isoformat() if memory.valid_from else None,
        valid_until=memory.valid_until.isoformat() if memory.valid_until else None,
    )


def _pair_cases(
    conversation_id: str,
    turn_index: int,
    expected: ExtractedMemory,
    kind: str,
    answer: ExtractedMemory,
) -> list[Case]:
    cases = []
    where = {"conversation_id": conversation_id, "turn_index": turn_index}
    both = {"expected": _shown(expected), "predicted": _shown(answer)}
    if expected.labels != answer.labels:
        cases.append(Case(**where, kind="labels", **both))
    if (answer.valid_until is not None) != (kind == "supersession"):
        detail = "valid_until missing" if kind == "supersession" else "valid_until set"
        cases.append(Case(**where, kind="time", detail=detail, **both))
    elif not same_validity(expected, answer):
        cases.append(Case(**where, kind="time", detail="another time (ungated)", **both))
    return cases


def turn_cases(
    conversation_id: str,
    turn_index: int,
    gold: GoldTurn,
    predicted: Sequence[ExtractedMemory],
    pairing: Pairing,
) -> list[Case]:
    """The cases of one turn; a contradicting pair is one case, not a miss and an invention."""
    where = {"conversation_id": conversation_id, "turn_index": turn_index}
    missed = dict(enumerate(gold.memories))
    invented = dict(enumerate(predicted))
    cases = []
    for pair in pairing.pairs:
        del missed[pair.gold], invented[pair.predicted]
        cases += _pair_cases(
            conversation_id,
            turn_index,
            gold.memories[pair.gold],
            gold.kinds[pair.gold],
            predicted[pair.predicted],
        )
    for clash in sorted(pairing.contradictions, key=lambda c: (-c.similarity, c.gold, c.predicted)):
        if clash.gold in missed and clash.predicted in invented:
            cases.append(
                Case(
                    **where,
                    kind="contradicts",
                    expected=_shown(missed.pop(clash.gold)),
                    predicted=_shown(invented.pop(clash.predicted)),
                    detail=clash.reason,
                )
            )
    cases += [Case(**where, kind="missed", expected=_shown(m)) for m in missed.values()]
    cases += [Case(**where, kind="invented", predicted=_shown(m)) for m in invented.values()]
    return cases
