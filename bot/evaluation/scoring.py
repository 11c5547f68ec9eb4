"""Scores predictions against gold memories: counts and cases (CONTRACTS section 3).

Conversations are taken one by one from an iterable, so memory grows with the cases found and not
with the conversations seen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bot.evaluation.calibration import OVERALL, Confidences
from bot.evaluation.cases import Case
from bot.evaluation.counts import Decisions
from bot.evaluation.expected_memories import GoldTurn
from bot.evaluation.find_cases import same_validity, turn_cases
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.label_tally import LabelTally
from bot.evaluation.matching import Pairing, pair_memories
from bot.evaluation.metrics import Counts
from bot.evaluation.task import Scored, ScoringRules
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import VALID_LABELS

Answers = Mapping[int, tuple[ExtractedMemory, ...]]
"""The prediction of this task: memories by turn index."""

_NOTHING = GoldTurn((), ())


@dataclass(slots=True)
class _Tally:
    """The running sums of labels, and of times."""

    labels: LabelTally = field(default_factory=lambda: LabelTally.of(VALID_LABELS))
    temporal_right: int = 0
    value_right: int = 0

    def counts(self) -> Counts:
        labels = self.labels
        return Counts(
            labels=labels.label_counts,
            category_assignment=labels.assignment,
            temporal_field=Decisions(right=self.temporal_right, total=labels.gold),
            temporal_value=Decisions(right=self.value_right, total=labels.gold),
            turns=labels.groups,
            gold_memories=labels.gold,
            predicted_memories=labels.predicted,
            pairs=labels.pairs,
        )

    def add(self, gold: GoldTurn, predicted: Sequence[ExtractedMemory], pairing: Pairing) -> bool:
        """Add a turn to the sums; returns whether everything in it is right."""
        all_right = self.labels.add(gold.memories, predicted, pairing)
        for pair in pairing.pairs:
            expected, answer = gold.memories[pair.gold], predicted[pair.predicted]
            is_time_right = (answer.valid_until is not None) == (
                gold.kinds[pair.gold] == "supersession"
            )
            is_same_value = same_validity(expected, answer)
            self.temporal_right += is_time_right
            self.value_right += is_same_value
            all_right &= is_time_right and is_same_value
        return all_right


def memory_groups(
    conversation: GoldConversation, answers: Answers
) -> Iterator[tuple[int, GoldTurn, tuple[ExtractedMemory, ...]]]:
    """What is paired: the turns that have gold or an answer."""
    for turn_index in conversation.gold.keys() | answers.keys():
        yield (
            turn_index,
            conversation.gold.get(turn_index, _NOTHING),
            answers.get(turn_index, ()),
        )


class MemoryScorer:
    """Takes the memories of one conversation after the other, in any order."""

    def __init__(self, rules: ScoringRules = ScoringRules()) -> None:
        self._rules = rules
        self._tally = _Tally()
        self._cases: list[Case] = []
        self._confidences = Confidences()
        self._seen = 0

    def add(self, conversation: GoldConversation, answers: Answers) -> None:
        """A gold turn without an answer is an empty answer; an answer for a turn without a gold row
        is made of unpaired predictions."""
        self._seen += 1
        for turn_index, gold, predicted in memory_groups(conversation, answers):
            pairing = pair_memories(
                gold.memories,
                predicted,
                threshold=self._rules.threshold,
                allow_contradictions=self._rules.allow_contradictions,
            )
            _add_confidences(self._confidences, gold, predicted, pairing)
            if not self._tally.add(gold, predicted, pairing):
                where = (conversation.conversation_id, turn_index)
                self._cases += turn_cases(where, gold, predicted, pairing)

    def result(self) -> Scored[Counts]:
        cases = sorted(self._cases, key=lambda case: (case.conversation_id, case.turn_index))
        tallies = self._confidences.tallies
        return Scored(self._tally.counts(), tuple(cases), self._seen, tallies)


def _add_confidences(
    confidences: Confidences,
    gold: GoldTurn,
    predicted: Sequence[ExtractedMemory],
    pairing: Pairing,
) -> None:
    """A prediction without a pair is wrong in all it says."""
    overall, tally = confidences.tally(OVERALL), confidences.tally
    labels_of = {pair.predicted: gold.memories[pair.gold].labels for pair in pairing.pairs}
    for i, memory in enumerate(predicted):
        expected = labels_of.get(i)
        overall.add(memory.confidence, expected is not None)
        for category in memory.categories:
            label = category.label
            tally(label).add(category.confidence, expected is not None and label in expected)


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
