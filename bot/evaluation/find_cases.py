"""Finds the cases of a turn whose answer is not all right."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.evaluation.cases import Case, CaseMemory
from bot.evaluation.expected_memories import GoldTurn, TemporalKind
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
    where: tuple[str, int], expected: ExtractedMemory, kind: TemporalKind, answer: ExtractedMemory
) -> list[Case]:
    both = (_shown(expected), _shown(answer))
    cases = []
    if expected.labels != answer.labels:
        cases.append(Case(*where, "labels", *both))
    if (answer.valid_until is not None) != (kind == "supersession"):
        detail = "valid_until missing" if kind == "supersession" else "valid_until set"
        cases.append(Case(*where, "time", *both, detail))
    elif not same_validity(expected, answer):
        cases.append(Case(*where, "time", *both, "another time (ungated)"))
    return cases


def turn_cases(
    where: tuple[str, int],
    gold: GoldTurn,
    predicted: Sequence[ExtractedMemory],
    pairing: Pairing,
) -> list[Case]:
    """The cases of the turn at (conversation id, turn index).

    A contradicting pair is one case, not a miss and an invention.
    """
    cases = []
    for pair in pairing.pairs:
        expected, answer = gold.memories[pair.gold], predicted[pair.predicted]
        cases += _pair_cases(where, expected, gold.kinds[pair.gold], answer)
    missed = {i: (where, _shown(memory)) for i, memory in enumerate(gold.memories)}
    invented = {i: (where, _shown(memory)) for i, memory in enumerate(predicted)}
    return cases + leftover_cases(missed, invented, pairing)


Placed = tuple[tuple[str, int], CaseMemory]
"""(conversation id, turn index), and what is shown."""


def leftover_cases(
    missed: dict[int, Placed], invented: dict[int, Placed], pairing: Pairing
) -> list[Case]:
    """The cases of what has no pair, of all gold and all predicted items by their index."""
    missed, invented, cases = dict(missed), dict(invented), []
    for pair in pairing.pairs:
        del missed[pair.gold], invented[pair.predicted]
    for clash in sorted(pairing.contradictions, key=lambda c: (-c.similarity, c.gold, c.predicted)):
        if clash.gold in missed and clash.predicted in invented:
            (where, expected), (_, answer) = missed.pop(clash.gold), invented.pop(clash.predicted)
            cases.append(Case(*where, "contradicts", expected, answer, clash.reason))
    cases += [Case(*where, "missed", expected=shown) for where, shown in missed.values()]
    cases += [Case(*where, "invented", predicted=shown) for where, shown in invented.values()]
    return cases
