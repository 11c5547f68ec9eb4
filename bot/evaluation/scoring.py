"""Scores predictions against gold memories: counts and cases (CONTRACTS section 3).

Conversations are taken one by one from an iterable, so memory grows with the cases found and not
with the conversations seen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.evaluation.cases import Case
from bot.evaluation.counts import Decisions, LabelCounts
from bot.evaluation.expected_memories import GoldTurn, TemporalKind
from bot.evaluation.find_cases import same_validity, turn_cases
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.matching import Pairing, pair_memories
from bot.evaluation.metrics import Counts
from bot.evaluation.task import Scored, ScoringRules
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import VALID_LABELS, Label

Answers = Mapping[int, tuple[ExtractedMemory, ...]]
"""The prediction of this task: memories by turn index."""

_NOTHING = GoldTurn((), ())


@dataclass(slots=True)
class _Tally:
    """The running sums; plain integers, since this is the inner loop."""

    tp: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(VALID_LABELS, 0))
    fp: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(VALID_LABELS, 0))
    fn: dict[Label, int] = field(default_factory=lambda: dict.fromkeys(VALID_LABELS, 0))
    category_right: int = 0
    category_total: int = 0
    temporal_right: int = 0
    value_right: int = 0
    turns: int = 0
    gold: int = 0
    predicted: int = 0
    pairs: int = 0

    def counts(self) -> Counts:
        return Counts(
            labels={
                label: LabelCounts(tp=self.tp[label], fp=self.fp[label], fn=self.fn[label])
                for label in VALID_LABELS
            },
            category_assignment=Decisions(right=self.category_right, total=self.category_total),
            temporal_field=Decisions(right=self.temporal_right, total=self.gold),
            temporal_value=Decisions(right=self.value_right, total=self.gold),
            turns=self.turns,
            gold_memories=self.gold,
            predicted_memories=self.predicted,
            pairs=self.pairs,
        )


def _count_pair(
    tally: _Tally, expected: ExtractedMemory, kind: TemporalKind, answer: ExtractedMemory
) -> bool:
    """Add a pair to the sums; returns whether labels and times agree."""
    expected_labels, answer_labels = expected.labels, answer.labels
    same_labels = expected_labels == answer_labels
    for label in expected_labels & answer_labels:
        tally.tp[label] += 1
    if not same_labels:
        for label in answer_labels - expected_labels:
            tally.fp[label] += 1
        for label in expected_labels - answer_labels:
            tally.fn[label] += 1
    time_right = (answer.valid_until is not None) == (kind == "supersession")
    same_value = same_validity(expected, answer)
    tally.category_right += same_labels
    tally.temporal_right += time_right
    tally.value_right += same_value
    return same_labels and time_right and same_value


def _count_turn(
    tally: _Tally, gold: GoldTurn, predicted: Sequence[ExtractedMemory], pairing: Pairing
) -> bool:
    """Add a turn to the sums; returns whether everything in it is right."""
    memories = gold.memories
    all_right = len(pairing.pairs) == len(memories) == len(predicted)
    for pair in pairing.pairs:
        expected, answer = memories[pair.gold], predicted[pair.predicted]
        all_right &= _count_pair(tally, expected, gold.kinds[pair.gold], answer)
    if len(pairing.pairs) < len(predicted):
        paired = {pair.predicted for pair in pairing.pairs}
        for label in _labels_outside(paired, predicted):
            tally.fp[label] += 1
    if len(pairing.pairs) < len(memories):
        paired = {pair.gold for pair in pairing.pairs}
        for label in _labels_outside(paired, memories):
            tally.fn[label] += 1
    if not memories and not predicted:
        tally.category_right += 1  # rightly nothing remembered is one right decision
    tally.category_total += max(len(memories), len(predicted), 1)
    tally.turns += 1
    tally.gold += len(memories)
    tally.predicted += len(predicted)
    tally.pairs += len(pairing.pairs)
    return all_right


def _labels_outside(paired: set[int], memories: Sequence[ExtractedMemory]) -> list[Label]:
    return [
        label for i, memory in enumerate(memories) if i not in paired for label in memory.labels
    ]


class MemoryScorer:
    """Takes the memories of one conversation after the other, in any order."""

    def __init__(self, rules: ScoringRules = ScoringRules()) -> None:
        self._rules = rules
        self._tally = _Tally()
        self._cases: list[Case] = []
        self._seen = 0

    def add(self, conversation: GoldConversation, answers: Answers) -> None:
        """A gold turn without an answer is an empty answer; an answer for a turn without a gold row
        is made of unpaired predictions."""
        self._seen += 1
        for turn_index in conversation.gold.keys() | answers.keys():
            gold = conversation.gold.get(turn_index, _NOTHING)
            predicted = answers.get(turn_index, ())
            pairing = pair_memories(
                gold.memories,
                predicted,
                threshold=self._rules.threshold,
                allow_contradictions=self._rules.allow_contradictions,
            )
            if not _count_turn(self._tally, gold, predicted, pairing):
                where = (conversation.conversation_id, turn_index)
                self._cases += turn_cases(where, gold, predicted, pairing)

    def result(self) -> Scored[Counts]:
        cases = sorted(self._cases, key=lambda case: (case.conversation_id, case.turn_index))
        return Scored(self._tally.counts(), tuple(cases), self._seen)


def score(
    conversations: Iterable[GoldConversation],
    predict: Callable[[GoldConversation], Answers],
    rules: ScoringRules = ScoringRules(),
) -> Scored[Counts]:
    """Score `predict` over `conversations`, taken one by one."""
    scorer = MemoryScorer(rules)
    for conversation in conversations:
        scorer.add(conversation, predict(conversation))
    return scorer.result()
