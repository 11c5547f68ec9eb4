"""`baseline show` and `baseline set`: the bar that the gate measures by."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, Done, load
from tests.commands.live import LATEST, evaluate, server
from tests.model_server import replies
from tests.model_server.server import ModelServer

__all__ = ["server"]

BASELINE = Path("gold/baseline_results.json")


def set_block(bot: Bot, provider: str, *arguments: str) -> Done:
    flags = ("--latest", str(LATEST), "--baseline", str(BASELINE))
    return bot("baseline", "set", provider, *flags, *arguments)


def block(name: str) -> Any:
    return load(BASELINE)["providers"][name]


def edit_report(**changes: Any) -> None:
    report = load(LATEST) | changes
    LATEST.write_text(json.dumps(report))


@pytest.fixture
def measured(place: Path, bot: Bot, server: ModelServer) -> None:
    """A report of a vLLM server that refused one of three conversations."""
    server.script("key", replies.refusal)
    assert evaluate(bot, "--model", "Qwen2.5-14B-Instruct", mode="vllm").code == 0


def test_a_first_measurement_becomes_a_manual_block_with_what_it_was_measured_under(
    measured: None, bot: Bot
) -> None:
    report, others = load(LATEST), load(BASELINE)
    done = set_block(bot, "vllm")
    assert done.code == 0, done.err
    found = block("vllm")
    assert found["enforcement"] == "manual"
    assert found["model"] == "Qwen2.5-14B-Instruct"
    assert found["source"] == "vllm"
    assert found["last_refreshed"] == report["generated_at"][:10]
    assert found["prompt_sha256"] == report["prompt_sha256"]
    assert found["schema_sha256"] == report["schema_sha256"]
    assert found["gold_set"] == "small"
    assert found["metrics"] == {name: report["metrics"][name] for name in report["gated_metrics"]}
    assert found["answering"]["failures"] == {"refusal": 1}
    assert {name: load(BASELINE)["providers"][name] for name in others["providers"]} == others[
        "providers"
    ]
    assert "1 of 3 conversations had no usable answer (1 refused)" in done.err


def test_a_block_keeps_its_enforcement_and_fields_that_we_do_not_know(
    measured: None, bot: Bot
) -> None:
    set_block(bot, "vllm")
    raw = load(BASELINE)
    raw["providers"]["vllm"] |= {"enforcement": "ci", "runbook": "docs/gpu.md"}
    raw["owner"] = "team-memory"
    BASELINE.write_text(json.dumps(raw))
    assert set_block(bot, "vllm").code == 0
    assert block("vllm")["enforcement"] == "ci"
    assert block("vllm")["runbook"] == "docs/gpu.md"
    assert load(BASELINE)["owner"] == "team-memory"


def test_making_a_block_ci_enforced_takes_a_flag_and_says_what_it_means(
    measured: None, bot: Bot
) -> None:
    done = set_block(bot, "vllm", "--enforcement", "ci")
    assert done.code == 0, done.err
    assert "from now on a pull request fails when a metric of it drops more than 3" in done.out
    assert block("vllm")["enforcement"] == "ci"
    gate = bot("gate", "--latest", str(LATEST), "--baseline", str(BASELINE), "--out", "g.json")
    assert gate.code == 0, "measured by itself it holds"


def test_making_a_block_manual_says_that_it_fails_no_pull_request(place: Path, bot: Bot) -> None:
    evaluate(bot, "--provider", "keyword", mode="cassette")
    raw = load(LATEST)
    assert raw["metrics"]["precision_procedural"] is not None
    done = set_block(bot, "keyword", "--enforcement", "manual")
    assert "fail no pull request" in done.out


def test_a_ci_block_from_an_oracle_report_is_warned_of_in_words(place: Path, bot: Bot) -> None:
    evaluate(bot, mode="cassette")
    done = set_block(bot, "openai")
    assert done.code == 0
    assert "they measure the harness" in done.err
    assert "says nothing about gpt-4o-mini" in done.err


def test_the_date_can_be_given(measured: None, bot: Bot) -> None:
    assert set_block(bot, "vllm", "--date", "2026-09-03").code == 0
    assert block("vllm")["last_refreshed"] == "2026-09-03"


@pytest.mark.parametrize(
    ("arguments", "changes", "message"),
    [
        (["--date", "2999-01-01"], {}, "2999-01-01 is in the future"),
        (["--date", "yesterday"], {}, "'yesterday' is no date"),
        (["--enforcement", "maybe"], {}, "use ci or manual"),
        ([], {"provider": "openai"}, "is a report of provider 'openai', not 'vllm'"),
        ([], {"gold_conversation_count": 9}, "covers 3 of 9 conversations"),
        ([], {"metrics": {}}, "has no metric precision_factual"),
        (["--latest", "nowhere.json"], {}, "file not found"),
        (["--baseline", "nowhere.json"], {}, "file not found"),
    ],
)
def test_what_is_no_bar_to_measure_by_is_refused_and_nothing_is_written(
    measured: None, bot: Bot, arguments: list[str], changes: dict[str, Any], message: str
) -> None:
    before = BASELINE.read_bytes()
    edit_report(**changes)
    done = set_block(bot, "vllm", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert BASELINE.read_bytes() == before


@pytest.mark.parametrize(
    ("value", "enforcement", "code"),
    [(None, "manual", 0), (None, "ci", 2), (1.5, "manual", 2), ("NaN", "manual", 2)],
)
def test_an_undefined_metric_may_stand_in_a_manual_block_only(
    measured: None, bot: Bot, value: Any, enforcement: str, code: int
) -> None:
    metrics = load(LATEST)["metrics"] | {"recall_factual": value}
    edit_report(metrics=metrics)
    done = set_block(bot, "vllm", "--enforcement", enforcement)
    assert done.code == code, done.err
    assert code == 0 or "recall_factual" in done.err


def test_show_gives_each_block_with_its_label(measured: None, bot: Bot) -> None:
    set_block(bot, "vllm")
    done = bot("baseline", "show", "--baseline", str(BASELINE))
    assert done.code == 0
    assert "openai (gpt-4o-mini) [CI-enforced]" in done.out
    assert "vllm (Qwen2.5-14B-Instruct) [manual, refreshed " in done.out
    assert "failures 1 of 3: 1 refused" in done.out


def test_a_refreshed_block_is_stale_after_the_prompt_changes(measured: None, bot: Bot) -> None:
    set_block(bot, "vllm")
    Path("mine.py").write_text("PROMPT = 'Extract.'\n")
    Path(".github/extraction-bot.toml").write_text('prompt = "mine:PROMPT"\n')
    done = bot("baseline", "show", "--baseline", str(BASELINE))
    assert "[manual, STALE: measured under another prompt]" in done.out


def test_show_of_a_file_that_is_no_baseline_is_bad_input(place: Path, bot: Bot) -> None:
    Path("b.json").write_text("[]")
    done = bot("baseline", "show", "--baseline", "b.json")
    assert done.code == 2
    assert done.err.startswith("error: b.json: ")
