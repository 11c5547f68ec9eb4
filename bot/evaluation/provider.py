"""What the evaluation asks of a provider; `bot.providers` holds those that there are."""

from typing import Protocol

from bot.evaluation.cassettes import Answers
from bot.evaluation.gold_set import GoldConversation


class Provider(Protocol):
    """A source of predictions. `predict` must not look at `conversation.gold`."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def cassette_kind(self) -> str | None:
        """The kind of the cassettes that it replays; None when it computes its answers."""

    def predict(self, conversation: GoldConversation) -> Answers:
        """The memories by turn index; raises BadInput for an answer that cannot be used."""
