"""`python:package.module:function`: a repository's own extractor, called in this process.

The function takes the turns of a conversation (a sequence of `Turn`) and returns the task's answer
(`BatchExtractionResult` for memories), its JSON as text, or the same as plain dicts; it may be a
coroutine function. What it raises is counted as a failure of that conversation.
"""

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from bot.errors import BadInput
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import AnsweringFacts, Failure, Outcome, OutcomeTally
from bot.evaluation.provider import Receive
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Task
from bot.imports import import_object
from bot.providers.limits import check_failures


@dataclass(frozen=True, slots=True)
class FunctionProvider:
    """`max_failures` are borne, one more stops with Unreachable; None is no bound."""

    task: Task
    name: str
    model: str
    function: Callable[[Any], Any]
    max_failures: int | None = None
    enforcement: Enforcement = "ci"
    cassette_kind: None = None

    @property
    def notes(self) -> str:
        return f"Computed by the repository's own extractor, {self.model}."

    def answer(self, conversations: Iterable[GoldConversation], receive: Receive) -> AnsweringFacts:
        tally = OutcomeTally()
        for conversation in conversations:
            outcome = self._outcome(conversation)
            tally.add(outcome)
            receive(conversation, outcome.prediction)
            check_failures(tally, self.max_failures, self.name)
        return tally.facts()

    def _outcome(self, conversation: GoldConversation) -> Outcome:
        name = conversation.conversation_id
        try:
            raw = _as_text(self.function(conversation.turns))
        except Exception as error:
            failure = Failure("exception", f"{type(error).__name__}: {error}")
            return Outcome(name, self.task.nothing, failure=failure)
        judged = judge_answer(raw, self.task, conversation.turn_indexes)
        if isinstance(judged, Failure):
            return Outcome(name, self.task.nothing, failure=judged)
        return Outcome(name, judged)


def _as_text(answer: Any) -> str:
    if inspect.isawaitable(answer):
        answer = asyncio.run(_result_of(answer))
    if isinstance(answer, BaseModel):
        return answer.model_dump_json()
    return answer if isinstance(answer, str) else json.dumps(answer, default=str)


async def _result_of(answer: Any) -> Any:
    return await answer


def load_function(import_string: str) -> Callable[[Any], Any]:
    """Raises BadInput when it cannot be imported or called."""
    function = import_object(import_string)
    if not callable(function):
        raise BadInput("is no function", where=f"python:{import_string}")
    called: Callable[[Any], Any] = function
    return called
