"""`evaluate`: a gold set and a provider in, `latest.json` out."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from bot.console import Console
from bot.evaluation.manifest import ALLOW_DRIFT_VARIABLE
from bot.evaluation.pipeline import EvaluationPlan, evaluate, parse_mode
from bot.evaluation.report import Report, report_json
from bot.evaluation.scoring import ScoringRules
from bot.files import to_json, write_atomic
from bot.providers.registry import create_provider
from bot.settings import Settings, contract_of


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """What is evaluated: a gold set's directory, a mode and a provider's name."""

    gold_set: Path
    mode: str
    provider: str


def evaluate_gold_set(
    request: EvaluateRequest, settings: Settings, now: datetime, console: Console
) -> Report:
    """The report; warnings go to the console. Raises BadInput."""
    plan = EvaluationPlan(
        gold_set=request.gold_set,
        mode=parse_mode(request.mode),
        create_provider=partial(create_provider, request.provider),
        contract=contract_of(settings),
        rules=ScoringRules(settings.similarity_threshold, settings.allow_contradictions),
        allow_drift=console.env.get(ALLOW_DRIFT_VARIABLE) == "1",
    )
    report, warnings = evaluate(plan, now.replace(microsecond=0))
    for warning in warnings:
        console.warn(warning)
    return report


def run_evaluate(
    request: EvaluateRequest, out: Path, settings: Settings, now: datetime, console: Console
) -> int:
    """Write the report to `out`; 0, or an error's code."""
    report = evaluate_gold_set(request, settings, now, console)
    write_atomic(out, to_json(report_json(report)))
    console.say(
        f"{report.provider} {report.model} on gold set {report.gold_set}: "
        f"{report.conversation_count} conversations, {len(report.cases)} cases wrong. "
        f"{report.notes} Report: {out}"
    )
    console.set_outputs({"report": str(out)})
    return 0
