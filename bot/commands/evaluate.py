"""`evaluate`: a gold set and a provider in, `latest.json` out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from bot.commands.audit_matching import audit_report
from bot.commands.progress import watching
from bot.commands.record import RecordRequest, record
from bot.comment.provider_rows import answering_in_words
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.answers_file import AnswersFile
from bot.evaluation.manifest import ALLOW_DRIFT_VARIABLE
from bot.evaluation.pipeline import EvaluationPlan, Selection, evaluate
from bot.evaluation.repeats import Repeats
from bot.evaluation.report import LIVE_MODES, Mode, Report, parse_mode, report_json
from bot.evaluation.task import ScoringRules
from bot.extraction.request import Parameters
from bot.files import check_writable, to_json, write_atomic
from bot.providers.limits import LiveLimits
from bot.providers.registry import LiveOptions, ProviderChoice, create_provider
from bot.settings import Settings, load_contract
from bot.suites import Suite

JOURNAL_NAME: Final = "live-journal.jsonl"
KEY_VARIABLES: Final = {"openai": "OPENAI_API_KEY", "vllm": "VLLM_API_KEY"}
"""A key goes only to its own provider; `--api-key-env` names another variable."""

NO_KEY = "no {variable}: replays the cassettes instead of calling a model"


@dataclass(frozen=True, slots=True)
class LiveFlags:
    """What the command line says of a live run."""

    label: str | None = None
    model: str | None = None
    base_url: str | None = None
    api_key_variable: str | None = None
    concurrency: int | None = None
    max_cost_usd: float | None = None
    max_failures: int | None = None
    limit: int | None = None
    only: tuple[str, ...] = ()
    stale: bool = False
    resume: bool = False
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """What is evaluated: a gold set's directory, a mode and a provider (None: the mode's own)."""

    gold_set: Path
    mode: str
    provider: str | None = None
    live: LiveFlags = LiveFlags()
    audit_matching: bool = False


def _choice(
    request: EvaluateRequest, settings: Settings, folder: Path, console: Console
) -> ProviderChoice:
    """What the flags, the configuration and the environment choose; raises BadInput."""
    flags, mode = request.live, parse_mode(request.mode)
    choice = ProviderChoice(request.provider, mode, flags.label)
    variable = flags.api_key_variable or KEY_VARIABLES.get(choice.name)
    key = console.env.get(variable, "").strip() if variable else ""
    if mode == "full" and choice.name == "openai" and not key and not flags.base_url:
        console.warn(NO_KEY.format(variable=variable))
        mode = "cassette"
    live = settings.live
    return replace(
        choice,
        mode=mode,
        live=LiveOptions(
            base_url=flags.base_url,
            model=flags.model,
            api_key=key or None,
            journal=folder / JOURNAL_NAME,
            resume=flags.resume,
            limits=LiveLimits(
                flags.concurrency or live.concurrency, flags.max_cost_usd, flags.max_failures
            ),
            parameters=Parameters(seed=live.seed, max_output_tokens=live.max_output_tokens),
            schema_parameter=live.structured_output,
            timeout_seconds=live.timeout_seconds,
            max_attempts=live.max_attempts,
            first_wait_seconds=live.first_wait_seconds,
            prices=settings.prices,
        ),
    )


def _check_flags(flags: LiveFlags, mode: Mode) -> None:
    if flags.stale and mode != "record":
        raise BadInput("goes with --mode record only", where="--stale")
    if flags.resume and mode not in LIVE_MODES:
        raise BadInput("goes with a mode that calls a model", where="--resume")
    if flags.repeats > 1 and (mode not in LIVE_MODES or mode == "record"):
        raise BadInput("goes with modes that call a model, but not with record", where="--repeats")
    if mode == "record" and flags.limit is not None:
        raise BadInput("a recording has no --limit", where="--limit", next_step="use --only ID")


def evaluate_gold_set(
    request: EvaluateRequest,
    suite: Suite,
    settings: Settings,
    answers: AnswersFile,
    now: datetime,
    console: Console,
) -> Report:
    """The report; its answers go to `answers`.

    Warnings go to the console, the journal of a live run beside the report's place. With
    `--repeats` the report is the first repeat's, and says how far the others lie from it.

    Mode `record` writes cassettes and manifest first and scores what was written. Raises BadInput
    and Unreachable.
    """
    flags, folder = request.live, answers.latest.parent
    choice = _choice(request, settings, folder, console)
    _check_flags(flags, choice.mode)
    contract, task = load_contract(settings.of(suite)), suite.load_task()
    facts = None
    with watching(choice, console) as watched:
        if choice.mode == "record":
            recording = RecordRequest(request.gold_set, watched, flags.only, flags.stale)
            facts = record(recording, task, contract, now, console)
        plan = EvaluationPlan(
            task=task,
            gold_set=request.gold_set,
            mode=choice.mode,
            create_provider=partial(
                create_provider, replace(watched, mode="cassette") if facts else watched
            ),
            contract=contract,
            rules=ScoringRules(settings.similarity_threshold, settings.allow_contradictions),
            allow_drift=console.env.get(ALLOW_DRIFT_VARIABLE) == "1",
            selection=Selection() if facts else Selection(flags.limit, flags.only),
            on_prediction=answers.add,
        )
        report, warnings = evaluate(plan, now.replace(microsecond=0))
    for warning in warnings:
        console.warn(warning)
    update: dict[str, Any] = {"answers_sha256": answers.sha256} | (
        {"answering": facts} if facts else {}
    )
    if report.conversation_counts is not None:
        from bot.statistics.intervals import metric_intervals
        from bot.statistics.power import detectable_drops

        intervals = metric_intervals(report.conversation_counts, task.formulas)
        drops = detectable_drops(intervals, task.gated_metrics)
        update["intervals"] = intervals
        update["detectable_drop_pp"] = {name: one.drop_pp for name, one in drops.items()}
    if flags.repeats > 1:
        update["repeats"] = _repeat(report, choice, plan, flags.repeats, console)
    return report.model_copy(update=update)


def _repeat(
    first: Report, choice: ProviderChoice, plan: EvaluationPlan, count: int, console: Console
) -> Repeats | None:
    """Ask everything again `count` - 1 times, each with a journal of its own and what the budget
    has left; None when nothing was scored."""
    from bot.statistics.repeats import repeat_spread

    reports = [first]
    for number in range(2, count + 1):
        live, spent = choice.live, _cost(reports)
        limits = live.limits
        if limits.max_cost_usd is not None:
            limits = replace(limits, max_cost_usd=max(0.0, limits.max_cost_usd - (spent or 0.0)))
        journal = live.journal.with_name(repeat_journal(number))
        again = replace(choice, live=replace(live, journal=journal, limits=limits))
        with watching(again, console) as watched:
            provider = partial(create_provider, watched)
            plan = replace(plan, create_provider=provider, on_prediction=None)
            reports.append(evaluate(plan, first.generated_at)[0])
    counts = [one.conversation_counts for one in reports if one.conversation_counts is not None]
    if len(counts) < count:
        return None
    spread = repeat_spread([one.metrics for one in reports], counts, plan.task.formulas)
    return Repeats(count, _cost(reports), spread)


def _cost(reports: Sequence[Report]) -> float | None:
    """Of all of them, in USD; None when one is unknown."""
    costs = [one.answering.cost_usd if one.answering else None for one in reports]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def repeat_journal(number: int) -> str:
    """The journal of the second and every later repeat."""
    return f"live-journal-{number}.jsonl"


def write_report(request: EvaluateRequest, report: Report, answers: AnswersFile) -> None:
    """Write the report with its answers beside it; the journal of a live run has served then."""
    answers.write()
    write_atomic(answers.latest, to_json(report_json(report)))
    if parse_mode(request.mode) in LIVE_MODES:
        later = map(repeat_journal, range(2, request.live.repeats + 1))
        for name in (JOURNAL_NAME, *later):
            (answers.latest.parent / name).unlink(missing_ok=True)


def tell_answering(report: Report, console: Console) -> None:
    """Failures, tokens, cost and latency, where there are any."""
    if report.part is not None:
        evaluated, total = report.part
        console.warn(
            f"a partial report: {evaluated} of {total} conversations; the gate does not pass it"
        )
    facts = report.answering
    if facts is None:
        return
    console.say(f"  failures, scored as empty predictions: {facts.failures_in_words}")
    for failed in facts.failed[:5]:
        console.say(f"    {failed.conversation_id}: {failed.kind}: {failed.detail}")
    if facts.calls:
        console.say(f"  {answering_in_words(facts)}")


def tell_repeats(report: Report, suite: Suite, console: Console) -> None:
    """The model's own spread apart from that of the conversations, for the headlines."""
    if report.repeats is None:
        return
    for metric, title in suite.words.headlines:
        if one := report.repeats.metrics.get(metric):
            other = one.between_conversations_pp
            shown = "not known" if other is None else f"{other:.2f} points"
            console.say(
                f"  {title} over {report.repeats.count} repeats: mean {one.mean:.2%}, between "
                f"repeats {one.between_repeats_pp:.2f} points, between conversations {shown}"
            )


