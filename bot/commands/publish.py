"""`publish`: a report and its gate result into the local history."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.report import Report, load_report
from bot.gate.baseline import load_baseline
from bot.gate.regression import GateResult
from bot.gate.result_file import load_gate_result
from bot.history.append import Appended
from bot.history.badge import Clock
from bot.history.entry import build_run_entry
from bot.history.file import publish_locally
from bot.history.identity import RunIdentity
from bot.history.model import RunEntry
from bot.settings import Settings
from bot.suites import Suite

_OUTCOMES = {
    "added": "run added",
    "replaced": "run of the same commit, provider and mode replaced",
    "kept_newer": "a newer run of the same commit is published: it stays, this one is archived",
}


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """The files of one evaluation and the history that it goes to."""

    latest: Path
    gate: Path
    baseline: Path
    published: Path


def check_gate_belongs(report: Report, gate: GateResult, where: Path) -> None:
    """Raises BadInput when the gate result was made from another report."""
    for check in gate.checks:
        provider, _, _ = check.name.rpartition(f".{check.metric}")
        if provider != report.provider:
            raise BadInput(f"checks provider {provider!r}, not {report.provider!r}", where=where)
        if check.current is not None and check.current != report.metrics.get(check.metric):
            raise BadInput(
                f"{check.metric} is {check.current}, in the report it is "
                f"{report.metrics.get(check.metric)}",
                where=where,
                next_step="run the gate on this report",
            )


def tell_history(published: Path, appended: Appended, console: Console) -> None:
    count = len(appended.history.runs)
    console.say(f"history: {published}: {_OUTCOMES[appended.outcome]} ({count} runs)")


def build_entry(request: PublishRequest, identity: RunIdentity, settings: Settings) -> RunEntry:
    """The run as it is published; raises BadInput when the files do not belong together."""
    report = load_report(request.latest)
    gate = load_gate_result(request.gate)
    check_gate_belongs(report, gate, request.gate)
    baseline = load_baseline(request.baseline)
    return build_run_entry(report, gate, baseline, identity, settings.stale_after_days)


def run_publish(
    request: PublishRequest,
    identity: RunIdentity,
    suite: Suite,
    settings: Settings,
    now: datetime,
    console: Console,
) -> int:
    """A failed run is published as much as a passed one: exit code 0 for both."""
    entry = build_entry(request, identity, settings)
    files = suite.history_files(request.published)
    clock = Clock(now, settings.stale_after_days)
    appended = publish_locally(files, entry, settings.max_runs, clock)
    tell_history(request.published, appended, console)
    console.set_outputs({"status": entry.status, "published": str(request.published)})
    return 0
