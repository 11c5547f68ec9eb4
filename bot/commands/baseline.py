"""`baseline show` and `baseline set`: what each provider scored, and since when that is the bar."""

from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, cast

import bot
from bot.comment.provider_rows import provider_row
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.evaluation.report import Report, load_report
from bot.evaluation.scores import Enforcement
from bot.files import locked, read_json, to_json, write_all_atomic
from bot.gate.baseline import Baseline, parse_baseline
from bot.gate.baseline_cases import BaselineCases, cases_path, cases_text
from bot.gate.staleness import RunContext, judge_staleness
from bot.history.entry import block_of, provider_entry
from bot.settings import Settings, load_contract
from bot.suites import Suite

NOW_ENFORCED: Final = (
    "provider {name!r} is CI-enforced now: from now on a pull request fails when a metric of it "
    "drops more than {limit:g} points below these numbers"
)
NO_LONGER_ENFORCED: Final = (
    "provider {name!r} is manual now: its numbers are shown with a label and fail no pull request"
)
ORACLE_SET: Final = (
    "these numbers come from oracle-aligned cassettes, which hold the expected answers: they "
    "measure the harness, and a CI-enforced block of them says nothing about {model}"
)
NO_CASES: Final = (
    "the report has no per-conversation counts, so changes cannot be tested pair by pair: evaluate "
    "again for baseline_cases/"
)


@dataclass(frozen=True, slots=True)
class SetRequest:
    """`enforcement` None keeps what the block has; `measured_on` None takes the report's day."""

    baseline: Path
    provider: str
    latest: Path
    measured_on: str | None = None
    enforcement: str | None = None


def run_baseline_show(
    path: Path, suite: Suite, settings: Settings, now: datetime, console: Console
) -> int:
    """Each provider's block with its label in words; 0. Raises BadInput."""
    baseline = parse_baseline(read_json(path, allow_nan=True), path)
    contract = load_contract(settings.of(suite)).fingerprint
    context = RunContext(
        now=now,
        gold_set=baseline.gold_set,
        prompt_sha256=contract.prompt_sha256,
        schema_sha256=contract.schema_sha256,
        stale_after_days=settings.stale_after_days,
    )
    console.say(
        f"{path}: gold set {baseline.gold_set}, limit {baseline.max_regression_pp:g} points"
    )
    for name, block in baseline.providers.items():
        staleness = judge_staleness(name, block, baseline.gold_set, context)
        row = provider_row(provider_entry(name, block, staleness))
        console.say(f"  {row.provider} ({row.model}) [{row.label}]")
        for metric, _ in suite.words.headlines:
            console.say(f"    {metric:30} {row.metrics.get(metric, '—'):>8}")
        if block.answering:
            console.say(f"    failures {row.failures} · cost {row.cost} · latency {row.latency}")
    return 0


def run_baseline_set(request: SetRequest, suite: Suite, now: datetime, console: Console) -> int:
    """Write the provider's block from a report; everything else in the file stays as it is.

    Raises BadInput, with nothing written, for a report that is no bar to measure by.
    """
    report = load_report(request.latest)
    _check_place(request.baseline)
    with locked(request.baseline):
        raw = read_json(request.baseline, allow_nan=True)
        baseline = parse_baseline(raw, request.baseline)
        old = baseline.providers.get(request.provider)
        before = old.enforcement if old else None
        enforcement = _enforcement(request.enforcement, before)
        _check_report(report, request, enforcement, suite)
        day = _day(request.measured_on, report, now)
        block = _block(report, day, enforcement, suite)
        providers = raw["providers"]
        kept = {k: v for k, v in providers.get(request.provider, {}).items() if k != "answering"}
        providers[request.provider] = kept | block
        parse_baseline(raw, request.baseline)
        cases = cases_path(request.baseline, request.provider)
        files = {request.baseline: to_json(raw)} | _cases(report, cases)
        write_all_atomic(files)
        if cases not in files:  # those of the block before would be compared with this one
            cases.unlink(missing_ok=True)
    console.say(
        f"{request.baseline}: {request.provider} ({report.model}) is measured by {request.latest}, "
        f"{enforcement}, {day}"
    )
    if cases not in files:
        console.warn(NO_CASES)
    _tell_meaning(request.provider, report, before, baseline, block, console)
    return 0


def _cases(report: Report, path: Path) -> dict[Path, str]:
    """The per-conversation counts beside the block; nothing for a report of an older producer."""
    if report.conversation_counts is None or report.gold_sha256 is None:
        return {}
    cases = BaselineCases(report.provider, report.gold_sha256, report.conversation_counts)
    return {path: cases_text(cases)}


