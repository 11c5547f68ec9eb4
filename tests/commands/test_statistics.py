"""From `evaluate` and `baseline set` to a gate that tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, Done, load
from tests.support.gold import Said, memory, write_gold_set

BASELINE = Path("many/baseline_results.json")
LATEST = Path("out/latest.json")


@pytest.fixture
def many(place: Path) -> Path:
    """Forty conversations that the cassettes answer well."""
    said = {
        f"c{i:02}": [Said("x", (memory(f"User likes tea of kind number {i}", "preference"),))]
        for i in range(40)
    }
    return write_gold_set(place / "many", said)


def evaluate(bot: Bot, provider: str = "openai", out: Path = LATEST) -> Any:
    done = bot(
        "evaluate", "--gold-set", "many", "--provider", provider, "--out", str(out), "--name", "p"
    )
    assert done.code == 0, done.err
    return load(out)


def set_baseline(bot: Bot, rule: str = "absolute") -> Done:
    raw = load(BASELINE)
    raw["policy"]["rule"] = rule
    BASELINE.write_text(json.dumps(raw))
    return bot("baseline", "set", "p", "--latest", str(LATEST), "--baseline", str(BASELINE))


def answers(wrong: int) -> str:
    """Predictions of which the first `wrong` find nothing."""
    lines = []
    for i in range(40):
        said = memory(f"User likes tea of kind number {i}", "preference")
        memories = [] if i < wrong else [said]
        lines.append({"conversation_id": f"c{i:02}", "turn_index": 0, "memories": memories})
    path = Path(f"answers-{wrong}.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"file:{path}"


def test_a_report_has_each_conversations_counts_and_intervals(many: Path, bot: Bot) -> None:
    report = evaluate(bot, answers(wrong=12))
    counts = report["conversation_counts"]
    assert len(counts["rows"]) == 40
    sums = [0] * len(counts["columns"])
    for row in counts["rows"].values():
        sums = [a + int(b) for a, b in zip(sums, row.split(), strict=True)]
    total = dict(zip(counts["columns"], sums, strict=True))
    assert total["labels.preference.tp"] == report["counts"]["labels"]["preference"]["tp"] == 28
    found = report["intervals"]["recall_preference"]
    assert found["low"] < 0.7 < found["high"]
    assert (found["level"], found["n"]) == (0.95, 40)
    assert "undefined" in report["intervals"]["recall_episodic"]["reason"]


def test_a_report_without_the_new_keys_is_read_and_judged(place: Path, bot: Bot) -> None:
    flags = ("--gold-set", "gold", "--out", str(LATEST))
    assert bot("evaluate", *flags).code == 0
    raw = load(LATEST)
    for key in ("conversation_counts", "intervals", "gold_sha256"):
        del raw[key]
    LATEST.write_text(json.dumps(raw))
    assert bot("validate", str(LATEST)).code == 0
    gate = ("gate", "--latest", str(LATEST), "--baseline", "gold/baseline_results.json")
    assert bot(*gate, "--out", "g.json").code == 0
    assert load(Path("g.json"))["paired"] is None


def test_baseline_set_keeps_the_cases_and_replaces_them(many: Path, bot: Bot) -> None:
    cases = Path("many/baseline_cases/p.jsonl")
    evaluate(bot, answers(wrong=4))
    assert set_baseline(bot).code == 0
    first = cases.read_text()
    assert first.count("\n") == 41
    assert "valid baseline cases of p, 40 conversations" in bot("validate", str(cases)).out
    evaluate(bot, answers(wrong=5))
    assert set_baseline(bot).code == 0
    assert cases.read_text() != first
    raw = load(LATEST)
    del raw["conversation_counts"]
    LATEST.write_text(json.dumps(raw))
    done = set_baseline(bot)
    assert "evaluate again for baseline_cases/" in done.err
    assert not cases.exists(), "those of an older block would be compared with this one"


GATED_HERE = "recall_preference"


def gate_after(bot: Bot, wrong: int, rule: str) -> dict[str, Any]:
    """The gate's result for a report with `wrong` of 40 conversations wrong, from 4."""
    evaluate(bot, answers(wrong=4))
    assert set_baseline(bot, rule).code == 0
    raw = load(BASELINE)
    raw["providers"]["p"]["enforcement"] = "ci"
    BASELINE.write_text(json.dumps(raw))
    evaluate(bot, answers(wrong))
    gate = ("gate", "--latest", str(LATEST), "--baseline", str(BASELINE), "--out", "g.json")
    bot(*gate)
    result: dict[str, Any] = load(Path("g.json"))
    return result


def ok(result: dict[str, Any]) -> bool:
    (found,) = [check["ok"] for check in result["checks"] if GATED_HERE in check["name"]]
    return bool(found)


