"""A metric group → an SVG picture by pygal: the base layer, for any reader without script.

It is shown as an image: its own style sheet follows light and dark, and nothing in it runs.
"""

import sys
from collections.abc import Sequence
from typing import Any, Final

from bot.dashboard.series import Break, ChartData, Line, Series

MAX_POINTS: Final = 200
"""Of the newest runs; more would not be seen at this width."""

WIDTH, HEIGHT = 760, 320
# Okabe and Ito's colours, told apart by colour-blind readers; each line has its own dashes as well
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9")
DASHES: Final = ("", "6,3", "2,3", "8,3,2,3", "1,2", "10,4")
_LEAD, _BASELINE, _LIMIT, _BREAK = "#111827", "#374151", "#b91c1c", "#6b7280"
_DARK: Final = """inline:
@media (prefers-color-scheme: dark) {
  .background, .plot .background, .graph > .background { fill: #161b22 !important; }
  text { fill: #d7dde5 !important; }
  .axis path, .guides { stroke: #3d4654 !important; }
  .color-0, .color-0 a:visited { stroke: #f3f4f6 !important; fill: #f3f4f6 !important; }
  .color-1, .color-1 a:visited { stroke: #c3cad4 !important; fill: #c3cad4 !important; }
  .color-2, .color-2 a:visited { stroke: #f97066 !important; fill: #f97066 !important; }
}
"""


def draw_chart(data: ChartData, series: Series) -> bytes:
    """The SVG document; runs in order along x, percent along y."""
    pygal = _pygal()
    count = len(series.runs)
    first = max(0, count - MAX_POINTS)
    breaks = [one for one in series.breaks if one.index > first]
    low, high = _range(data, first)
    chart: Any = pygal.XY(
        _config(low, high, [data.lead, *data.others]),
        x_value_formatter=lambda x: _date(series, round(x)),
    )
    chart.x_labels = _marks(first, count)
    chart.title = None
    chart.add(data.lead.title, _points(data.lead.values, first), stroke_style={"width": 3})
    dashed = {"dasharray": "5,4", "width": 2}
    chart.add("baseline", _points(data.baseline, first), stroke_style=dashed, show_dots=False)
    dotted = {"dasharray": "2,3", "width": 2}
    chart.add("limit", _points(data.limit, first), stroke_style=dotted, show_dots=False)
    for number, line in enumerate(data.others):
        style = {"dasharray": DASHES[number % len(DASHES)], "width": 1.5}
        chart.add(line.title, _points(line.values, first), stroke_style=style, dots_size=1.5)
    for one in breaks:
        edge = one.index - 0.5
        style = {"dasharray": "1,3", "width": 1.5}
        chart.add(None, [(edge, low), (edge, high)], stroke_style=style, show_dots=False)
    chart.add_xml_filter(_without_scripts)
    rendered: bytes = chart.render()
    return rendered


def _without_scripts(root: Any) -> Any:
    """The settings of pygal's own script, which is not loaded."""
    for parent in list(root.iter()):
        for child in [one for one in parent if str(one.tag).rpartition("}")[2] == "script"]:
            parent.remove(child)
    return root


def _pygal() -> Any:
    """pygal without the import hook it installs: that is for its map plugins, and outdated."""
    import pygal

    sys.meta_path[:] = [one for one in sys.meta_path if type(one).__module__ != "pygal"]
    return pygal


def _config(low: float, high: float, lines: Sequence[Line]) -> Any:
    pygal = _pygal()
    from pygal.style import Style

    family = "system-ui, -apple-system, Segoe UI, sans-serif"
    colours = [_LEAD, _BASELINE, _LIMIT]
    colours += [COLOURS[n % len(COLOURS)] for n in range(len(lines) - 1)]
    return pygal.Config(
        js=[],
        css=["file://style.css", "file://graph.css", _DARK],
        width=WIDTH,
        height=HEIGHT,
        explicit_size=True,
        range=(low, high),
        dots_size=2.5,
        legend_box_size=10,
        show_x_guides=False,
        value_formatter=lambda value: f"{value:g} %",
        no_data_text="no score",
        truncate_legend=24,
        style=Style(
            background="#ffffff",
            plot_background="#ffffff",
            foreground="#374151",
            foreground_strong="#111827",
            foreground_subtle="#d1d5db",
            font_family=family,
            label_font_size=12,
            major_label_font_size=12,
            legend_font_size=13,
            opacity="1",
            opacity_hover="1",
            colors=(*colours, *(_BREAK for _ in range(40))),
        ),
    )


def _points(values: Sequence[float | None], first: int) -> list[tuple[int, float] | None]:
    return [
        None if value is None else (i, round(value * 100, 4))
        for i, value in enumerate(values)
        if i >= first
    ]


def _range(data: ChartData, first: int) -> tuple[float, float]:
    """Percent: all lines, widened to tens so that noise does not look like a fall."""
    lines = [data.lead.values, data.baseline, data.limit, *(line.values for line in data.others)]
    found = [v * 100 for values in lines for v in values[first:] if v is not None] or [0, 100]
    low = max(0, int(min(found) // 10) * 10)
    return float(min(low, 90)), 100.0


def _marks(first: int, count: int) -> list[int]:
    step = max(1, (count - first) // 5)
    return list(range(first, count, step))


def _date(series: Series, index: int) -> str:
    inside = 0 <= index < len(series.runs)
    return series.runs[index].timestamp[:10] if inside else ""


def describe_chart(data: ChartData, series: Series) -> str:
    """What the picture shows, in one sentence, for who does not see it."""
    scores = [value for value in data.lead.values if value is not None]
    if not scores:
        return f"{data.title}: no score yet."
    text = f"{data.title} over {len(series.runs)} runs: {scores[-1]:.1%} now"
    if data.baseline[-1] is not None:
        text += f", baseline {data.baseline[-1]:.1%}, limit {data.limit[-1] or 0:.1%}"
    text += f"; lowest {min(scores):.1%}, highest {max(scores):.1%}"
    return f"{text}; {len(series.breaks)} breaks."


def break_lines(series: Series) -> list[str]:
    """Each break in words; the newest first."""
    return [_break_line(series, one) for one in reversed(series.breaks)]


def _break_line(series: Series, one: Break) -> str:
    run = series.runs[one.index]
    return f"{run.timestamp[:10]}, commit {run.short_sha}: {'; '.join(one.reasons)}"
