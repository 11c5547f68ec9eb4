"""The dashboard in a real browser, as a team lead, a screen reader and a phone meet it."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from bot.dashboard import uplot
from tests.browser.conftest import BuildSite
from tests.support.browser import served
from tests.support.histories import HOSTILE_BRANCH, varied_runs

ROWS = "[data-runs] tbody tr"


def fail_on_error(said: ConsoleMessage) -> None:
    if said.type == "error":
        pytest.fail(said.text)


def open_page(browser: Browser, address: str, **options: Any) -> Page:
    """The page with its charts drawn; anything wrong in its console fails the test."""
    page = browser.new_page(**options)
    page.on("pageerror", lambda error: pytest.fail(f"script: {error}"))
    page.on("console", fail_on_error)
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.goto(address)
    return page


def test_the_newest_verdict_the_scores_and_the_charts_are_there(
    browser: Browser, site: str
) -> None:
    page = open_page(browser, site)
    page.wait_for_selector(".uplot")
    assert "PASS" in page.inner_text(".verdict")
    assert page.locator(".tiles li").count() == 4
    assert page.locator(".uplot").count() == 4
    assert page.locator("figure img:visible").count() == 0


def test_no_other_host_is_asked_and_nothing_is_stored(browser: Browser, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(site)
    page.wait_for_selector(".uplot")
    page.click(f"{ROWS} th a")
    page.wait_for_selector("#run-page h2")
    assert asked
    assert [url for url in asked if not url.startswith(site)] == []
    assert context.cookies() == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_the_policy_of_the_page_allows_no_inline_code(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    policy = page.get_attribute("meta[http-equiv]", "content") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    html = page.content()
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son[a-z]+=\"|<style", html)


def test_text_of_the_data_is_text(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    page.wait_for_selector(".tools")
    assert page.inner_text(f"{ROWS}:nth-child(2) .branch") == HOSTILE_BRANCH
    page.click(f"{ROWS}:nth-child(2) th a")
    page.wait_for_selector("#run-page h2")
    assert HOSTILE_BRANCH in page.inner_text("#run-page .verdict")
    assert page.locator("img[src=x]").count() == 0


def test_runs_are_searched_and_sorted(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    page.fill("input[type=search]", "fail")
    assert page.locator(ROWS).count() == 2  # runs 34 and 17 of fifty
    assert "2 of 2 runs found" in page.inner_text("caption:has-text('found')")
    page.fill("input[type=search]", "")
    page.click("thead button:has-text('Run')")
    assert page.inner_text(f"{ROWS}:first-child th") == "50"
    page.click("thead button:has-text('Run')")
    assert page.inner_text(f"{ROWS}:first-child th") == "1"
    assert page.get_attribute("thead th:has-text('Run')", "aria-sort") == "ascending"


def test_a_runs_page_can_be_shared(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    page.fill("input[type=search]", "fail")
    page.click(f"{ROWS}:first-child th a")
    page.wait_for_selector("#run-page h2")
    shared = page.url
    other = open_page(browser, shared)
    other.wait_for_selector("#run-page h2")
    assert other.inner_text("#run-page h2") == "Run 34"
    assert "✗ FAIL" in other.inner_text("#run-page .verdict")
    failing = other.locator("#run-page tr:has-text('✗ fails')")
    assert failing.count() == 1
    assert "recall_macro" in failing.inner_text()
    assert "-9.00" in failing.inner_text()
    other.click("text=Back to the overview")
    other.wait_for_selector(".uplot")
    assert not other.is_visible("#run-page")


def test_a_link_to_a_run_that_is_not_there_says_so(browser: Browser, site: str) -> None:
    page = open_page(browser, f"{site}#run=extraction_quality/abcdef-7-openai-3")
    page.wait_for_selector("#run-page a")
    assert "there is no such run" in page.inner_text("#run-page")


def test_without_script_the_pictures_and_tables_are_there(browser: Browser, site: str) -> None:
    page = browser.new_page(java_script_enabled=False)
    page.goto(site)
    page.locator("figure img").last.scroll_into_view_if_needed()
    assert page.locator("figure img:visible").count() == 4
    assert page.locator(ROWS).count() == 50
    assert "UTC" in page.inner_text(f"{ROWS}:first-child time")
    assert "limit" in (page.get_attribute("figure img", "alt") or "")


def test_times_are_the_readers_with_utc_on_hover(browser: Browser, site: str) -> None:
    page = open_page(browser, site, timezone_id="Asia/Tokyo", locale="en-GB")
    page.wait_for_selector(".tools")
    newest = page.locator(f"{ROWS}:first-child time")
    # run 50 of one every twelve hours from 2026-09-01: 2026-09-26 00:00 UTC, nine in Tokyo
    assert newest.inner_text() == "26 Sept 2026, 09:00"
    assert newest.get_attribute("title") == "2026-09-26 00:00 UTC"


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 380), ("dark", 380)]
)
def test_axe_finds_nothing_serious(
    browser: Browser, site: str, axe: str, scheme: Any, width: int
) -> None:
    page = open_page(
        browser,
        site,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        bypass_csp=True,
    )
    page.wait_for_selector(".uplot")
    page.evaluate(axe)
    for shown in ("overview", "a run's page"):
        if shown != "overview":
            page.click(f"{ROWS} th a")
            page.wait_for_selector("#run-page h2")
        found = page.evaluate("axe.run()")["violations"]
        bad = [one for one in found if one["impact"] in ("serious", "critical")]
        assert bad == [], [(one["id"], one["nodes"][0]["html"]) for one in bad]


def test_on_a_phone_nothing_is_wider_than_the_screen(browser: Browser, site: str) -> None:
    page = open_page(browser, site, viewport={"width": 380, "height": 800})
    page.wait_for_selector(".uplot")
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_a_chart_is_zoomed_and_panned_by_keyboard(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    chart = page.locator(".uplot").first
    chart.focus()
    before = chart.screenshot()
    page.keyboard.press("+")
    zoomed = chart.screenshot()
    page.keyboard.press("ArrowRight")
    panned = chart.screenshot()
    page.keyboard.press("0")
    assert before != zoomed != panned
    assert chart.screenshot() == before


def test_a_break_is_told_where_the_pointer_is(browser: Browser, site: str) -> None:
    page = open_page(browser, site)
    page.wait_for_selector(".uplot")
    over = page.locator(".u-over").first
    box = over.bounding_box()
    assert box is not None
    # run 21 of 50, the first under the other prompt, is the 21st of 49 steps apart
    over.hover(position={"x": box["width"] * 20 / 49, "y": box["height"] / 2})
    assert "break: prompt aaaaaaaa → bbbbbbbb" in page.inner_text(".readout >> nth=0")
    assert "prompt aaaaaaaa → bbbbbbbb" in (page.text_content("details") or "")


def test_an_empty_history_says_what_comes(browser: Browser, build_site: BuildSite) -> None:
    with served(build_site([])) as address:
        page = open_page(browser, f"{address}/memory/")
        assert "No run has been published yet" in page.inner_text("main")


def test_one_run_is_enough(browser: Browser, build_site: BuildSite) -> None:
    with served(build_site(list(varied_runs(1)))) as address:
        page = open_page(browser, f"{address}/memory/")
        page.wait_for_selector(".uplot")
        assert "first run" in page.inner_text(".tiles")
        assert page.locator(ROWS).count() == 1


def test_without_npm_the_pictures_stay_and_the_page_says_why(
    browser: Browser, build_site: BuildSite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing: tuple[dict[str, bytes], str] = ({}, "npm is not installed")
    monkeypatch.setattr("bot.commands.dashboard.find_uplot", lambda: nothing)
    with served(build_site(list(varied_runs(3)))) as address:
        page = open_page(browser, f"{address}/memory/")
        page.wait_for_selector(".tools")
        assert page.locator("figure img:visible").count() == 4
        assert "pictures without zoom: npm is not installed" in page.inner_text("footer")


def test_the_page_without_data_is_under_100_kilobytes_compressed(build_site: BuildSite) -> None:
    folder = build_site([]) / "memory"
    files = [path for path in folder.iterdir() if path.suffix in (".html", ".js", ".css", ".svg")]
    assert {path.name for path in files} >= {
        "index.html",
        "dashboard.js",
        *uplot.FILES.values(),
    } - {"uPlot-LICENSE.txt"}
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 100_000
