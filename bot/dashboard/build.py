"""Everything a site consists of: path → bytes. Pure but for the files of the package."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bot.dashboard.charts import draw_chart
from bot.dashboard.data_files import details, overview
from bot.dashboard.page import SuitePage, render_page
from bot.dashboard.series import chart_data, series_of
from bot.evaluation.report import Report

STATIC: Final = Path(__file__).parent / "static"


def site_files(
    suites: Sequence[SuitePage],
    reports: Mapping[tuple[str, str], Report],
    uplot: Mapping[str, bytes],
    script_note: str,
    now: datetime,
) -> Iterator[tuple[str, bytes]]:
    """The page last, so that it never stands without its data."""
    for path in sorted(STATIC.iterdir()):
        yield path.name, path.read_bytes()
    yield from uplot.items()
    for suite in suites:
        yield f"data/{suite.name}.json", _json(overview(suite.name, suite.words, suite.runs))
        for number, piece in enumerate(details(suite.runs, reports)):
            yield f"data/{suite.name}-runs-{number}.json", _json(piece)
        series = series_of(suite.runs)
        if series is None:
            continue
        for chart in chart_data(series, suite.words):
            yield f"charts/{suite.name}-{chart.name}.svg", draw_chart(chart, series)
    yield "index.html", render_page(suites, now, script_note).encode()


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