def _check_place(path: Path) -> None:
    """The bot's own baseline is changed in its own checkout only, not from a team's repository."""
    package = Path(bot.__file__).resolve().parent
    is_own = path.resolve().is_relative_to(package)
    if is_own and not Path.cwd().resolve().is_relative_to(package.parent):
        raise BadInput(
            "this baseline is the bot's own, and lies outside of your repository",
            where=path,
            next_step="configure gold_set, or give --baseline",
        )


def _enforcement(wanted: str | None, before: Enforcement | None) -> Enforcement:
    """A block keeps its enforcement, and a new one fails no pull request unasked."""
    if wanted is None:
        return before or "manual"
    if wanted not in ("ci", "manual"):
        raise BadInput(f"is {wanted!r}", where="--enforcement", next_step="use ci or manual")
    return cast(Enforcement, wanted)


def _check_report(
    report: Report, request: SetRequest, enforcement: Enforcement, suite: Suite
) -> None:
    where = request.latest
    if report.benchmark != suite.name:
        raise BadInput(
            f"is a report of suite {report.benchmark!r}, not {suite.name!r}",
            where=where,
            next_step="see --suite",
        )
    if report.provider != request.provider:
        raise BadInput(
            f"is a report of provider {report.provider!r}, not {request.provider!r}",
            where=where,
            next_step="name that provider, or evaluate again with --name",
        )
    if report.part is not None:
        raise BadInput(
            f"covers {report.part[0]} of {report.part[1]} conversations",
            where=where,
            next_step="evaluate all of them, without --limit and --only",
        )
    for name in (name for name in suite.gated_metrics if name in report.bad_metrics):
        is_undefined = report.scores.metrics[name] is None
        if enforcement == "ci" or not is_undefined:
            raise BadInput(
                f"{name} is {report.bad_metrics[name]}, which the gate could never pass",
                where=where,
                next_step="evaluate again, on a gold set with memories of every label",
            )
    if missing := [name for name in suite.gated_metrics if name not in report.metrics]:
        raise BadInput(f"has no metric {missing[0]}", where=where, next_step="evaluate again")


def _day(measured_on: str | None, report: Report, now: datetime) -> date:
    try:
        day = date.fromisoformat(measured_on) if measured_on else report.generated_at.date()
    except ValueError as error:
        raise BadInput(
            f"{measured_on!r} is no date", where="--date", next_step="write it as YYYY-MM-DD"
        ) from error
    if day > now.date():
        raise BadInput(f"{day} is in the future", where="--date")
    return day


def _block(report: Report, day: date, enforcement: Enforcement, suite: Suite) -> dict[str, Any]:
    block = replace(block_of(report), enforcement=enforcement, last_refreshed=day)
    values: dict[str, Any] = {
        "model": block.model,
        "enforcement": block.enforcement,
        "source": block.source,
        "last_refreshed": day.isoformat(),
        "notes": report.notes,
        "metrics": {name: report.metrics.get(name) for name in suite.gated_metrics},
        "gold_set": block.gold_set,
        "prompt_sha256": block.prompt_sha256,
        "schema_sha256": block.schema_sha256,
        "cassette_kind": block.cassette_kind,
    }
    if report.answering:
        values["answering"] = report.answering.summary.model_dump(mode="json")
    return values


def _tell_meaning(
    name: str,
    report: Report,
    before: Enforcement | None,
    baseline: Baseline,
    block: dict[str, Any],
    console: Console,
) -> None:
    if block["enforcement"] == "ci" and report.cassette_kind == ORACLE_ALIGNED:
        console.warn(ORACLE_SET.format(model=report.model))
    if block["enforcement"] == "ci" and before != "ci":
        console.say(NOW_ENFORCED.format(name=name, limit=baseline.max_regression_pp))
    if block["enforcement"] == "manual" and before == "ci":
        console.say(NO_LONGER_ENFORCED.format(name=name))
    if report.answering and report.answering.failure_count:
        console.warn(
            f"{report.answering.failure_count} of {report.answering.asked} conversations had no "
            f"usable answer ({report.answering.failures_in_words}) and count as empty in it"
        )
    if report.gold_set != baseline.gold_set:
        console.warn(
            f"the report is of gold set {report.gold_set}, the baseline file of "
            f"{baseline.gold_set}: the block says so and is compared with its own"
        )
