"""The site's data files: columns for charts and table, details of runs in pieces of a hundred."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.comment.cases import group_cases
from bot.comment.words import SuiteWords
from bot.dashboard.links import commit_link, run_link
from bot.dashboard.series import changed_between, chart_data, mode_kind, series_of
from bot.evaluation.report import Report, utc_text
from bot.history.model import RunEntry

RUNS_A_FILE: Final = 100
_DECIMALS: Final = 5


def overview(name: str, words: SuiteWords, runs: Sequence[RunEntry]) -> dict[str, Any]:
    """Everything the charts and the run table need, by column; fractions with five decimals."""
    series = series_of(runs)
    positions = {id(run): i for i, run in enumerate(runs)}
    charts = chart_data(series, words) if series else ()
    return {
        "suite": name,
        "runs": {
            "sha": [run.sha for run in runs],
            "time": [round(datetime.fromisoformat(run.timestamp).timestamp()) for run in runs],
            "branch": [run.branch for run in runs],
            "number": [run.run_number for run in runs],
            "provider": [run.provider for run in runs],
            "model": [run.model for run in runs],
            "mode": [run.mode for run in runs],
            "gold_set": [run.gold_set for run in runs],
            "passed": [int(run.status == "pass") for run in runs],
            "run_url": [run_link(run) for run in runs],
            "commit_url": [commit_link(run) for run in runs],
            "headlines": {
                metric: [_number(run.metrics.get(metric)) for run in runs]
                for metric, _ in words.headlines
            },
        },
        "titles": dict(words.headlines),
        "series": [positions[id(run)] for run in series.runs] if series else [],
        "breaks": [[b.index, list(b.reasons)] for b in series.breaks] if series else [],
        "charts": [
            {
                "name": chart.name,
                "title": chart.title,
                "lines": [
                    {"title": line.title, "values": [_number(v) for v in line.values]}
                    for line in (chart.lead, *chart.others)
                ],
                "baseline": [_number(v) for v in chart.baseline],
                "limit": [_number(v) for v in chart.limit],
            }
            for chart in charts
        ],
        "runs_a_file": RUNS_A_FILE,
    }


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)


def details(
    runs: Sequence[RunEntry], reports: Mapping[tuple[str, str], Report]
) -> Iterator[list[dict[str, Any]]]:
    """Pieces of RUNS_A_FILE runs, in order; `reports` by `report_key`."""
    before: dict[tuple[str, str], RunEntry] = {}
    piece: list[dict[str, Any]] = []
    for run in runs:
        line = (run.provider, mode_kind(run))
        last = before.get(line)
        piece.append(_detail(run, last, reports.get((run.timestamp, run.provider))))
        before[line] = run
        if len(piece) == RUNS_A_FILE:
            yield piece
            piece = []
    if piece:
        yield piece


def report_key(report: Report) -> tuple[str, str]:
    """Which run a report is of: a run has its report's time and provider."""
    return utc_text(report.generated_at), report.provider


def _detail(run: RunEntry, before: RunEntry | None, report: Report | None) -> dict[str, Any]:
    groups = group_cases(report, None)
    return {
        "checks": [
            {
                "name": check.name,
                "ok": check.ok,
                "drop_pp": check.value,
                "limit_pp": check.limit,
                "current": check.current,
                "baseline": check.baseline,
            }
            for check in run.gate_summary.checks
        ],
        "changed": list(changed_between(before, run)) if before else [],
        "before": before.short_sha if before else None,
        "metrics": {name: _number(value) for name, value in run.metrics.items()},
        "prompt_sha256": run.prompt_sha256,
        "schema_sha256": run.schema_sha256,
        "cassette_kind": run.cassette_kind,
        "conversation_count": run.conversation_count,
        "detectable_drop_pp": report.detectable_drop_pp if report else None,
        "cases": [
            {
                "conversation": case.conversation_id,
                "turn": case.turn_index,
                "what": case.what,
                "detail": case.detail,
                "expected": case.expected,
                "predicted": case.predicted,
            }
            for group in groups
            for case in group.changes
        ]
        if report is not None
        else None,
    }
