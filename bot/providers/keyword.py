"""`keyword`: the task's plain rules, a floor that no model should fall below."""

from dataclasses import dataclass

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Prediction, Task
from bot.providers.one_by_one import OneByOne


@dataclass(frozen=True, slots=True)
class KeywordProvider(OneByOne):
    """Offline, deterministic, and not a model."""

    task: Task
    name: str = "keyword"
    model: str = "keyword-rules-1"
    enforcement: Enforcement = "ci"
    cassette_kind: None = None

    @property
    def notes(self) -> str:
        return f"Computed by {self.model}, without a model: a floor, not a model's score."

    def predict(self, conversation: GoldConversation) -> Prediction:
        return self.task.floor(conversation)
