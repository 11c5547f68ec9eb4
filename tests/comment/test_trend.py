"""The trend in the comment: which runs stand in it, what is drawn, what is read without a chart."""

import re
from pathlib import Path
from typing import Any

import pytest

from bot.comment.render import render_section, template_environment
from bot.comment.trend import sparkline, trend_facts, value_range
from bot.comment.view import CommentInput
from bot.history.comparable import comparable_runs
from bot.history.model import RunEntry
from bot.suites import CANDIDATE_STAGING, EXTRACTION_QUALITY
from tests.support.github_markdown import read
from tests.support.npm import install, mermaid_faults
from tests.support.runs import run_entry
from tests.test_escape import NASTY

WORDS = EXTRACTION_QUALITY.words


def sha(number: int) -> str:
    """Differs within the first seven digits."""
    return f"{number:07x}".ljust(40, "0")


def at(number: int, recall: float = 1.0, **changes: Any) -> RunEntry:
    names = [name for name, _ in WORDS.headlines]
    metrics = dict.fromkeys(names, 1.0) | {"recall_macro": recall}
    return run_entry(number, **({"sha": sha(number), "metrics": metrics} | changes))


def section(run: RunEntry, *published: RunEntry, max_chars: int = 65_000) -> str:
    data = CommentInput(words=WORDS, run=run, trend=published)
    return render_section(template_environment(), "extraction_quality", data, max_chars).text