def tell_detectable(report: Report, suite: Suite, console: Console) -> None:
    """The smallest drops that the gold set can show, for the headlines."""
    drops = report.detectable_drop_pp or {}
    shown = [
        f"{title} {drop:.1f}"
        for metric, title in suite.words.headlines
        if (drop := drops.get(metric)) is not None
    ]
    if shown:
        console.say(f"  smallest drop it shows with 80 % power, in points: {', '.join(shown)}")


def tell_calibration(report: Report, console: Console) -> None:
    """How far confidences are from the share that is right; more is in the report."""
    for name in ("overall", "labels"):
        if one := (report.calibration or {}).get(name):
            console.say(
                f"  confidence, {name}: Brier score {one.brier:.3f}, expected calibration error "
                f"{one.ece:.3f}, of {one.count}"
            )


def run_evaluate(
    request: EvaluateRequest,
    out: Path,
    suite: Suite,
    settings: Settings,
    now: datetime,
    console: Console,
) -> int:
    """Write the report to `out`; 0, or an error's code."""
    check_writable([out])  # before a model is asked and paid
    with AnswersFile(suite.load_task(), out) as answers:
        report = evaluate_gold_set(request, suite, settings, answers, now, console)
        write_report(request, report, answers)
    if request.audit_matching:
        audit_report(request.gold_set, out, report, suite, settings, console)
    console.say(
        f"{report.provider} {report.model} on gold set {report.gold_set}: "
        f"{report.conversation_count} conversations, {len(report.cases)} cases wrong. "
        f"{report.notes} Report: {out}"
    )
    tell_answering(report, console)
    tell_detectable(report, suite, console)
    tell_repeats(report, suite, console)
    tell_calibration(report, console)
    console.set_outputs({"report": str(out)})
    return 0
