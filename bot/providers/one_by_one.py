"""Providers that answer one conversation after the other and cannot fail."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from bot.evaluation.cassettes import Answers
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.provider import Receive


class OneByOne(ABC):
    """`answer` by way of `predict`."""

    @abstractmethod
    def predict(self, conversation: GoldConversation) -> Answers:
        """The memories by turn index."""

    def answer(self, conversations: Iterable[GoldConversation], receive: Receive) -> None:
        for conversation in conversations:
            receive(conversation, self.predict(conversation))
