"""Scores conversation by conversation and keeps each one's counts.

Counts add up, so the whole is the sum of what is kept and nothing is scored twice.
"""

from dataclasses import dataclass, field

from bot.evaluation.calibration import Confidences
from bot.evaluation.cases import Case
from bot.evaluation.conversation_counts import ConversationCounts, flat
from bot.evaluation.counts import LabelledCounts
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.task import Prediction, Scored, ScoringRules, Task


@dataclass(slots=True)
class ConversationTally:
    """Takes one conversation after the other, in any order."""

    task: Task
    rules: ScoringRules
    _columns: tuple[str, ...] = ()
    _rows: dict[str, str] = field(default_factory=dict)
    _cases: list[Case] = field(default_factory=list)
    _confidences: Confidences = field(default_factory=Confidences)

    def add(self, conversation: GoldConversation, prediction: Prediction) -> None:
        scorer = self.task.new_scorer(self.rules)
        scorer.add(conversation, prediction)
        scored = scorer.result()
        counts = flat(scored.counts.model_dump())
        self._columns = self._columns or tuple(counts)
        self._rows[conversation.conversation_id] = " ".join(
            str(counts[column]) for column in self._columns
        )
        self._cases += scored.cases
        self._confidences.add_all(scored.confidences)

    def result(self) -> tuple[Scored[LabelledCounts], ConversationCounts | None]:
        """The sums, and what they are made of: None when no conversation was seen."""
        if not self._rows:
            return self.task.new_scorer(self.rules).result(), None
        counts = ConversationCounts(self._columns, dict(sorted(self._rows.items())))
        total = self.task.counts.model_validate(counts.total())
        cases = sorted(self._cases, key=lambda case: (case.conversation_id, case.turn_index))
        confidences = self._confidences.tallies
        return Scored(total, tuple(cases), len(self._rows), confidences), counts
