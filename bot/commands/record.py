"""Record mode: a model's answers become cassettes, all of them or none.

The model's text is kept byte for byte. Nothing of a request or a header is.
"""

import re
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bot.console import Console
from bot.errors import BadInput, Unreachable
from bot.evaluation.cassettes import CassetteRow, cassettes_data, load_cassettes
from bot.evaluation.gold_set import CASSETTES, MANIFEST, GoldConversation, GoldSet
from bot.evaluation.manifest import (
    LIVE_RECORDED,
    Manifest,
    load_manifest,
    refreshed,
)
from bot.evaluation.outcome import AnsweringFacts, Outcome, OutcomeTally
from bot.evaluation.pipeline import GoldSource, Selection, load_task_gold_set
from bot.evaluation.report import utc_text
from bot.evaluation.stale_cassettes import find_stale, listed
from bot.evaluation.task import Task
from bot.extraction.fingerprint import Contract
from bot.extraction.request import RequestPlan
from bot.files import to_json, write_all_atomic
from bot.providers.live import LiveProvider
from bot.providers.registry import ProviderChoice, create_live

LOOKS_LIKE_A_KEY: Final = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic, Stripe and others
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[0-9A-Za-z_-]{30,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
NOTES: Final = "Recorded from the model by `extraction-bot evaluate --mode record`."


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """`only` names conversations, `stale` takes those whose question has changed; else all."""

    gold_set: Path
    choice: ProviderChoice
    only: tuple[str, ...] = ()
    stale: bool = False


@dataclass(slots=True)
class _Recorder:
    """Keeps what a live run answers, beside telling its progress."""

    choice: ProviderChoice
    outcomes: list[Outcome] = field(default_factory=list)

    def __call__(self, outcome: Outcome, tally: OutcomeTally) -> None:
        self.outcomes.append(outcome)
        if self.choice.live.on_outcome is not None:
            self.choice.live.on_outcome(outcome, tally)


@dataclass(frozen=True, slots=True)
class _Before:
    """What was recorded before: nothing, for a gold set without cassettes or manifest."""

    manifest: Manifest | None
    cassettes: dict[str, CassetteRow]

    @property
    def is_recording(self) -> bool:
        return self.manifest is not None and self.manifest.cassette_kind == LIVE_RECORDED


def _before(directory: Path) -> _Before:
    if not (directory / MANIFEST).exists():
        return _Before(None, {})
    manifest = load_manifest(directory)
    rows, _ = load_cassettes(directory) if (directory / CASSETTES).exists() else ({}, b"")
    return _Before(manifest, rows)


def _to_record(
    request: RecordRequest, gold_set: GoldSet, before: _Before, plan: RequestPlan
) -> tuple[GoldConversation, ...]:
    """The conversations to ask for; raises BadInput when the others would not fit them."""
    chosen = Selection(only=request.only).of(gold_set)
    if not request.stale and not request.only:
        return chosen
    if before.manifest is None or not before.is_recording:
        raise BadInput(
            "the other cassettes are not recorded from a model, so a part cannot be recorded",
            where=gold_set.directory / CASSETTES,
            next_step="record all of them once, without --only and --stale",
        )
    stale = find_stale(gold_set, before.cassettes, before.manifest, plan)
    if request.stale:
        return tuple(
            c for c in gold_set.conversations if c.conversation_id in {*stale, *request.only}
        )
    if others := {name: why for name, why in stale.items() if name not in request.only}:
        raise BadInput(
            f"{len(others)} other cassettes are stale: {listed(others)}",
            where=gold_set.directory / CASSETTES,
            next_step="record them too, with --stale",
        )
    return chosen


def _check_no_key(outcome: Outcome, api_key: str | None) -> None:
    raw = outcome.raw or ""
    if LOOKS_LIKE_A_KEY.search(raw) or (api_key and api_key in raw):
        raise BadInput(
            f"the answer for conversation {outcome.conversation_id!r} holds what looks like a key; "
            "nothing was recorded",
            next_step="take it out of the conversation, and revoke it if it is real",
        )


def _row(outcome: Outcome, model: str) -> CassetteRow:
    return CassetteRow(
        conversation_id=outcome.conversation_id,
        model=model,
        raw_json=outcome.raw or "",
        request_sha256=outcome.request_sha256,
        recorded_at=outcome.answered_at,
        usage=outcome.usage.model_dump() if outcome.usage else None,
        finish_reason=outcome.finish_reason,
        attempts=outcome.attempts,
    )


def _manifest(source: GoldSource, plan: RequestPlan, cassettes: bytes, now: datetime) -> str:
    first = Manifest(
        gold_set=source.name,
        model=plan.model,
        recorded_at=now,
        conversation_count=0,
        cassette_count=0,
        cassette_kind=LIVE_RECORDED,
        notes=NOTES,
    )
    facts = source.task.facts(source.gold_set.conversations)
    fresh = refreshed(first, source.gold_set, cassettes, plan.contract.fingerprint, now, facts)
    values: dict[str, Any] = fresh.model_dump(mode="json", exclude_none=True)
    return to_json(values | {"recorded_at": utc_text(now), "parameters": asdict(plan.parameters)})


def record(
    request: RecordRequest, task: Task, contract: Contract, now: datetime, console: Console
) -> AnsweringFacts:
    """Ask, then write cassettes and manifest; returns how the answering went.

    Raises BadInput or Unreachable, with nothing written, unless every conversation was answered.
    """
    gold_set = load_task_gold_set(request.gold_set, task)
    source = GoldSource(task, gold_set, contract)
    recorder = _Recorder(request.choice)
    live = replace(request.choice.live, on_outcome=recorder)
    provider: LiveProvider = create_live(replace(request.choice, live=live), source)
    plan = provider.plan
    before = _before(gold_set.directory)
    chosen = _to_record(request, gold_set, before, plan)
    facts = provider.answer(chosen, lambda conversation, answers: None)
    if facts.failure_count:
        raise Unreachable(
            f"nothing recorded: {facts.failure_count} of {len(chosen)} conversations failed "
            f"({facts.failures_in_words}), the first {facts.failed[0].conversation_id!r}: "
            f"{facts.failed[0].detail}",
            where=provider.server.host,
            next_step="--resume asks for these again and keeps the others",
        )
    for outcome in recorder.outcomes:
        _check_no_key(outcome, live.api_key)
    rows = {name: row for name, row in before.cassettes.items() if name in gold_set.ids}
    rows |= {outcome.conversation_id: _row(outcome, plan.model) for outcome in recorder.outcomes}
    data = cassettes_data(rows.values())
    write_all_atomic(
        {
            gold_set.directory / CASSETTES: data,
            gold_set.directory / MANIFEST: _manifest(source, plan, data, now).encode("utf-8"),
        }
    )
    console.say(
        f"{gold_set.directory}: {len(chosen)} of {len(rows)} cassettes recorded from {plan.model}"
    )
    return facts
