"""What the pairing decides: pairs near the threshold, and how metrics move with it.

Answers are scored anew at each threshold, and once with equal texts only (similarity 1.0 after
folding case, punctuation and white space), the strictest match there is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.evaluation.counts import Metrics
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.matching import pair_memories
from bot.evaluation.rescoring import rescore
from bot.evaluation.task import Prediction, ScoringRules, Task

THRESHOLDS: Final = (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
EQUAL_TEXTS: Final = 1.0
NEAR: Final = 0.05
"""A pair whose similarity is no farther from the threshold is near it."""


@dataclass(frozen=True, slots=True)
class AuditedPair:
    """Two texts and the thresholds at which they are a pair; `similarity` is a fraction.

    `is_near` the threshold in use; `is_paired` at it. Not all of the lower thresholds need hold it:
    another pair may take its place.
    """

    conversation_id: str
    turn_index: int
    expected: str
    predicted: str
    similarity: float
    paired_at: tuple[float, ...]
    is_paired: bool
    is_near: bool


@dataclass(frozen=True, slots=True)
class MatchingAudit:
    """`metrics` by threshold, `moves_pp` each metric's greatest less its least value over 0.4 to
    0.8 in points (None where it is undefined at one); `pairs` that are near or that a threshold or
    equal texts change, the nearest first."""

    threshold: float
    metrics: Mapping[float, Metrics]
    moves_pp: Mapping[str, float | None]
    pairs: tuple[AuditedPair, ...]


def audit_matching(
    task: Task,
    conversations: Sequence[GoldConversation],
    answers: Mapping[str, Prediction],
    rules: ScoringRules,
) -> MatchingAudit:
    """`rules` are those in use; their treatment of contradictions holds at every threshold."""
    thresholds = tuple(sorted({*THRESHOLDS, rules.threshold, EQUAL_TEXTS}))
    metrics = {}
    for threshold in thresholds:
        at = ScoringRules(threshold, rules.allow_contradictions)
        metrics[threshold] = task.compute_metrics(rescore(task, conversations, answers, at).counts)
    pairs = [
        pair
        for conversation in conversations
        for pair in _pairs(task, conversation, answers, rules, thresholds)
        if pair.is_near or len(pair.paired_at) < len(thresholds)
    ]
    pairs.sort(key=lambda one: (abs(one.similarity - rules.threshold), one.conversation_id))
    return MatchingAudit(
        threshold=rules.threshold,
        metrics=metrics,
        moves_pp={name: _move([metrics[at][name] for at in THRESHOLDS]) for name in metrics[1.0]},
        pairs=tuple(pairs),
    )


def _move(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return (max(defined) - min(defined)) * 100 if len(defined) == len(values) else None


def _pairs(
    task: Task,
    conversation: GoldConversation,
    answers: Mapping[str, Prediction],
    rules: ScoringRules,
    thresholds: Sequence[float],
) -> list[AuditedPair]:
    prediction = answers.get(conversation.conversation_id, task.nothing)
    found = []
    for turn_index, gold, predicted in task.groups(conversation, prediction):
        at: dict[tuple[int, int], list[float]] = {}
        similarity: dict[tuple[int, int], float] = {}
        for threshold in thresholds:
            pairing = pair_memories(
                gold,
                predicted,
                threshold=threshold,
                allow_contradictions=rules.allow_contradictions,
            )
            for pair in pairing.pairs:
                place = pair.gold, pair.predicted
                at.setdefault(place, []).append(threshold)
                similarity[place] = pair.similarity
        found += [
            AuditedPair(
                conversation_id=conversation.conversation_id,
                turn_index=turn_index,
                expected=gold[i].content,
                predicted=predicted[j].content,
                similarity=similarity[i, j],
                paired_at=tuple(held),
                is_paired=rules.threshold in held,
                is_near=abs(similarity[i, j] - rules.threshold) <= NEAR,
            )
            for (i, j), held in at.items()
        ]
    return found
