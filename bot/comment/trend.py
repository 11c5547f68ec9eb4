"""The trend of the headline metrics: a chart that GitHub draws itself, and the same as text; pure.

Only our own words and numbers go into the chart: nothing that a value could turn into another
statement of Mermaid. (Twenty short hashes would overlap under the axis; `history` names them.)
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from bot.comment.provider_rows import percent, points
from bot.comment.words import SuiteWords
from bot.escape import Markdown
from bot.history.comparable import comparable_runs, inputs_changed
from bot.history.model import RunEntry

MIN_RUNS: Final = 3
"""Two points are a change, which the metrics' table shows already."""

GAP: Final = "·"
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_COLOURS: Final = (
    ("🟦", "#0969da"),
    ("🟧", "#d15704"),
    ("🟩", "#1a7f37"),
    ("🟪", "#8250df"),
    ("🟥", "#cf222e"),
)
"""Of the lines, in order: seen on GitHub's light and its dark page."""
_NO_MARK: Final = "▫️"

_CHART: Final = """\
```mermaid
---
config:
  xyChart:
    width: 900
    height: 320
  themeVariables:
    xyChart:
      plotColorPalette: "{palette}"
---
xychart-beta
    x-axis "runs before this one" [{labels}]
    y-axis "percent" {low} --> {high}
{lines}
```"""
_LINE: Final = '    line "{name}" [{values}]'


def value_range(values: Iterable[float]) -> tuple[int, int]:
    """Whole percentages around `values` (percentages), with a margin of a tenth of their spread,
    half a point at least: a change is seen, and noise does not fill the chart."""
    known = list(values)
    low, high = min(known), max(known)
    margin = max((high - low) / 10, 0.5)
    return max(0, math.floor(low - margin)), min(100, math.ceil(high + margin))


def sparkline(fractions: Sequence[float | None]) -> str:
    """A block a value, scaled to the range of them all; a gap for one that is undefined."""
    defined = [value * 100 for value in fractions if value is not None]
    if not defined:
        return GAP * len(fractions)
    low, high = value_range(defined)
    top = len(_BLOCKS) - 1
    return "".join(
        GAP if value is None else _BLOCKS[round((value * 100 - low) / (high - low) * top)]
        for value in fractions
    )


def _line(name: str, fractions: Sequence[float | None], mark: str) -> dict[str, Any]:
    first, last = fractions[0], fractions[-1]
    return {
        "mark": Markdown(mark),
        "name": Markdown(name),
        "sparkline": Markdown(sparkline(fractions)),
        "first": percent(first),
        "last": percent(last),
        "change": "" if first is None or last is None else points((last - first) * 100),
    }


def _chart(runs: Sequence[RunEntry], lines: Sequence[tuple[str, Sequence[float]]]) -> Markdown:
    low, high = value_range(value * 100 for _, values in lines for value in values)
    labels = [f'"-{back}"' for back in range(len(runs) - 1, 0, -1)] + ['"this"']
    text = _CHART.format(
        palette=", ".join(colour for _, colour in _COLOURS[: len(lines)]),
        labels=", ".join(labels),
        low=low,
        high=high,
        lines="\n".join(
            _LINE.format(name=name, values=", ".join(f"{value * 100:.2f}" for value in values))
            for name, values in lines
        ),
    )
    return Markdown(text)


def trend_facts(
    run: RunEntry, published: Iterable[RunEntry], words: SuiteWords
) -> dict[str, Any] | None:
    """What the templates show of `run` and the runs before it; None when there are too few."""
    runs = comparable_runs(run, published)
    if len(runs) < MIN_RUNS:
        return None
    drawn: list[tuple[str, Sequence[float]]] = []
    lines = []
    for metric, name in words.headlines:
        fractions = [entry.metrics.get(metric) for entry in runs]
        defined = [value for value in fractions if value is not None]
        mark = _NO_MARK
        if len(defined) == len(runs) and len(drawn) < len(_COLOURS):  # a line has no gaps
            mark = _COLOURS[len(drawn)][0]
            drawn.append((name, defined))
        lines.append(_line(name, fractions, mark))
    return {
        "count": len(runs),
        "chart": _chart(runs, drawn) if drawn else None,
        "lines": lines,
        "breaks": Markdown(", ".join(inputs_changed(runs))),
    }
