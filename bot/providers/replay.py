"""Replays recorded answers: no network, no key, no cost, the same result every time."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Prediction
from bot.providers.one_by_one import OneByOne

ORACLE_NOTES = "Oracle-aligned cassettes: these scores measure the harness, not the model."
RECORDED_NOTES = "Replayed from cassettes recorded from the model."


@dataclass(frozen=True)
class ReplayProvider(OneByOne):
    """`predictions` holds the parsed cassettes by conversation id."""

    name: str
    model: str
    cassette_kind: str | None
    predictions: Mapping[str, Prediction]
    enforcement: Enforcement = "ci"

    @property
    def notes(self) -> str:
        return ORACLE_NOTES if self.cassette_kind == ORACLE_ALIGNED else RECORDED_NOTES

    def predict(self, conversation: GoldConversation) -> Prediction:
        return self.predictions[conversation.conversation_id]
