"""The one page, as plain HTML: all that a reader without script needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from bot.comment.provider_rows import UNDEFINED, percent, provider_row
from bot.comment.render import built_in_templates
from bot.comment.words import SuiteWords
from bot.dashboard.charts import MAX_POINTS, break_lines, describe_chart
from bot.dashboard.links import commit_link, run_link
from bot.dashboard.series import (
    Series,
    changed_between,
    chart_data,
    label_table,
    mode_kind,
    series_of,
    weakest_label,
)
from bot.history.model import RunEntry

MAX_ROWS: Final = 50
"""Runs in the page itself; the script's table searches all."""

MAX_CHANGES: Final = 5
MAX_LINE_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class SuitePage:
    """One suite's runs, oldest first."""

    name: str
    words: SuiteWords
    runs: Sequence[RunEntry]


def render_page(suites: Sequence[SuitePage], generated_at: datetime, script_note: str) -> str:
    """`script_note` says why the interactive layer is missing, if it is."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(built_in_templates() / "dashboard"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        suites=[_suite(suite) for suite in suites],
        generated_at=f"{generated_at:%Y-%m-%dT%H:%M:%SZ}",
        generated_words=f"{generated_at:%Y-%m-%d %H:%M} UTC",
        script_note=script_note,
    )


def _suite(suite: SuitePage) -> dict[str, Any]:
    series = series_of(suite.runs)
    base = {"name": suite.name, "title": suite.words.title, "run_count": len(suite.runs)}
    if series is None:
        return {**base, "newest": None}
    newest = series.runs[-1]
    before = series.runs[-2] if len(series.runs) > 1 else None
    weakest = weakest_label(newest, suite.words)
    rows = [_row(run, suite.words) for run in reversed(suite.runs[-MAX_ROWS:])]
    return {
        **base,
        "newest": _row(newest, suite.words),
        "facts": {"gold_set": newest.gold_set, "conversations": newest.conversation_count},
        "series": f"{series.provider}, {series.kind}",
        "tiles": _tiles(newest, before, suite.words),
        "before": before.short_sha if before else None,
        "changed": changed_between(before, newest) if before else (),
        "moved": _moved(before, newest) if before else (),
        "failed": [_check(check) for check in newest.gate_summary.checks if not check.ok],
        "check_count": len(newest.gate_summary.checks),
        "weakest": f"{weakest[0]} ({weakest[1]} {percent(weakest[2])})" if weakest else None,
        "label_word": suite.words.label,
        "labels": [
            (label, [(percent(value), _heat(value)) for value in values])
            for label, values in label_table(newest, suite.words)
        ],
        "charts": _charts(suite, series),
        "breaks": break_lines(series),
        "shown": min(len(series.runs), MAX_POINTS),
        "series_count": len(series.runs),
        "headlines": [title for _, title in suite.words.headlines],
        "providers": [
            {
                "provider": row.provider,
                "model": row.model,
                "label": row.label,
                "is_stale": "STALE" in row.label or "never" in row.label,
                "scores": [row.metrics.get(m, UNDEFINED) for m, _ in suite.words.headlines],
                "failures": row.failures,
                "cost": row.cost,
                "latency": row.latency,
            }
            for row in map(provider_row, newest.providers)
        ],
        "rows": rows,
    }


def _charts(suite: SuitePage, series: Series) -> list[dict[str, str]]:
    return [
        {
            "name": chart.name,
            "title": chart.title,
            "file": f"charts/{suite.name}-{chart.name}.svg",
            "words": describe_chart(chart, series),
        }
        for chart in chart_data(series, suite.words)
    ]


def _row(run: RunEntry, words: SuiteWords) -> dict[str, Any]:
    when = datetime.fromisoformat(run.timestamp)
    return {
        "anchor": f"{run.short_sha}-{run.run_number}",
        "short_sha": run.short_sha,
        "commit_url": commit_link(run),
        "run_url": run_link(run),
        "number": run.run_number,
        "branch": run.branch,
        "time": run.timestamp,
        "time_words": f"{when:%Y-%m-%d %H:%M}",
        "provider": run.provider,
        "mode": run.mode,
        "kind": mode_kind(run),
        "passed": run.status == "pass",
        "scores": [percent(run.metrics.get(metric)) for metric, _ in words.headlines],
    }


def _tiles(newest: RunEntry, before: RunEntry | None, words: SuiteWords) -> list[dict[str, str]]:
    return [
        {
            "title": title,
            "value": percent(newest.metrics.get(metric)),
            "change": _points(before, newest, metric) if before else "first run",
        }
        for metric, title in words.headlines
    ]


def _points(before: RunEntry, now: RunEntry, metric: str) -> str:
    old, new = before.metrics.get(metric), now.metrics.get(metric)
    if old is None or new is None:
        return "not comparable"
    return f"{(new - old) * 100:+.2f} points" if new != old else "unchanged"


def _moved(before: RunEntry, now: RunEntry) -> list[str]:
    both = [name for name in now.metrics if name in before.metrics]
    moved = [name for name in both if abs(now.metrics[name] - before.metrics[name]) >= 0.0005]
    moved.sort(key=lambda name: -abs(now.metrics[name] - before.metrics[name]))
    return [f"{name} {_points(before, now, name)}" for name in moved[:MAX_CHANGES]]


def _check(check: Any) -> str:
    name = str(check.name)[:MAX_LINE_CHARS]
    if check.value is None:
        return f"{name}: cannot be compared"
    return (
        f"{name}: {percent(check.baseline)} → {percent(check.current)}, {check.value:.2f} points "
        f"down, limit {check.limit:g}"
    )


def _heat(value: float | None) -> int | None:
    """Five steps, from under 60 % to 90 % and more."""
    return None if value is None else min(4, max(0, int((value - 0.5) * 10)))
