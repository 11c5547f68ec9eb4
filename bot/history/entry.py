"""From a report and its gate to a history entry, pure."""

from collections.abc import Mapping

from pydantic import ValidationError

from bot.evaluation.outcome import AnsweringFacts
from bot.evaluation.report import Report, utc_text
from bot.evaluation.scores import metric_fault
from bot.gate.baseline import Baseline, ProviderBlock
from bot.gate.regression import GateResult
from bot.gate.staleness import RunContext, Staleness, judge_baseline
from bot.history.identity import RunIdentity
from bot.history.model import (
    SHORT_SHA_CHARS,
    GateSummary,
    ProviderEntry,
    RunEntry,
    StalenessEntry,
)
from bot.verdict import Status


def defined_scores(metrics: Mapping[str, object]) -> dict[str, float]:
    """The metrics that are scores; an undefined one is left out, never written as 0."""
    return {
        name: float(value)
        for name, value in metrics.items()
        if metric_fault(value) is None and isinstance(value, int | float)
    }


def block_of(report: Report) -> ProviderBlock:
    """The report as a baseline's block."""
    return ProviderBlock(
        model=report.model,
        enforcement=report.enforcement,
        source=report.mode,
        last_refreshed=report.generated_at.date(),
        metrics=report.metrics,
        gold_set=report.gold_set,
        prompt_sha256=report.prompt_sha256,
        schema_sha256=report.schema_sha256,
        cassette_kind=report.cassette_kind,
        answering=report.answering.model_dump(mode="json") if report.answering else None,
    )


def provider_entry(
    name: str, block: ProviderBlock, staleness: Staleness, status: Status | None = None
) -> ProviderEntry:
    """A block as it is published and shown; only a CI-enforced one has a status."""
    return ProviderEntry(
        provider=name,
        model=block.model,
        enforcement=block.enforcement,
        source=block.source,
        last_refreshed=block.last_refreshed,
        status=status if block.enforcement == "ci" else None,
        staleness=StalenessEntry(
            state=staleness.state, reasons=staleness.reasons, age_days=staleness.age_days
        ),
        metrics=dict(defined_scores(block.metrics)),
        cassette_kind=block.cassette_kind,
        answering=_facts(block.answering),
    )


def _facts(raw: Mapping[str, object] | None) -> AnsweringFacts | None:
    """What another program wrote there is no reason to publish nothing."""
    try:
        return None if raw is None else AnsweringFacts.model_validate(raw).summary
    except ValidationError:
        return None


def run_context(report: Report, stale_after_days: int) -> RunContext:
    """What the baseline's blocks are compared with: the report's time, gold set and contract."""
    return RunContext(
        now=report.generated_at,
        gold_set=report.gold_set,
        prompt_sha256=report.prompt_sha256,
        schema_sha256=report.schema_sha256,
        stale_after_days=stale_after_days,
    )


def build_run_entry(
    report: Report,
    gate: GateResult,
    baseline: Baseline,
    identity: RunIdentity,
    stale_after_days: int,
) -> RunEntry:
    """The run as it is published, with every provider's block beside it.

    Raises BadInput when a block's date lies in the future.
    """
    staleness = judge_baseline(baseline, run_context(report, stale_after_days))
    others = tuple(
        provider_entry(name, block, staleness[name])
        for name, block in baseline.providers.items()
        if name != report.provider
    )
    own = provider_entry(report.provider, block_of(report), Staleness("fresh", (), 0), gate.status)
    return RunEntry(
        sha=identity.sha,
        short_sha=identity.sha[:SHORT_SHA_CHARS],
        timestamp=utc_text(report.generated_at),
        branch=identity.branch,
        run_number=identity.run_number,
        run_url=identity.run_url,
        gold_set=report.gold_set,
        conversation_count=report.conversation_count,
        provider=report.provider,
        enforcement=report.enforcement,
        mode=report.mode,
        model=report.model,
        metrics=defined_scores(report.metrics),
        status=gate.status,
        gate_summary=GateSummary(
            status=gate.status, checks=gate.checks, rule=gate.rule, changes=gate.changes
        ),
        cassette_kind=report.cassette_kind,
        prompt_sha256=report.prompt_sha256,
        schema_sha256=report.schema_sha256,
        counts=report.counts,
        providers=(own, *others),
    )
