"""One evaluation, from a gold set's directory to a report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.errors import BadInput
from bot.evaluation.cassettes import Answers, load_cassettes, parse_cassettes
from bot.evaluation.gold_set import CASSETTES, load_gold_set
from bot.evaluation.manifest import (
    ORACLE_ALIGNED,
    Manifest,
    check_contract,
    check_files,
    check_ids,
    load_manifest,
)
from bot.evaluation.metrics import compute_metrics
from bot.evaluation.provider import Provider
from bot.evaluation.report import LIVE_MODES, REPLAY_MODES, Mode, Report
from bot.evaluation.scores import GATED_METRICS
from bot.evaluation.scoring import ScoringRules, score
from bot.extraction.fingerprint import ContractFingerprint

ORACLE_NOTES = "Oracle-aligned cassettes: these scores measure the harness, not the model."
REPLAY_NOTES = "Replayed from cassettes recorded from the model."
COMPUTED_NOTES = "Computed by {model}, without a model: a floor, not a model's score."


CreateProvider = Callable[[Manifest, Mapping[str, Answers]], Provider]


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """What is evaluated and how; `allow_drift` lets cassettes of another contract pass."""

    gold_set: Path
    mode: Mode
    create_provider: CreateProvider
    contract: ContractFingerprint
    rules: ScoringRules
    allow_drift: bool = False


def _notes(provider: Provider) -> str:
    if provider.cassette_kind is None:
        return COMPUTED_NOTES.format(model=provider.model)
    return ORACLE_NOTES if provider.cassette_kind == ORACLE_ALIGNED else REPLAY_NOTES


def parse_mode(mode: str) -> Mode:
    """Raises BadInput for an unknown mode, and for one that needs a live model."""
    for known in REPLAY_MODES:
        if mode == known:
            return known
    if mode in LIVE_MODES:
        raise BadInput(
            f"mode {mode!r} calls a live model, which this version cannot",
            where="--mode",
            next_step=f"use one of: {', '.join(REPLAY_MODES)}",
        )
    raise BadInput(
        f"unknown mode {mode!r}", where="--mode", next_step=f"use {', '.join(REPLAY_MODES)}"
    )


def evaluate(plan: EvaluationPlan, now: datetime) -> tuple[Report, tuple[str, ...]]:
    """The report, and warnings; raises BadInput when the gold set cannot be trusted."""
    gold_set = load_gold_set(plan.gold_set)
    manifest = load_manifest(plan.gold_set)
    cassettes, cassettes_data = load_cassettes(plan.gold_set)
    check_ids(gold_set, cassettes, manifest)
    check_files(gold_set, cassettes_data, manifest)
    answers = parse_cassettes(cassettes, plan.gold_set / CASSETTES)
    provider = plan.create_provider(manifest, answers)
    warnings: tuple[str, ...] = ()
    if provider.cassette_kind is not None:
        warnings = check_contract(gold_set, manifest, plan.contract, allow_drift=plan.allow_drift)
    scored = score(gold_set.conversations, provider.predict, plan.rules)
    report = Report(
        benchmark="extraction_quality",
        gold_set=manifest.gold_set,
        mode=plan.mode,
        provider=provider.name,
        model=provider.model,
        enforcement="ci",
        conversation_count=scored.conversation_count,
        generated_at=now,
        prompt_sha256=plan.contract.prompt_sha256,
        schema_sha256=plan.contract.schema_sha256,
        cassette_kind=provider.cassette_kind,
        metrics=compute_metrics(scored.counts),
        gated_metrics=GATED_METRICS,
        counts=scored.counts,
        cases=scored.cases,
        notes=_notes(provider),
        conversation_ids=tuple(sorted(gold_set.ids)),
    )
    return report, warnings