def chart(text: str) -> str:
    found = re.search(r"^```mermaid\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found, text
    return found[1]


@pytest.fixture(scope="session")
def node(request: pytest.FixtureRequest) -> Path:
    """A folder with Mermaid in it, kept between runs."""
    return install(request.config.cache.mkdir("mermaid"))


RUN, TWO_BEFORE = at(9, 0.876), (at(8, 0.98), at(7, 0.9912))


def test_mermaid_takes_our_chart_and_refuses_a_broken_one(node: Path) -> None:
    ours = chart(section(RUN, *TWO_BEFORE))
    many = chart(section(at(99), *(at(number, 0.0) for number in range(98, 1, -1))))
    broken = ours.replace("]", "", 1)
    other = "graph TD\n  a --> b\n"
    taken = mermaid_faults(node, [ours, many, broken, other])
    assert taken[:2] == [None, None]
    assert "Parse error" in str(taken[2])
    assert taken[3] == "is a flowchart-v2"


def test_the_chart_has_a_line_a_headline_and_an_axis_around_what_changed() -> None:
    # 87.6 to 100: a tenth of the spread below is 86.36, above it ends at 100
    assert chart(section(RUN, *TWO_BEFORE)).partition("xychart-beta\n")[2].splitlines() == [
        '    x-axis "runs before this one" ["-2", "-1", "this"]',
        '    y-axis "percent" 86 --> 100',
        '    line "Macro precision" [100.00, 100.00, 100.00]',
        '    line "Macro recall" [99.12, 98.00, 87.60]',
        '    line "Labels right" [100.00, 100.00, 100.00]',
        '    line "Times right" [100.00, 100.00, 100.00]',
    ]


def test_what_a_reader_of_mail_gets_says_the_same_as_text() -> None:
    text = read(section(RUN, *TWO_BEFORE)).text
    # 87.6 to 99.12, a margin of 1.152: from 86 to 100 in 7 steps of 2: 6.56, 6, 0.8
    assert "🟧 Macro recall: █▇▂ 99.12% → 87.60% (−11.52 points)" in text
    assert "🟦 Macro precision: ███ 100.00% → 100.00% (0.00 points)" in text


def test_the_trend_is_folded_and_has_one_mark_a_colour() -> None:
    text = section(RUN, *TWO_BEFORE)
    assert "<details><summary>Trend over 3 runs, this one last</summary>\n\n" in text
    palette = re.search(r'plotColorPalette: "(.*)"', text)
    assert palette
    assert len(set(palette[1].split(", "))) == 4


def test_two_runs_are_no_trend() -> None:
    assert "Trend" not in section(RUN, TWO_BEFORE[0])
    assert "Trend" not in section(RUN)


def test_only_comparable_runs_that_came_before_are_in_it_one_a_commit() -> None:
    published = [
        at(12),  # evaluated after it
        at(9, 0.1),  # the run itself, as it was published
        at(8),
        at(7, gold_set="v2"),
        at(6, provider="vllm"),
        at(5, mode="live"),
        at(4, mode="smoke"),  # a replay too
        at(3, sha=sha(8)),  # an older run of the commit of 8
    ]
    runs = comparable_runs(at(9, 0.876), published)
    assert [(run.run_number, run.metrics["recall_macro"]) for run in runs] == [
        (4, 1.0),
        (8, 1.0),
        (9, 0.876),
    ]


def test_the_twenty_newest_and_this_one_are_shown() -> None:
    facts = trend_facts(at(50), [at(number) for number in range(49, 0, -1)], WORDS)
    assert facts is not None
    assert facts["count"] == 21
    assert '["-20", "-19", ' in facts["chart"]


def test_what_changed_on_the_way_is_said() -> None:
    published = (at(8, prompt_sha256="b" * 64), at(7, prompt_sha256="a" * 64, cassette_kind="x"))
    assert "Changed on the way: prompt." in section(RUN, *published)
    assert "Changed on the way" not in section(RUN, *TWO_BEFORE)


def test_a_metric_that_was_undefined_once_has_a_gap_and_no_line() -> None:
    text = section(RUN, at(8, metrics={"recall_macro": 0.98}), at(7))
    assert "▫️ Macro precision: █·█ 100.00% → 100.00%" in text
    assert [line for line in chart(text).splitlines() if " line " in line] == [
        '    line "Macro recall" [100.00, 98.00, 87.60]'
    ]


def test_without_a_metric_that_is_always_defined_there_is_text_and_no_chart() -> None:
    text = section(RUN, at(8, metrics={}), at(7))
    assert "mermaid" not in text
    assert "Macro recall: █·▂ 100.00% → 87.60%" in text


@pytest.mark.parametrize("nasty", NASTY)
def test_nothing_that_a_history_holds_gets_into_the_trend(nasty: str) -> None:
    name = nasty[:190]
    texts: dict[str, Any] = {
        "provider": name,
        "gold_set": name,
        "model": nasty,
        "branch": nasty,
        "run_url": nasty,
    }
    kinds: list[dict[str, Any]] = [
        {"cassette_kind": f"{nasty}{i}", "prompt_sha256": f"{nasty}{i}"} for i in range(3)
    ]
    runs = [at(9 - i, **texts, **kinds[i]) for i in range(3)]
    plain = [at(9 - i, cassette_kind=str(i), prompt_sha256=str(i)) for i in range(3)]
    assert trend_facts(runs[0], runs[1:], WORDS) == trend_facts(plain[0], plain[1:], WORDS)


def test_the_trend_goes_before_the_verdict_when_the_comment_is_too_long() -> None:
    whole = section(RUN, *TWO_BEFORE)
    short = section(RUN, *TWO_BEFORE, max_chars=len(whole) - 1)
    assert "Trend" not in short
    assert "Extraction quality: PASS" in short


def test_a_suite_of_five_headlines_has_five_lines_of_five_colours() -> None:
    metrics = {name: 0.9 for name, _ in CANDIDATE_STAGING.words.headlines}
    runs = [at(number, metrics=metrics) for number in (3, 2, 1)]
    facts = trend_facts(runs[0], runs[1:], CANDIDATE_STAGING.words)
    assert facts is not None
    assert len({line["mark"] for line in facts["lines"]}) == 5


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([100.0], (99, 100)),
        ([0.0], (0, 1)),
        ([50.0], (49, 51)),
        ([0.0, 100.0], (0, 100)),
        ([90.2, 90.4], (89, 91)),
        ([87.6, 99.12], (86, 100)),
    ],
)
def test_the_range_has_a_margin_and_ends_at_0_and_100(
    values: list[float], expected: tuple[int, int]
) -> None:
    assert value_range(values) == expected


def test_a_sparkline_has_a_block_a_value() -> None:
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"  # 3.5 of 7 rounds to the even 4
    assert sparkline([None, 0.5]) == "·▅"
    assert sparkline([None]) == "·"
