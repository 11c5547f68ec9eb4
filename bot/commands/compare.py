"""`compare`: reports side by side, each with its label, failures, cost and latency."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from bot.commands.plain_table import Table, plain_table
from bot.comment.provider_rows import UNDEFINED, ProviderRow, provider_row
from bot.console import Console
from bot.errors import BadInput
from bot.escape import escape_code, escape_text
from bot.evaluation.report import Report, load_report
from bot.files import to_json
from bot.gate.staleness import RunContext, judge_staleness
from bot.history.entry import block_of, provider_entry
from bot.history.model import ProviderEntry
from bot.settings import Settings, load_contract
from bot.suites import find_suite

FORMATS: Final = ("table", "markdown", "json")

OTHER_SUITES: Final = "not comparable: the reports are of suites {names}"
OTHER_GOLD_SETS: Final = "not comparable: the reports are of gold sets {names}"
OTHER_CONTRACTS: Final = "the reports were measured under different {what}: read them with care"
OTHER_CONVERSATIONS: Final = "not comparable: the reports cover different conversations"


def run_compare(
    paths: Sequence[Path], shape: str, settings: Settings, now: datetime, console: Console
) -> int:
    """Print the table; 0. Raises BadInput for a file that is no report."""
    if shape not in FORMATS:
        raise BadInput(
            f"is {shape!r}", where="--format", next_step=f"use one of: {', '.join(FORMATS)}"
        )
    reports = [load_report(path) for path in paths]
    entries = [_entry(report, settings, now) for report in reports]
    for warning in comparability(reports):
        console.warn(warning)
    if shape == "json":
        console.print_raw(to_json([entry.model_dump(mode="json") for entry in entries]))
        return 0
    table = comparison([provider_row(entry) for entry in entries])
    console.print_raw(_markdown(table) if shape == "markdown" else plain_table(table))
    return 0


def _entry(report: Report, settings: Settings, now: datetime) -> ProviderEntry:
    contract = load_contract(settings.of(find_suite(report.benchmark))).fingerprint
    context = RunContext(
        now=now,
        gold_set=report.gold_set,
        prompt_sha256=contract.prompt_sha256,
        schema_sha256=contract.schema_sha256,
        stale_after_days=settings.stale_after_days,
    )
    block = block_of(report)
    staleness = judge_staleness(report.provider, block, report.gold_set, context)
    return provider_entry(report.provider, block, staleness)


def comparability(reports: Sequence[Report]) -> list[str]:
    """Sentences on what keeps the reports from being compared."""
    warnings = []
    suites = sorted({report.benchmark for report in reports})
    if len(suites) > 1:
        return [OTHER_SUITES.format(names=", ".join(suites))]
    gold_sets = sorted({report.gold_set for report in reports})
    if len(gold_sets) > 1:
        warnings.append(OTHER_GOLD_SETS.format(names=", ".join(gold_sets)))
    ids = {report.conversation_ids for report in reports if report.conversation_ids}
    if len(ids) > 1 or len({report.conversation_count for report in reports}) > 1:
        warnings.append(OTHER_CONVERSATIONS)
    for what in ("prompt", "schema"):
        hashes = {getattr(report, f"{what}_sha256") for report in reports} - {None}
        if len(hashes) > 1:
            warnings.append(OTHER_CONTRACTS.format(what=f"{what}s"))
    return warnings


def comparison(rows: Sequence[ProviderRow]) -> Table:
    """A column a provider: model, label, every metric, failures, cost, latency."""
    names = list(dict.fromkeys(name for row in rows for name in row.metrics))
    return [
        ["", *(row.provider for row in rows)],
        ["model", *(row.model for row in rows)],
        ["label", *(row.label for row in rows)],
        ["failures", *(row.failures for row in rows)],
        *([name, *(row.metrics.get(name, UNDEFINED) for row in rows)] for name in names),
        ["cost", *(row.cost for row in rows)],
        ["latency", *(row.latency for row in rows)],
    ]


def _markdown(table: Table) -> str:
    head, *rows = table
    lines = [_line(["", *(escape_code(cell) for cell in head[1:])])]
    lines.append(_line(["---", *("---:" for _ in head[1:])]))
    lines += [_line([row[0], *(escape_text(cell, 300) for cell in row[1:])]) for row in rows]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
