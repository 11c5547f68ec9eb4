"""The badge: the same words for shields.io and in a picture of its own."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.files import parse_json
from bot.history.append import append_run
from bot.history.badge import (
    COLOURS,
    LABEL_COLOUR,
    Badge,
    Clock,
    badge,
    badge_json,
    badge_svg,
)
from bot.history.file import publish_locally
from bot.history.model import History, RunEntry, StoredRun
from bot.suites import EXTRACTION_QUALITY
from tests.support.runs import CLOCK, EPOCH, run_entry
from tests.test_escape import NASTY

EMPTY = History("extraction_quality")
SVG = "{http://www.w3.org/2000/svg}"


def of(*entries: RunEntry, clock: Clock = CLOCK, title: str = "X") -> Badge:
    history = EMPTY
    for entry in entries:
        history = append_run(history, StoredRun.of(entry), 50).history
    return badge(history, title, clock)


def test_the_badge_speaks_of_the_newest_run_in_words() -> None:
    newest = run_entry(2, status="fail", metrics={"recall_macro": 0.8764})
    assert badge_json(of(run_entry(1), newest, title="Extraction quality")) == {
        "schemaVersion": 1,
        "label": "extraction quality",
        "message": "fail, recall 87.6%",
        "color": "red",
    }


def test_oracle_scores_say_so_and_an_undefined_score_is_left_out() -> None:
    entry = run_entry(1, metrics={}, cassette_kind="oracle_aligned_expected_json")
    assert of(entry).message == "pass, oracle cassettes"


def test_without_a_run_the_badge_says_so() -> None:
    assert of() == Badge("x", "no run yet", "none")


@pytest.mark.parametrize(("days", "is_stale"), [(30, False), (31, True)])
def test_a_newest_run_over_the_limit_is_stale_in_words_whatever_its_verdict(
    days: int, is_stale: bool
) -> None:
    clock = Clock(EPOCH + timedelta(days=days), stale_after_days=30)
    shown = of(run_entry(1, status="fail"), clock=clock)
    assert shown.message == f"fail, recall 100.0%{', stale' if is_stale else ''}"
    assert badge_json(shown)["color"] == ("lightgrey" if is_stale else "red")
    assert shown.state == ("stale" if is_stale else "fail")


def test_days_are_counted_in_utc() -> None:
    late = run_entry(1, timestamp="2026-09-02T01:00:00+03:00")  # still 1 September in UTC
    assert of(late, clock=Clock(datetime(2026, 10, 2, tzinfo=UTC))).state == "stale"


def picture(shown: Badge) -> ET.Element:
    return ET.fromstring(badge_svg(shown))


@pytest.mark.parametrize(
    "shown",
    [
        of(),
        of(run_entry(1)),
        of(run_entry(1, status="fail"), clock=Clock(EPOCH + timedelta(days=99))),
        *(Badge(nasty, nasty, "pass") for nasty in NASTY),
    ],
)
def test_the_picture_says_what_the_json_says_and_is_well_formed(shown: Badge) -> None:
    from bot.escape import visible

    root, said = picture(shown), badge_json(shown)
    label, message = visible(said["label"]), visible(said["message"])
    title = root.find(f"{SVG}title")
    assert title is not None
    assert (title.text, root.get("role"), root.get("aria-labelledby"), title.get("id")) == (
        f"{label}: {message}",
        "img",
        "t",
        "t",
    )
    assert [text.text or "" for text in root.iter(f"{SVG}text")] == [label, message]
    assert {element.tag for element in root.iter()} == {
        SVG + name for name in ("svg", "title", "rect", "path", "g", "text")
    }


def test_the_picture_loads_nothing_and_every_font_keeps_to_its_width() -> None:
    text = badge_svg(Badge("extraction quality", "pass", "pass"))
    assert text.count("://") == 1  # the namespace
    for word in ("href", "url(", "<style", "<script", "@import"):
        assert word not in text
    root = ET.fromstring(text)
    # 18 and 4 characters of 7 pixels, 8 pixels on each side of both
    assert root.get("width") == str(18 * 7 + 4 * 7 + 4 * 8)
    assert [t.get("textLength") for t in root.iter(f"{SVG}text")] == ["126", "28"]


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [LABEL_COLOUR, *COLOURS.values()])
def test_white_text_is_readable_on_every_colour(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_publishing_writes_both_badges_of_the_newest_run(tmp_path: Path) -> None:
    files = EXTRACTION_QUALITY.history_files(tmp_path / "web_data" / "data.json")
    publish_locally(files, run_entry(2, status="fail"), 50, CLOCK)
    publish_locally(files, run_entry(1), 50, CLOCK)
    said: Any = parse_json(files.badge.read_text(), files.badge)
    assert said["message"] == "fail, recall 100.0%"
    assert files.badge_svg.name == "extraction-quality-badge.svg"
    title = ET.parse(files.badge_svg).getroot().find(f"{SVG}title")
    assert title is not None
    assert title.text == "extraction quality: fail, recall 100.0%"
