"""`compare`: reports side by side."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, load
from tests.commands.live import LATEST, evaluate, server
from tests.model_server import replies
from tests.model_server.server import ModelServer
from tests.support.github_markdown import read

__all__ = ["server"]


@pytest.fixture
def reports(place: Path, bot: Bot, server: ModelServer) -> list[str]:
    evaluate(bot, mode="cassette")
    LATEST.rename("oracle.json")
    server.script("key", replies.truncated)
    evaluate(bot, "--model", "Qwen", mode="vllm")
    LATEST.rename("vllm.json")
    return ["oracle.json", "vllm.json"]


def edit(path: str, **changes: Any) -> None:
    Path(path).write_text(json.dumps(load(Path(path)) | changes))


def test_the_table_has_every_metric_label_failures_cost_and_latency(
    reports: list[str], bot: Bot
) -> None:
    done = bot("compare", *reports)
    assert done.code == 0, done.err
    assert done.err == ""
    rows = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    for name in load(Path("vllm.json"))["metrics"]:
        assert name in rows, name
    assert "1 of 3: 1 cut off" in rows["failures"]
    assert "unknown" in rows["cost"]
    assert "p50" in rows["latency"]
    assert "100.00%" in rows["recall_macro"]
    text = " ".join(done.out.split())
    assert "oracle-aligned cassettes" in text
    assert "manual, refreshed" in text


def test_the_comment_the_data_and_the_comparison_hold_the_same_numbers(
    reports: list[str], bot: Bot
) -> None:
    done = bot("compare", *reports, "--format", "json")
    first, second = json.loads(done.out)
    bot("run", "--gold-set", "gold")
    run = load(Path("web_data/extraction-quality-benchmark-data.json"))["runs"][0]
    own = run["providers"][0]
    for name in ("metrics", "model", "enforcement", "cassette_kind", "last_refreshed"):
        assert own[name] == first[name]
    assert second["answering"]["failures"] == {"truncated": 1}


def test_markdown_is_a_table_that_github_reads_and_nothing_in_it_is_live(
    reports: list[str], bot: Bot
) -> None:
    edit("vllm.json", model="@team/<img src=x> | [x](http://evil)", provider="a|b")
    done = bot("compare", *reports, "--format", "markdown")
    page = read(done.out)
    assert not page.links
    assert not page.linkable
    assert "1 of 3: 1 cut off" in page.text


def test_a_terminal_gets_no_control_characters_from_a_report(reports: list[str], bot: Bot) -> None:
    edit("vllm.json", model="\x1b[31mred\x1b[0m\nsecond line")
    assert "\x1b" not in bot("compare", *reports).out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gold_set": "v2"}, "not comparable: the reports are of gold sets small, v2"),
        ({"prompt_sha256": "0" * 64}, "measured under different prompts"),
        ({"schema_sha256": "0" * 64}, "measured under different schemas"),
        ({"conversation_count": 2, "conversation_ids": None}, "cover different conversations"),
        ({"conversation_ids": ["a", "b", "c"]}, "cover different conversations"),
    ],
)
def test_what_keeps_reports_from_being_compared_is_said(
    reports: list[str], bot: Bot, changes: dict[str, Any], message: str
) -> None:
    edit("vllm.json", **changes)
    done = bot("compare", *reports)
    assert done.code == 0
    assert message in done.err


def test_an_old_manual_report_is_called_stale(reports: list[str], bot: Bot) -> None:
    edit("vllm.json", generated_at="2020-01-01T00:00:00Z")
    assert "STALE" in bot("compare", *reports).out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.json"], "nowhere.json: file not found"),
        (["oracle.json", "--format", "html"], "use one of: table, markdown, json"),
        ([], "Missing argument"),
    ],
)
def test_bad_input_is_one_line(
    reports: list[str], bot: Bot, arguments: list[str], message: str
) -> None:
    done = bot("compare", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_report_of_an_older_producer_is_compared_too(
    reports: list[str], bot: Bot, existing: Path
) -> None:
    done = bot("compare", "oracle.json", str(existing / "latest.older-producer.json"))
    assert done.code == 0, done.err
