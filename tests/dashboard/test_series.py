"""From runs to series: what is compared, where it breaks, what is weakest."""

import re
from typing import Any

import pytest

from bot.comment.words import SuiteWords
from bot.dashboard.charts import describe_chart, draw_chart
from bot.dashboard.links import commit_link, run_link
from bot.dashboard.series import all_runs, chart_data, find_breaks, series_of, weakest_label
from bot.suites import EXTRACTION_QUALITY, SUITES
from tests.support.runs import run_entry

WORDS: SuiteWords = EXTRACTION_QUALITY.words


def test_the_published_run_stands_for_the_archived_one_of_its_key() -> None:
    old = run_entry(2, model="old")
    new = run_entry(2, model="new")
    runs = all_runs([new], [old, run_entry(1)])
    assert [(run.run_number, run.model) for run in runs] == [(1, "gpt-4o-mini"), (2, "new")]


def test_only_runs_of_one_provider_and_kind_of_mode_are_compared() -> None:
    runs = [
        run_entry(1),
        run_entry(2, provider="vllm"),
        run_entry(3, mode="live"),
        run_entry(4, mode="smoke"),
    ]
    series = series_of(runs)
    assert series is not None
    assert [run.run_number for run in series.runs] == [1, 4]
    assert series_of([]) is None


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("gold_set", "v2", "gold set v1 → v2"),
        ("prompt_sha256", "c" * 64, "prompt not recorded → cccccccc"),
        ("schema_sha256", "d" * 64, "schema not recorded → dddddddd"),
        ("cassette_kind", "live_openai_recorded", "cassette kind not recorded → live_openai"),
        ("model", "gpt-9", "model gpt-4o-mini → gpt-9"),
    ],
)
def test_a_change_of_what_is_measured_is_a_break(field: str, value: str, says: str) -> None:
    change: dict[str, Any] = {field: value}
    (found,) = find_breaks([run_entry(1), run_entry(2), run_entry(3, **change)])
    assert found.index == 2
    assert found.reasons[0].startswith(says)


def test_baseline_and_limit_are_those_of_each_runs_own_gate() -> None:
    check = {
        "name": "openai.recall_macro regression (pp)",
        "value": 1.0,
        "limit": 3.0,
        "ok": True,
        "current": 0.8,
        "baseline": 0.81,
    }
    run = run_entry(1, gate_summary={"status": "pass", "checks": [check]})
    series = series_of([run_entry(0), run])
    assert series is not None
    chart = next(one for one in chart_data(series, WORDS) if one.name == "recall_macro")
    assert chart.baseline == (None, 0.81)
    assert chart.limit[0] is None
    assert chart.limit[1] == pytest.approx(0.78)
    assert [line.metric for line in chart.others][:2] == ["recall_factual", "recall_preference"]


def test_the_weakest_label_is_the_one_with_the_lowest_precision_or_recall() -> None:
    metrics = {"precision_factual": 0.9, "recall_factual": 0.4, "precision_episodic": 0.5}
    assert weakest_label(run_entry(1, metrics=metrics), WORDS) == ("factual", "recall", 0.4)
    assert weakest_label(run_entry(1, metrics={}), WORDS) is None


def test_a_picture_is_drawn_of_any_series_and_described_in_words() -> None:
    for suite in SUITES.values():
        for runs in ([run_entry(1, metrics={})], [run_entry(n) for n in range(1, 300)]):
            series = series_of(runs)
            assert series is not None
            for chart in chart_data(series, suite.words):
                svg = draw_chart(chart, series)
                assert b"<script" not in svg
                links = re.findall(rb"(?:href|src)=[^ >]+|url\([^)]*\)|@import", svg)
                assert [one for one in links if b"://" in one] == []
                assert describe_chart(chart, series)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)//x/y/actions/runs/1", "https://github.com/a", "", "https://a/b/c/runs/1"],
)
def test_an_address_of_another_form_is_no_link(url: str) -> None:
    run = run_entry(1, run_url=url)
    assert (run_link(run), commit_link(run)) == ("", "")


def test_a_commit_is_beside_its_workflow_run() -> None:
    run = run_entry(1, run_url="https://github.com/octo-org/memory/actions/runs/7/attempts/2")
    assert commit_link(run) == f"https://github.com/octo-org/memory/commit/{run.sha}"
