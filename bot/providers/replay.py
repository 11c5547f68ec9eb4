"""Replays recorded answers: no network, no key, no cost, the same result every time."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.evaluation.cassettes import Answers
from bot.evaluation.gold_set import GoldConversation


@dataclass(frozen=True)
class ReplayProvider:
    """`answers` holds the parsed cassettes by conversation id."""

    name: str
    model: str
    cassette_kind: str | None
    answers: Mapping[str, Answers]

    def predict(self, conversation: GoldConversation) -> Answers:
        return self.answers[conversation.conversation_id]