@pytest.mark.parametrize(
    ("wrong", "rule", "holds"),
    [
        (4, "absolute", True),
        (6, "absolute", False),  # a drop of 5 points
        (6, "significant", True),  # two discordant conversations are chance
        (20, "significant", False),  # sixteen of one direction are not
        (6, "both", False),
    ],
)
def test_the_gate_tests_pairs_when_the_baseline_has_cases(
    many: Path, bot: Bot, wrong: int, rule: str, holds: bool
) -> None:
    result = gate_after(bot, wrong, rule)
    assert ok(result) is holds
    assert result["rule"] == rule
    found = result["paired"]["metrics"]["category_assignment_accuracy"]
    assert found["differing"] == wrong - 4
    # (1/2)^(n-1) of a fair coin: all discordant conversations fell
    assert found["p"] == pytest.approx(min(1.0, 2 * 0.5 ** (wrong - 4)))


def test_an_edited_gold_set_is_not_compared_pair_by_pair(many: Path, bot: Bot) -> None:
    gate_after(bot, 4, "significant")
    raw = load(LATEST)
    raw["gold_sha256"] = "0" * 64
    LATEST.write_text(json.dumps(raw))
    bot("gate", "--latest", str(LATEST), "--baseline", str(BASELINE), "--out", "g.json")
    result = load(Path("g.json"))
    assert "edited since" in result["paired"]["reason"]
    assert "rule significant is applied as the absolute limit" in result["summary_lines"][-1]


def test_the_comment_says_of_each_metric_what_the_pairs_show(many: Path, bot: Bot) -> None:
    evaluate(bot, answers(wrong=4))
    assert set_baseline(bot, "significant").code == 0
    raw = load(BASELINE)
    raw["providers"]["p"]["enforcement"] = "ci"
    BASELINE.write_text(json.dumps(raw))
    run = ("run", "--gold-set", "many", "--name", "p", "--provider")
    done = bot(*run, answers(wrong=20))
    assert done.code == 1, done.err
    comment = Path("out/comment.md").read_text()
    row, *_ = [
        line
        for line in comment.splitlines()
        if "recall&#95;preference" in line and line.startswith("|")
    ]
    assert row.count("|") == 8
    assert "| dropped |" in row
    (head,) = [line for line in comment.splitlines() if line.startswith("| Metric |")]
    assert "| Pair by pair |" in head
    run_entry = load(Path("web_data/extraction-quality-benchmark-data.json"))["runs"][0]
    assert run_entry["gate_summary"]["changes"]["recall_preference"] == "dropped"


def test_power_says_how_many_conversations_a_drop_takes(many: Path, bot: Bot) -> None:
    report = evaluate(bot, answers(wrong=12))
    now = report["detectable_drop_pp"]["recall_preference"]
    assert report["detectable_drop_pp"]["recall_episodic"] is None
    flags = ("--latest", str(LATEST), "--baseline", str(BASELINE))
    done = bot("power", "--drop", str(now / 2), *flags)
    assert done.code == 0, done.err
    (line,) = [line for line in done.out.splitlines() if "recall_preference" in line]
    assert line.split()[1] == "160"  # four times 40
    assert "unpaired" in line
    assert "recall_episodic                unknown: the metric is undefined" in done.out


def test_power_uses_the_pairs_that_the_baseline_has(many: Path, bot: Bot) -> None:
    gate_after(bot, 6, "absolute")
    done = bot("power", "--drop", "3", "--latest", str(LATEST), "--baseline", str(BASELINE))
    (line,) = [line for line in done.out.splitlines() if "recall_preference" in line]
    assert "points, paired)" in line


def test_power_needs_counts_by_conversation(many: Path, bot: Bot) -> None:
    evaluate(bot, answers(wrong=12))
    raw = load(LATEST)
    del raw["conversation_counts"]
    LATEST.write_text(json.dumps(raw))
    done = bot("power", "--latest", str(LATEST), "--baseline", str(BASELINE))
    assert done.code == 2
    assert "has no per-conversation counts — evaluate again" in done.err


def test_an_audit_of_the_matching_lies_beside_the_report(many: Path, bot: Bot) -> None:
    flags = ("--gold-set", "many", "--provider", answers(wrong=12), "--out", str(LATEST))
    done = bot("evaluate", *flags, "--audit-matching")
    assert done.code == 0, done.err
    audit = load(Path("out/latest.matching.json"))
    assert audit["threshold"] == 0.55
    report = load(LATEST)
    assert audit["metrics"]["0.55"] == report["metrics"]
    assert "matching: 0 pairs near the threshold 0.55" in done.out
