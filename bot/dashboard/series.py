"""Runs → what a chart shows: points, the baseline and the limit, and breaks. Pure.

A score across a break is not comparable: the gold set, the prompt, the schema, the kind of
cassettes or the model is another one.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.comment.words import SuiteWords
from bot.evaluation.report import REPLAY_MODES
from bot.history.model import RunEntry

_WATCHED: Final = (
    ("gold set", "gold_set"),
    ("prompt", "prompt_sha256"),
    ("schema", "schema_sha256"),
    ("cassette kind", "cassette_kind"),
    ("model", "model"),
)
_HASH_CHARS: Final = 8
MACRO: Final = {"precision_macro": "precision", "recall_macro": "recall"}
"""A headline that is an average over labels → the first part of its labels' metrics."""


@dataclass(frozen=True, slots=True)
class Break:
    """Between run `index - 1` and run `index` of a series, something else was measured."""

    index: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One metric over a series; values are fractions, None where it is undefined."""

    metric: str
    title: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ChartData:
    """A metric group: the leading metric with its baseline and its limit, then its labels."""

    name: str
    title: str
    lead: Line
    others: tuple[Line, ...]
    baseline: tuple[float | None, ...]
    limit: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """Comparable runs, oldest first: one provider, one kind of mode."""

    provider: str
    kind: str
    runs: tuple[RunEntry, ...]
    breaks: tuple[Break, ...]


def mode_kind(run: RunEntry) -> str:
    return "replay" if run.mode in REPLAY_MODES else "live"


def all_runs(published: Sequence[RunEntry], archived: Iterable[RunEntry]) -> tuple[RunEntry, ...]:
    """Every run once, oldest first; the published file's stands for an archived one of its key."""
    found = {run.key: run for run in archived}
    found.update({run.key: run for run in published})
    return tuple(sorted(found.values(), key=lambda run: run.order))


def series_of(runs: Sequence[RunEntry]) -> Series | None:
    """The runs that can be compared with the newest one; None when there is no run."""
    if not runs:
        return None
    newest = runs[-1]
    kind = mode_kind(newest)
    own = tuple(r for r in runs if r.provider == newest.provider and mode_kind(r) == kind)
    return Series(newest.provider, kind, own, find_breaks(own))


def find_breaks(runs: Sequence[RunEntry]) -> tuple[Break, ...]:
    pairs = itertools.pairwise(runs)
    found = ((i, changed_between(a, b)) for i, (a, b) in enumerate(pairs, start=1))
    return tuple(Break(i, reasons) for i, reasons in found if reasons)


def changed_between(before: RunEntry, after: RunEntry) -> tuple[str, ...]:
    """What else than the score changed, as "prompt 1f2e3d4c → 5b6a7988"."""
    return tuple(
        f"{title} {_short(getattr(before, field))} → {_short(getattr(after, field))}"
        for title, field in _WATCHED
        if getattr(before, field) != getattr(after, field)
    )


def _short(value: str | None) -> str:
    if value is None:
        return "not recorded"
    return value[:_HASH_CHARS] if len(value) == 64 else value


def chart_data(series: Series, words: SuiteWords) -> tuple[ChartData, ...]:
    """A chart a headline; an average over labels brings its labels along."""
    bars = [_bars(run) for run in series.runs]
    return tuple(_chart(series, metric, title, words, bars) for metric, title in words.headlines)


def _chart(
    series: Series,
    metric: str,
    title: str,
    words: SuiteWords,
    bars: Sequence[Mapping[str, tuple[float, float]]],
) -> ChartData:
    part = MACRO.get(metric)
    labels = words.labels if part else ()
    own = [bar.get(metric) for bar in bars]
    return ChartData(
        name=metric,
        title=title,
        lead=_line(series, metric, title),
        others=tuple(_line(series, f"{part}_{label}", label) for label in labels),
        baseline=tuple(bar[0] if bar else None for bar in own),
        limit=tuple(bar[0] - bar[1] / 100 if bar else None for bar in own),
    )


def _line(series: Series, metric: str, title: str) -> Line:
    return Line(metric, title, tuple(run.metrics.get(metric) for run in series.runs))


def _bars(run: RunEntry) -> dict[str, tuple[float, float]]:
    """Metric → (baseline as a fraction, limit in points) of the run's own gate."""
    found = {}
    for check in run.gate_summary.checks:
        name = check.name.removeprefix(f"{run.provider}.").removesuffix(" regression (pp)")
        if check.baseline is not None:
            found[name] = (check.baseline, check.limit)
    return found


def label_table(
    run: RunEntry, words: SuiteWords
) -> tuple[tuple[str, tuple[float | None, ...]], ...]:
    """Label → precision, recall and F1 as fractions; None where undefined."""
    return tuple(
        (label, tuple(run.metrics.get(f"{part}_{label}") for part in ("precision", "recall", "f1")))
        for label in words.labels
    )


def weakest_label(run: RunEntry, words: SuiteWords) -> tuple[str, str, float] | None:
    """The (label, "precision" or "recall", fraction) with the lowest score; None without one."""
    found = [
        (value, label, part)
        for label in words.labels
        for part in ("precision", "recall")
        if (value := run.metrics.get(f"{part}_{label}")) is not None
    ]
    if not found:
        return None
    value, label, part = min(found)
    return label, part, value
