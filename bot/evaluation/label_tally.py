"""Counts labels of pairs and of what is left over, for any task whose items carry labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.evaluation.counts import Decisions, LabelCounts
from bot.evaluation.matching import Labelled, Pairing


@dataclass(slots=True)
class LabelTally:
    """Running sums; plain integers, since this is the inner loop of a scoring.

    A pair counts a true positive for a label both have, a false positive for one only the
    prediction has, a false negative for one only the gold has; what is left over counts all its
    labels. The assignment of a group is right for each pair with equal labels, out of the larger of
    the two lists, and once for a group with neither (CONTRACTS section 3).
    """

    tp: dict[str, int]
    fp: dict[str, int]
    fn: dict[str, int]
    right: int = 0
    total: int = 0
    gold: int = 0
    predicted: int = 0
    pairs: int = 0
    groups: int = 0

    @classmethod
    def of(cls, labels: Sequence[str]) -> "LabelTally":
        return cls(dict.fromkeys(labels, 0), dict.fromkeys(labels, 0), dict.fromkeys(labels, 0))

    def add(
        self, gold: Sequence[Labelled], predicted: Sequence[Labelled], pairing: Pairing
    ) -> bool:
        """Add a group (a turn, a conversation); returns whether everything is paired and equal."""
        pairs = pairing.pairs
        right = 0
        for pair in pairs:
            right += self._add_pair(gold[pair.gold].labels, predicted[pair.predicted].labels)
        if len(pairs) < len(predicted):
            _add_outside({pair.predicted for pair in pairs}, predicted, self.fp)
        if len(pairs) < len(gold):
            _add_outside({pair.gold for pair in pairs}, gold, self.fn)
        is_all_right = right == len(gold) == len(predicted)
        self.right += right if gold or predicted else 1
        self.total += max(len(gold), len(predicted), 1)
        self.gold += len(gold)
        self.predicted += len(predicted)
        self.pairs += len(pairs)
        self.groups += 1
        return is_all_right

    def _add_pair(self, expected: frozenset[str], answer: frozenset[str]) -> bool:
        if expected == answer:
            for label in expected:
                self.tp[label] += 1
            return True
        for label in expected & answer:
            self.tp[label] += 1
        for label in answer - expected:
            self.fp[label] += 1
        for label in expected - answer:
            self.fn[label] += 1
        return False

    @property
    def label_counts(self) -> dict[str, LabelCounts]:
        return {
            label: LabelCounts(tp=self.tp[label], fp=self.fp[label], fn=self.fn[label])
            for label in self.tp
        }

    @property
    def assignment(self) -> Decisions:
        return Decisions(right=self.right, total=self.total)


def _add_outside(paired: set[int], items: Sequence[Labelled], counts: dict[str, int]) -> None:
    for i, item in enumerate(items):
        if i not in paired:
            for label in item.labels:
                counts[label] += 1
