"""`history`: one metric over the published runs, as a text chart."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from bot.commands.show import NO_RUN, change_in_words
from bot.comment.provider_rows import percent, run_label
from bot.comment.trend import value_range
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.history.comparable import earlier_runs, entries_of, input_changes
from bot.history.file import load_history
from bot.history.model import RunEntry
from bot.suites import Suite

BAR_CHARS: Final = 40


def run_history(path: Path, metric: str, limit: int, suite: Suite, console: Console) -> int:
    """Print the newest `limit` runs of the newest one's provider and kind of mode, oldest first; 0.

    Raises BadInput for a metric that no run and no gate knows, and for a history that cannot be
    read.
    """
    published = entries_of(load_history(path, suite.name))
    if not published:
        console.say(NO_RUN.format(path=path))
        return 0
    newest = published[0]
    runs = [newest, *earlier_runs(newest, published)][:limit][::-1]
    _check_metric(metric, runs, suite)
    for line in chart(metric, runs):
        console.say(line)
    return 0


def _check_metric(metric: str, runs: Sequence[RunEntry], suite: Suite) -> None:
    measured = sorted({name for run in runs for name in run.metrics})
    known = list(dict.fromkeys([*suite.gated_metrics, *measured]))
    if metric not in known:
        raise BadInput(
            f"unknown metric {metric!r}", where="--metric", next_step=f"use {', '.join(known)}"
        )


def chart(metric: str, runs: Sequence[RunEntry]) -> list[str]:
    """A bar a run, oldest first; a line between two runs says what else changed: there the numbers
    are of other things, and the bars are not to be compared across it."""
    values = [run.metrics.get(metric) for run in runs]
    defined = [value * 100 for value in values if value is not None]
    low, high = value_range(defined) if defined else (0, 100)
    newest = runs[-1]
    lines = [
        f"{metric}, {newest.provider} ({newest.model}) [{run_label(newest)}]",
        f"{len(runs)} run{'s' if len(runs) > 1 else ''}, oldest first; bars from {low}% to {high}%",
    ]
    breaks = [""] + [
        ", ".join(change_in_words(change) for change in input_changes(older, newer))
        for older, newer in pairwise(runs)
    ]
    for run, value, changed in zip(runs, values, breaks, strict=True):
        if changed:
            lines.append(f"──── {changed}")
        lines.append(_row(run, value, low, high))
    return lines


def _row(run: RunEntry, value: float | None, low: int, high: int) -> str:
    filled = 0 if value is None else round((value * 100 - low) / (high - low) * BAR_CHARS)
    oracle = ", oracle" if run.cassette_kind == ORACLE_ALIGNED else ""
    return (
        f"{run.evaluated_at:%Y-%m-%d}  run {run.run_number:<5} {run.short_sha}  "
        f"{percent(value):>7}  {'█' * filled:{BAR_CHARS}}  {run.status}{oracle}"
    )
