"""One evaluation, from a gold set's directory to a report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bot.errors import BadInput
from bot.evaluation.by_conversation import ConversationTally
from bot.evaluation.calibration import Confidences
from bot.evaluation.cassettes import load_cassettes, parse_cassettes
from bot.evaluation.gold_set import CASSETTES, MANIFEST, GoldConversation, GoldSet, load_gold_set
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.manifest import (
    Manifest,
    check_contract,
    check_files,
    check_ids,
    load_manifest,
)
from bot.evaluation.provider import Provider
from bot.evaluation.report import Mode, Report
from bot.evaluation.stale_cassettes import check_questions
from bot.evaluation.task import Prediction, ScoringRules, Task
from bot.extraction.fingerprint import Contract


@dataclass(frozen=True, slots=True)
class Selection:
    """Which conversations are evaluated; a report of some of them is marked as partial."""

    limit: int | None = None
    only: tuple[str, ...] = ()

    def of(self, gold_set: GoldSet) -> tuple[GoldConversation, ...]:
        """In file order; raises BadInput for an id that is not in the gold set."""
        if unknown := sorted(set(self.only) - gold_set.ids):
            raise BadInput(
                f"conversation {unknown[0]!r} is not in the gold set",
                where=gold_set.directory,
                next_step="see --only",
            )
        chosen = gold_set.conversations
        if self.only:
            chosen = tuple(c for c in chosen if c.conversation_id in self.only)
        return chosen[: self.limit]


@dataclass(frozen=True, slots=True)
class Recording:
    """The cassettes, after every check that they and the gold set belong together."""

    manifest: Manifest
    predictions: Mapping[str, Prediction]


@dataclass(slots=True)
class GoldSource:
    """A gold set, and its recording for the provider that asks for it."""

    task: Task
    gold_set: GoldSet
    contract: Contract
    allow_drift: bool = False
    warnings: list[str] = field(default_factory=list)

    def recording(self) -> Recording:
        """Raises BadInput when the cassettes cannot be trusted; warnings are kept."""
        gold_set, directory = self.gold_set, self.gold_set.directory
        manifest = load_manifest(directory)
        cassettes, data = load_cassettes(directory)
        check_questions(gold_set, cassettes, manifest, self.contract, allow_drift=self.allow_drift)
        check_ids(gold_set, cassettes, manifest)
        check_files(gold_set, data, manifest, self.task.facts(gold_set.conversations))
        predictions = parse_cassettes(
            cassettes, directory / CASSETTES, lambda raw: judge_answer(raw, self.task)
        )
        self.warnings += check_contract(
            gold_set, manifest, self.contract.fingerprint, allow_drift=self.allow_drift
        )
        return Recording(manifest, predictions)

    @property
    def name(self) -> str:
        """As the manifest calls it; a gold set that was never recorded is called as its folder."""
        directory = self.gold_set.directory
        if (directory / MANIFEST).exists():
            return load_manifest(directory).gold_set
        return directory.resolve().name


def load_task_gold_set(directory: Path, task: Task) -> GoldSet:
    """Raises BadInput when a file is missing or breaks a rule."""
    return load_gold_set(directory, task.expected_file, task.load_expected)


CreateProvider = Callable[[GoldSource], Provider]


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is evaluated and how; `allow_drift` lets cassettes of another contract pass."""

    task: Task
    gold_set: Path
    mode: Mode
    create_provider: CreateProvider
    contract: Contract
    rules: ScoringRules
    allow_drift: bool = False
    selection: Selection = Selection()
    on_prediction: Callable[[str, Prediction], None] | None = None


def evaluate(plan: EvaluationPlan, now: datetime) -> tuple[Report, tuple[str, ...]]:
    """The report, and warnings.

    Raises BadInput when the gold set cannot be trusted, Unreachable when a provider has no answers.
    """
    task = plan.task
    gold_set = load_task_gold_set(plan.gold_set, task)
    chosen = plan.selection.of(gold_set)
    source = GoldSource(task, gold_set, plan.contract, plan.allow_drift)
    provider = plan.create_provider(source)
    tally = ConversationTally(task, plan.rules)

    def receive(conversation: GoldConversation, prediction: Prediction) -> None:
        tally.add(conversation, prediction)
        if plan.on_prediction is not None:
            plan.on_prediction(conversation.conversation_id, prediction)

    facts = provider.answer(chosen, receive)
    scored, counts = tally.result()
    fingerprint = plan.contract.fingerprint
    report = Report(
        benchmark=task.name,
        gold_set=source.name,
        mode=plan.mode,
        provider=provider.name,
        model=provider.model,
        enforcement=provider.enforcement,
        conversation_count=scored.conversation_count,
        generated_at=now,
        prompt_sha256=fingerprint.prompt_sha256,
        schema_sha256=fingerprint.schema_sha256,
        cassette_kind=provider.cassette_kind,
        metrics=task.compute_metrics(scored.counts),
        gated_metrics=task.gated_metrics,
        counts=scored.counts,
        cases=scored.cases,
        notes=provider.notes,
        conversation_ids=tuple(sorted(c.conversation_id for c in chosen)),
        gold_conversation_count=len(gold_set.conversations),
        answering=facts,
        gold_sha256=gold_set.sha256,
        conversation_counts=counts,
        calibration=Confidences(dict(scored.confidences)).results() or None,
    )
    return report, tuple(source.warnings)
