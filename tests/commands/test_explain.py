"""`explain`: the parts of a change, worked out by hand."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, load
from tests.support.gold import EXPECTED, Said, edit_jsonl, memory, write_gold_set

FACTS = [f"User likes tea of kind number {i}" for i in range(10)]


@pytest.fixture
def gold(place: Path) -> Path:
    said = {f"c{i}": [Said("x", (memory(FACTS[i], "preference"),))] for i in range(10)}
    return write_gold_set(place / "ten", said)


def evaluate(bot: Bot, out: str, wrong: set[int], gold: str = "ten", **changes: Any) -> str:
    """A report in which these conversations find nothing."""
    lines = [
        {
            "conversation_id": f"c{i}",
            "turn_index": 0,
            "memories": [] if i in wrong else [memory(FACTS[i], "preference")],
        }
        for i in range(10)
    ]
    Path("said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    flags = ("--provider", "file:said.jsonl", "--name", "p", "--model", "m")
    done = bot("evaluate", "--gold-set", gold, "--out", out, *flags)
    assert done.code == 0, done.err
    if changes:
        Path(out).write_text(json.dumps(load(Path(out)) | changes))
    return out


def line(out: str, metric: str) -> str:
    (found,) = [one for one in out.splitlines() if one.startswith(f"  {metric} ")]
    return " ".join(found.split())


def test_another_model_alone_is_the_whole_change(gold: Path, bot: Bot) -> None:
    old = evaluate(bot, "old.json", {0})
    new = evaluate(bot, "new.json", {1, 2, 3}, model="other")
    done = bot("explain", old, new, "--gold-set", "ten")
    assert done.code == 0, done.err
    # 9 of 10 found, then 7 of 10
    assert line(done.out, "recall_preference") == "recall_preference -20.00: another model -20.00"
    assert "3 turned from right to wrong: c1, c2, c3" in done.out
    assert "1 turned from wrong to right: c0" in done.out


def test_edited_gold_is_told_from_another_prompt(gold: Path, bot: Bot) -> None:
    """The gold of c8 and c9 becomes what nobody said: old answers fall by two tenths."""
    old = evaluate(bot, "old.json", {0})
    shutil.copytree("ten", "edited")

    def edit(row: dict[str, Any]) -> dict[str, Any]:
        if row["conversation_id"] in ("c8", "c9"):
            row["expected"][0]["content"] = "The invoice is due tomorrow morning"
        return row

    edit_jsonl(Path("edited") / EXPECTED, edit)
    new = evaluate(bot, "new.json", {0, 1}, gold="edited", prompt_sha256="0" * 64)
    done = bot("explain", old, new, "--gold-set", "edited", "--old-gold-set", "ten")
    assert done.code == 0, done.err
    assert line(done.out, "recall_preference") == (
        "recall_preference -30.00: edited gold -20.00, another prompt or schema -10.00"
    )
    assert "gold and prompt or schema changed together" in done.err
    assert "1 turned from right to wrong: c1" in done.out
    # the gold of both reports cannot be one folder
    refused = bot("explain", old, new, "--gold-set", "edited")
    assert (refused.code, "is not the gold set that old.json was" in refused.err) == (2, True)


def test_a_report_between_tells_prompt_and_model_apart(gold: Path, bot: Bot) -> None:
    old = evaluate(bot, "old.json", set())
    middle = evaluate(bot, "middle.json", {0}, prompt_sha256="0" * 64)
    new = evaluate(bot, "new.json", {0, 1, 2}, prompt_sha256="0" * 64, model="other")
    flags = ("--gold-set", "ten")
    together = bot("explain", old, new, *flags).out
    assert "not told apart by these reports -30.00" in line(together, "recall_preference")
    apart = bot("explain", old, new, "--between", middle, *flags).out
    assert line(apart, "recall_preference") == (
        "recall_preference -30.00: another prompt or schema -10.00, another model -20.00"
    )


def test_the_same_again_is_called_so(gold: Path, bot: Bot) -> None:
    old, new = evaluate(bot, "old.json", {0}), evaluate(bot, "new.json", {1})
    said = bot("explain", old, new, "--gold-set", "ten").out
    assert "the same model, prompt and schema asked again +0.00" in said


def test_answers_of_another_report_are_refused(gold: Path, bot: Bot) -> None:
    old, new = evaluate(bot, "old.json", {0}), evaluate(bot, "new.json", {1})
    shutil.copy("new.answers.jsonl", "old.answers.jsonl")
    done = bot("explain", old, new, "--gold-set", "ten")
    assert (done.code, "are not the answers of its report" in done.err) == (2, True)
