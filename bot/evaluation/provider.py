"""What the evaluation asks of a provider; `bot.providers` holds those that there are."""

from collections.abc import Callable, Iterable
from typing import Protocol

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.outcome import AnsweringFacts
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Prediction

Receive = Callable[[GoldConversation, Prediction], None]
"""Takes the prediction of one conversation; the order of conversations is open."""


class Provider(Protocol):
    """A source of predictions, which must not look at a conversation's gold."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def enforcement(self) -> Enforcement:
        """ "manual" where the numbers are not CI's, as those of a vLLM server."""

    @property
    def cassette_kind(self) -> str | None:
        """The kind of the cassettes that it replays; None when it makes its answers."""

    @property
    def notes(self) -> str:
        """One sentence for the report: what these scores measure."""

    def answer(
        self, conversations: Iterable[GoldConversation], receive: Receive
    ) -> AnsweringFacts | None:
        """Answer each conversation once; a failure is received as an empty prediction.

        Returns what is known of the answering, None when nothing can fail. Raises BadInput for an
        answer that cannot be used, Unreachable when no further answer is to be had.
        """
