"""Asks a server about many conversations at once, within bounds; every failure is data.

Memory holds what is under way, a number for each answer and a line for each failure: it does not
grow with the answers themselves.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from bot.errors import BotError, Unreachable
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import AnsweringFacts, Failure, Outcome, OutcomeTally
from bot.evaluation.provider import Receive
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Task
from bot.extraction.request import RequestPlan
from bot.providers.budget import Budget
from bot.providers.chat_client import ChatClient, Reply, Server, describe
from bot.providers.journal import ASKED_AGAIN, Journal, JournalLine
from bot.providers.limits import LiveLimits, check_failures
from bot.providers.prices import PriceTable

MAX_UNAVAILABLE: Final = 3
"""So many conversations without an answer after all attempts are an outage, no measurement."""


@dataclass(slots=True)
class LiveProvider:
    """A model behind an OpenAI-compatible server.

    With `asks_failures_again` (when recording) a resumed run asks again for what failed; otherwise
    a refusal or a broken answer was paid for, is data and stays.
    """

    name: str
    enforcement: Enforcement
    server: Server
    task: Task
    plan: RequestPlan
    journal: Journal
    limits: LiveLimits = LiveLimits()
    prices: PriceTable = field(default_factory=dict)
    asks_failures_again: bool = False
    on_outcome: Callable[[Outcome, OutcomeTally], None] | None = None
    on_step_down: Callable[[str], None] | None = None
    cassette_kind: None = None

    @property
    def model(self) -> str:
        return self.plan.model

    @property
    def notes(self) -> str:
        return f"Measured live: {self.model} at {self.server.host}."

    def answer(self, conversations: Iterable[GoldConversation], receive: Receive) -> AnsweringFacts:
        """Raises Unreachable on an outage, on the limits of cost and failures; what was answered
        until then, also before a KeyboardInterrupt, stays in the journal."""
        with self.journal:
            return asyncio.run(_Run(self, receive).answer(conversations))


def _latest(lines: Iterable[JournalLine]) -> dict[tuple[str, str], JournalLine]:
    """By conversation and question; a later answer replaces an earlier one."""
    return {(line.conversation_id, line.request_sha256): line for line in lines}


class _Run:
    """One run of a `LiveProvider`."""

    def __init__(self, provider: LiveProvider, receive: Receive) -> None:
        self._provider, self._receive = provider, receive
        self._tally = OutcomeTally()
        self._stop: BotError | None = None
        self._before = _latest(provider.journal.lines())

    async def answer(self, conversations: Iterable[GoldConversation]) -> AnsweringFacts:
        provider = self._provider
        price = provider.prices.get(provider.model)
        budget = Budget(provider.limits.max_cost_usd, price, provider.model)
        waiting = iter(conversations)
        if isinstance(conversations, Sized):
            self._tally.to_ask = len(conversations)
        concurrency = provider.limits.concurrency
        async with (
            ChatClient(provider.server, provider.plan, budget, provider.on_step_down) as client,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(concurrency):
                group.create_task(self._work(waiting, client))
        if self._stop is not None:
            raise self._stop
        parameters = asdict(provider.plan.parameters) | {"request": describe(client.dialect)}
        return self._tally.facts(parameters)

    async def _work(self, waiting: Iterator[GoldConversation], client: ChatClient) -> None:
        """Take one conversation after the other, until there is none or the run has to stop.

        A call under way when another one stops the run is still waited for: it is paid for.
        """
        for conversation in waiting:
            if self._stop is not None:
                return
            try:
                self._take(conversation, await self._outcome(conversation, client))
            except BotError as error:
                self._stop = self._stop or error

    async def _outcome(self, conversation: GoldConversation, client: ChatClient) -> Outcome:
        question = self._provider.plan.request_sha256(conversation.turns)
        line = self._before.get((conversation.conversation_id, question))
        if line is not None and not self._is_asked_again(line):
            return _resumed(line, conversation, self._provider.task)
        reply = await client.ask(conversation.turns)
        outcome = _judged(reply, conversation, question, self._provider.task)
        self._provider.journal.write(outcome)
        return outcome

    def _is_asked_again(self, line: JournalLine) -> bool:
        return line.failure is not None and (
            self._provider.asks_failures_again or line.failure in ASKED_AGAIN
        )

    def _take(self, conversation: GoldConversation, outcome: Outcome) -> None:
        self._tally.add(outcome)
        self._receive(conversation, outcome.prediction)
        if self._provider.on_outcome is not None:
            self._provider.on_outcome(outcome, self._tally)
        self._stop_when_hopeless()

    def _stop_when_hopeless(self) -> None:
        tally, host = self._tally, self._provider.server.host
        if tally.failures["unavailable"] >= MAX_UNAVAILABLE:
            raise Unreachable(
                f"{MAX_UNAVAILABLE} conversations were not answered at all, the last: "
                f"{tally.failed[-1].detail}",
                where=host,
                next_step="go on with --resume when the server is well",
            )
        check_failures(
            tally,
            self._provider.limits.max_failures,
            host,
            "the answers are in the journal; --resume with a higher --max-failures goes on",
        )


def _judged(reply: Reply, conversation: GoldConversation, question: str, task: Task) -> Outcome:
    completion = reply.completion
    outcome = Outcome(
        conversation_id=conversation.conversation_id,
        failure=reply.failure,
        raw=completion.text if completion else None,
        usage=completion.usage if completion else None,
        cost_usd=reply.cost_usd,
        latency_ms=reply.latency_ms,
        attempts=reply.calls,
        finish_reason=completion.finish_reason if completion else None,
        served_model=completion.model if completion else None,
        request_sha256=question,
        answered_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return _read(outcome, conversation, task)


def _read(outcome: Outcome, conversation: GoldConversation, task: Task) -> Outcome:
    """`outcome` with the prediction in its raw answer; a failure predicts nothing."""
    if outcome.failure is None:
        judged = judge_answer(outcome.raw or "", task, conversation.turn_indexes)
        if not isinstance(judged, Failure):
            return replace(outcome, prediction=judged)
        outcome = replace(outcome, failure=judged)
    return replace(outcome, prediction=task.nothing)


def _resumed(line: JournalLine, conversation: GoldConversation, task: Task) -> Outcome:
    """The journal's answer, judged anew: the file may have been edited."""
    failure = Failure(line.failure, line.detail) if line.failure else None
    outcome = Outcome(
        conversation_id=line.conversation_id,
        failure=failure,
        raw=line.raw,
        usage=line.usage,
        cost_usd=line.cost_usd,
        latency_ms=line.latency_ms,
        attempts=line.attempts,
        finish_reason=line.finish_reason,
        served_model=line.served_model,
        request_sha256=line.request_sha256,
        answered_at=line.answered_at,
        is_resumed=True,
    )
    return _read(outcome, conversation, task)
