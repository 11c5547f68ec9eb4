"""`show` and `history`: the published record, read in a terminal."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.scores import GATED_METRICS
from bot.history.model import RunEntry
from bot.suites import CANDIDATE_STAGING
from tests.commands.conftest import Bot
from tests.support.github_place import ROOT, history_with
from tests.support.runs import run_entry
from tests.test_escape import NASTY

ORACLE = "oracle_aligned_expected_json"
DATA = Path("web_data/extraction-quality-benchmark-data.json")


def at(number: int, recall: float = 1.0, **changes: Any) -> RunEntry:
    metrics = dict.fromkeys(GATED_METRICS, 1.0) | {"recall_macro": recall}
    fields: dict[str, Any] = {
        "sha": f"{number:07x}".ljust(40, "0"),
        "timestamp": f"2026-09-{number:02}T06:25:00+00:00",
        "metrics": metrics,
    }
    return run_entry(number, **(fields | changes))


def publish(*entries: RunEntry, path: Path = DATA) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(history_with(*entries))


def check(metric: str, current: float | None, baseline: float = 1.0) -> dict[str, Any]:
    drop = None if current is None else (baseline - current) * 100
    return {
        "name": f"openai.{metric} regression (pp)",
        "value": drop,
        "limit": 3.0,
        "ok": drop is not None and drop <= 3.0,
        "current": current,
        "baseline": baseline,
    }


def row(out: str, metric: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if line.strip().startswith(f"{metric} ")]
    return line.split()


def test_show_has_each_metric_with_change_baseline_sparkline_and_verdict(bot: Bot) -> None:
    checks = [check("recall_macro", 0.876), check("precision_macro", 1.0)]
    checks.append(check("recall_episodic", None))
    summary = {"status": "fail", "checks": checks}
    publish(at(7, 0.9912), at(8, 0.98), at(9, 0.876, status="fail", gate_summary=summary))
    done = bot("show")
    assert (done.code, done.err) == (0, "")
    first = done.out.splitlines()[0]
    assert first == "Extraction quality: FAIL — run 9 of 0000009, 2026-09-09 06:25 UTC on main"
    # 87.6 − 98 = −10.4 points; the sparkline runs from 86 to 100 (see test_trend)
    assert row(done.out, "recall_macro") == [
        "recall_macro",
        "87.60%",
        "−10.40",
        "100.00%",
        "█▇▂",
        *"over the limit of 3".split(),
    ]
    assert row(done.out, "precision_macro") == [
        "precision_macro",
        "100.00%",
        "0.00",
        "100.00%",
        "███",
        "ok",
    ]
    assert row(done.out, "recall_episodic")[-2:] == ["not", "computable"]
    assert row(done.out, "recall_factual") == [
        "recall_factual",
        "100.00%",
        "0.00",
        "—",
        "███",
        "not",
        "checked",
    ]
    for metric in GATED_METRICS:
        assert row(done.out, metric)


def test_show_says_what_changed_since_the_run_before(bot: Bot) -> None:
    old: dict[str, Any] = {
        "prompt_sha256": "a" * 64,
        "schema_sha256": "b" * 64,
        "cassette_kind": ORACLE,
    }
    new: dict[str, Any] = {
        "prompt_sha256": "c" * 64,
        "schema_sha256": "b" * 64,
        "cassette_kind": "recorded",
    }
    publish(at(8, **old), at(9, model="gpt-5", **new))
    assert bot("show").out.partition("since ")[2].splitlines() == [
        "run 8 of 0000008, 2026-09-08 06:25 UTC:",
        "  commit 0000008 → 0000009",
        "  prompt aaaaaaaaaaa… → ccccccccccc…",
        f"  cassettes {ORACLE} → recorded",
        "  model gpt-4o-mini → gpt-5",
    ]


def test_across_gold_sets_no_change_is_computed(bot: Bot) -> None:
    publish(at(8, 0.5), at(9, gold_set="v2"))
    done = bot("show")
    assert row(done.out, "recall_macro")[2:5] == ["—", "—", "█"]
    assert "  gold set v1 → v2\n" in done.out
    assert "no metric is compared with the run before" in done.out


def test_the_run_before_is_of_the_same_provider_and_kind_of_mode(bot: Bot) -> None:
    publish(at(6, 0.9), at(7, 0.1, provider="vllm"), at(8, 0.2, mode="live"), at(9))
    done = bot("show")
    # a tenth of the spread below 90 is 89: 1 of 11 points is 0.6 of the 7 steps
    assert row(done.out, "recall_macro")[2:5] == ["+10.00", "—", "▂█"]
    assert "since run 6 of" in done.out


def test_a_first_run_has_nothing_to_compare_with(bot: Bot) -> None:
    publish(at(9))
    assert "the first run of this provider and kind of mode" in bot("show").out


def test_the_numbers_carry_their_label(bot: Bot) -> None:
    publish(at(9, cassette_kind=ORACLE))
    label = "[CI-enforced (oracle-aligned cassettes: measures the harness, not the model)]"
    assert label in bot("show").out
    assert label in bot("history", "--metric", "recall_macro").out


def test_the_sparkline_covers_twenty_runs(bot: Bot) -> None:
    publish(*(at(number, 1.0 if number > 5 else 0.0) for number in range(1, 26)))
    assert row(bot("show").out, "recall_macro")[4] == "█" * 20


def test_history_draws_a_bar_a_run_oldest_first(bot: Bot) -> None:
    publish(at(7, 0.9912), at(8, 0.98), at(9, 0.876, status="fail"))
    done = bot("history", "--metric", "recall_macro")
    assert (done.code, done.err) == (0, "")
    # of the 14 points from 86 to 100: 13.12, 12 and 1.6, in 40 characters 37.5, 34.3 and 4.6
    assert done.out.splitlines() == [
        "recall_macro, openai (gpt-4o-mini) [CI-enforced]",
        "3 runs, oldest first; bars from 86% to 100%",
        f"2026-09-07  run 7     0000007   99.12%  {'█' * 37:40}  pass",
        f"2026-09-08  run 8     0000008   98.00%  {'█' * 34:40}  pass",
        f"2026-09-09  run 9     0000009   87.60%  {'█' * 5:40}  fail",
    ]


def test_history_marks_each_break_where_it_is(bot: Bot) -> None:
    publish(
        at(5, prompt_sha256="a" * 64, schema_sha256="b" * 64),
        at(6, prompt_sha256="a" * 64, schema_sha256="c" * 64, cassette_kind=ORACLE),
        at(7, prompt_sha256="d" * 64, schema_sha256="c" * 64, cassette_kind="recorded"),
        at(8, prompt_sha256="d" * 64, gold_set="v2", cassette_kind="recorded"),
        at(9, prompt_sha256="d" * 64, gold_set="v2", cassette_kind="recorded"),
    )
    lines = bot("history", "--metric", "recall_macro").out.splitlines()[2:]
    assert [line if line.startswith("─") else line.split()[2] for line in lines] == [
        "5",
        "──── schema bbbbbbbbbbb… → ccccccccccc…",
        "6",
        f"──── prompt aaaaaaaaaaa… → ddddddddddd…, cassettes {ORACLE} → recorded",
        "7",
        "──── gold set v1 → v2",
        "8",
        "9",
    ]
    assert [line.endswith("pass, oracle") for line in lines if line[0] != "─"] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_history_shows_the_newest_runs_up_to_the_limit(bot: Bot) -> None:
    publish(*(at(number) for number in range(1, 10)))
    done = bot("history", "--metric", "recall_macro", "--limit", "2")
    assert [line.split()[2] for line in done.out.splitlines()[2:]] == ["8", "9"]


def test_an_undefined_value_has_no_bar(bot: Bot) -> None:
    publish(at(8, metrics={}), at(9))
    assert f"0000008        —  {' ' * 40}  pass" in bot("history", "--metric", "recall_macro").out
    publish(at(8, metrics={}))
    assert "bars from 0% to 100%" in bot("history", "--metric", "recall_macro").out


def test_a_metric_that_is_not_gated_is_known_when_a_run_has_it(bot: Bot) -> None:
    publish(at(9, metrics={"f1_macro": 0.5}))
    assert " 50.00%" in bot("history", "--metric", "f1_macro").out


def test_an_unknown_metric_is_exit_code_2_with_a_list(bot: Bot) -> None:
    publish(at(9, metrics={"f1_macro": 0.5}))
    done = bot("history", "--metric", "recal")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "--metric: unknown metric 'recal' — use " in done.err
    for name in (*GATED_METRICS, "f1_macro"):
        assert name in done.err


@pytest.mark.parametrize("arguments", [["show"], ["history", "--metric", "anything"]])
def test_an_empty_history_is_one_line_and_exit_code_0(bot: Bot, arguments: list[str]) -> None:
    done = bot(*arguments)
    assert (done.code, done.out, done.err) == (0, f"{DATA}: no run is published yet\n", "")


@pytest.mark.parametrize("arguments", [["show"], ["history", "--metric", "recall_macro"]])
def test_a_history_that_cannot_be_read_is_exit_code_2(bot: Bot, arguments: list[str]) -> None:
    Path("bad.json").write_text("{")
    done = bot(*arguments, "--published", "bad.json")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "bad.json" in done.err


@pytest.mark.parametrize("arguments", [["show"], ["history", "--metric", "recall_macro"]])
def test_the_history_of_an_existing_repository_is_read(
    bot: Bot, existing: Path, arguments: list[str]
) -> None:
    path = existing / "extraction-quality-benchmark-data.v1.json"
    done = bot(*arguments, "--published", str(path))
    assert (done.code, done.err) == (0, "")
    assert "recall_macro" in done.out


def test_the_second_suite_has_a_history_of_its_own(bot: Bot) -> None:
    text = history_with(at(9, metrics={"reference_validity": 0.5}))
    path = CANDIDATE_STAGING.data_file
    path.parent.mkdir()
    path.write_text(text.replace('"extraction_quality"', '"candidate_staging"'))
    done = bot("show", "--suite", "candidate_staging")
    assert done.out.startswith("Candidate staging: PASS")
    assert row(done.out, "reference_validity")[1] == "50.00%"


@pytest.mark.parametrize("nasty", NASTY)
@pytest.mark.parametrize("arguments", [["show"], ["history", "--metric", "recall_macro"]])
def test_no_text_of_a_history_adds_a_line_or_a_control_character(
    bot: Bot, arguments: list[str], nasty: str
) -> None:
    name = f"{nasty[:150]}\x1b[31m\u202e\n::error::x"

    def runs(text: str) -> list[RunEntry]:
        same: dict[str, Any] = {"provider": text, "model": text, "branch": text}
        return [
            at(8, **same, gold_set=f"1{text}", prompt_sha256=f"1{text}", cassette_kind=f"1{text}"),
            at(9, **same, gold_set=f"2{text}", prompt_sha256=f"2{text}", cassette_kind=f"2{text}"),
        ]

    publish(*runs("x"))
    plain = bot(*arguments).out
    publish(*runs(name))
    done = bot(*arguments)
    assert done.code == 0
    assert done.out.count("\n") == plain.count("\n")
    assert all(char.isprintable() for char in done.out.replace("\n", ""))


def test_a_pipe_gets_no_escape_codes_whatever_the_environment_asks_for(
    place: Path, tmp_path: Path
) -> None:
    publish(at(8), at(9))
    colours = {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}
    for arguments in (["show"], ["history", "--metric", "recall_macro"]):
        done = subprocess.run(
            [sys.executable, "-m", "bot", *arguments],
            env={"PYTHONPATH": str(ROOT), **colours},
            capture_output=True,
            check=True,
        )
        assert b"recall_macro" in done.stdout
        assert b"\x1b" not in done.stdout
