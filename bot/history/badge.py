"""The badge of a suite: for shields.io's endpoint (https://shields.io/badges/endpoint-badge), and
as a picture of its own that needs no service, no network and no font."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any, Final, Literal

from bot.escape import visible
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.files import to_json
from bot.gate.staleness import DEFAULT_STALE_AFTER_DAYS
from bot.history.model import History
from bot.history.paths import HistoryFiles

State = Literal["pass", "fail", "stale", "none"]

_SHIELDS_COLOURS: Final[Mapping[State, str]] = {
    "pass": "brightgreen",
    "fail": "red",
    "stale": "lightgrey",
    "none": "lightgrey",
}
LABEL_COLOUR: Final = "#444c56"
COLOURS: Final[Mapping[State, str]] = {
    "pass": "#1a7f37",
    "fail": "#cf222e",
    "stale": "#6e7781",
    "none": "#6e7781",
}
"""Each carries white text with a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3)."""

_CHAR_WIDTH: Final = 7  # pixels a character; `textLength` makes every font keep to it
_PADDING: Final = 8

_SVG: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" \
aria-labelledby="t">
  <title id="t">{label}: {message}</title>
  <rect width="{width}" height="20" rx="3" fill="{label_colour}"/>
  <path d="M{left} 0h{flat}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="{colour}"/>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">
    <text x="{padding}" y="14" textLength="{label_width}" \
lengthAdjust="spacingAndGlyphs">{label}</text>
    <text x="{message_x}" y="14" textLength="{message_width}" \
lengthAdjust="spacingAndGlyphs">{message}</text>
  </g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Clock:
    """When a badge is written, and from how many days on its run is called stale."""

    now: datetime
    stale_after_days: int = DEFAULT_STALE_AFTER_DAYS


@dataclass(frozen=True, slots=True)
class Badge:
    """Label, score and verdict of the newest run, in words and not by colour alone."""

    label: str
    message: str
    state: State


def badge(history: History, title: str, clock: Clock) -> Badge:
    """Of a run that is older than the limit it says "stale" behind its verdict."""
    entry = history.newest
    if entry is None:
        return Badge(title.lower(), "no run yet", "none")
    recall = entry.metrics.get("recall_macro")
    score = "" if recall is None else f", recall {recall * 100:.1f}%"
    oracle = ", oracle cassettes" if entry.cassette_kind == ORACLE_ALIGNED else ""
    age = (clock.now.astimezone(UTC).date() - entry.evaluated_at.astimezone(UTC).date()).days
    is_stale = age > clock.stale_after_days
    return Badge(
        label=title.lower(),
        message=f"{entry.status}{score}{oracle}{', stale' if is_stale else ''}",
        state="stale" if is_stale else entry.status,
    )


def badge_json(shown: Badge) -> dict[str, Any]:
    """What shields.io's endpoint asks for."""
    return {
        "schemaVersion": 1,
        "label": shown.label,
        "message": shown.message,
        "color": _SHIELDS_COLOURS[shown.state],
    }


def badge_svg(shown: Badge) -> str:
    """The same as a picture."""
    label, message = visible(shown.label), visible(shown.message)
    label_width, message_width = len(label) * _CHAR_WIDTH, len(message) * _CHAR_WIDTH
    left = label_width + 2 * _PADDING
    right = message_width + 2 * _PADDING
    return _SVG.format(
        width=left + right,
        label=escape(label),
        message=escape(message),
        label_colour=LABEL_COLOUR,
        colour=COLOURS[shown.state],
        left=left,
        flat=right - 3,
        padding=_PADDING,
        label_width=label_width,
        message_width=message_width,
        message_x=left + _PADDING,
    )


def badge_files(history: History, files: HistoryFiles, clock: Clock) -> dict[Path, str]:
    """The texts of a suite's badges by their paths."""
    shown = badge(history, files.title, clock)
    return {files.badge: to_json(badge_json(shown)), files.badge_svg: badge_svg(shown)}
