"""Providers that answer one conversation after the other and cannot fail."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.provider import Receive
from bot.evaluation.task import Prediction


class OneByOne(ABC):
    """`answer` by way of `predict`."""

    @abstractmethod
    def predict(self, conversation: GoldConversation) -> Prediction:
        """What the task calls a prediction."""

    def answer(self, conversations: Iterable[GoldConversation], receive: Receive) -> None:
        for conversation in conversations:
            receive(conversation, self.predict(conversation))
