"""The steps of the main job one by one, over files."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.expected_memories import EXPECTED
from bot.evaluation.gold_set import BASELINE, CONVERSATIONS, MANIFEST
from tests.commands.conftest import Bot, load
from tests.support.gold import edit_jsonl

GATE = ("gate", "--latest", "latest.json", "--baseline", f"gold/{BASELINE}", "--out", "gate.json")
PUBLISH = (
    *("publish", "--latest", "latest.json", "--gate", "gate.json"),
    *("--baseline", f"gold/{BASELINE}", "--published", "data.json"),
)


def evaluate(bot: Bot, provider: str = "openai") -> dict[str, Any]:
    done = bot("evaluate", "--gold-set", "gold", "--provider", provider, "--out", "latest.json")
    assert done.code == 0, done.err
    report: dict[str, Any] = load(Path("latest.json"))
    return report


def test_a_drop_of_four_points_exits_1_with_the_result_written(place: Path, bot: Bot) -> None:
    report = evaluate(bot)
    report["metrics"]["recall_episodic"] = 0.96
    Path("latest.json").write_text(json.dumps(report))
    done = bot(*GATE)
    assert done.code == 1
    assert done.err == (
        "error: openai.recall_episodic dropped 4.00 points (1.0000 → 0.9600, limit 3)\n"
    )
    result = load(Path("gate.json"))
    assert result["status"] == "fail"
    assert [check["name"] for check in result["checks"] if not check["ok"]] == [
        "openai.recall_episodic regression (pp)"
    ]


def test_an_older_producers_report_is_judged_and_published(
    place: Path, bot: Bot, existing: Path
) -> None:
    older = (existing / "latest.older-producer.json", existing / "baseline_results.json")
    done = bot("gate", "--latest", str(older[0]), "--baseline", str(older[1]), "--out", "gate.json")
    assert done.code == 1
    assert load(Path("gate.json"))["checks"] == load(existing / "gate-result.json")["checks"]
    done = bot(
        *("publish", "--latest", str(older[0]), "--gate", "gate.json"),
        *("--baseline", str(older[1]), "--published", "data.json", "--sha", "c0ffee1"),
    )
    assert done.code == 0
    (run,) = load(Path("data.json"))["runs"]
    assert run["status"] == "fail"
    assert run["cassette_kind"] is None
    assert run["timestamp"] == "2026-09-06T06:25:31Z"


def test_the_gate_result_of_an_existing_repository_is_published(
    place: Path, bot: Bot, existing: Path
) -> None:
    done = bot(
        *("publish", "--latest", str(existing / "latest.older-producer.json")),
        *("--gate", str(existing / "gate-result.json")),
        *("--baseline", str(existing / "baseline_results.json"), "--published", "data.json"),
    )
    assert done.code == 0
    assert load(Path("data.json"))["runs"][0]["status"] == "fail"


def test_a_provider_that_the_baseline_lacks_fails_the_gate(place: Path, bot: Bot) -> None:
    report = evaluate(bot)
    Path("latest.json").write_text(json.dumps(report | {"provider": "gemini"}))
    done = bot(*GATE)
    assert done.code == 1
    assert "the baseline has no block for provider gemini" in done.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "not finite (nan)"),
        ("Infinity", "not finite (inf)"),
        ("-Infinity", "not finite (-inf)"),
        ('"0.99"', "not a number: '0.99'"),
        ("true", "not a number: 'True'"),
        ("1.2", "1.2, which is not a fraction in [0, 1]"),
        ("null", "undefined (null)"),
    ],
)
def test_a_metric_that_is_no_score_fails_the_gate_and_is_published_as_failed(
    place: Path, bot: Bot, text: str, why: str
) -> None:
    raw = json.dumps(evaluate(bot))
    Path("latest.json").write_text(raw.replace('"recall_macro": 1.0', f'"recall_macro": {text}'))
    done = bot(*GATE)
    assert done.code == 1
    assert f"openai.recall_macro is not computable: the report's value is {why}" in done.err
    assert bot(*PUBLISH).code == 0
    text_of_history = Path("data.json").read_text()
    assert "NaN" not in text_of_history
    assert "Infinity" not in text_of_history
    (run,) = json.loads(text_of_history)["runs"]
    assert run["status"] == "fail"
    assert "recall_macro" not in run["metrics"]
    assert bot("validate", "latest.json").code == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b'{"benchmark": "extraction_quality", "metr', "is not JSON"),
        (b"[]", "is no report"),
        (b'{"benchmark": "ranking"}', "is no report of benchmark 'extraction_quality'"),
        (b'{"benchmark": "extraction_quality", "provider": 1, "gold_set": "v1"}', "a report has"),
        (
            b'{"benchmark": "extraction_quality", "provider": "a", "gold_set": "v1", "metrics": 1}',
            "metrics: should be an object",
        ),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_report_is_bad_input(
    place: Path, bot: Bot, content: bytes, message: str
) -> None:
    Path("latest.json").write_bytes(content)
    done = bot(*GATE)
    assert done.code == 2
    assert message in done.err
    assert not Path("gate.json").exists()


def test_a_report_of_200_megabytes_is_refused(place: Path, bot: Bot) -> None:
    with Path("latest.json").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    done = bot(*GATE)
    assert (done.code, "is larger than" in done.err) == (2, True)


def test_publishing_the_gate_result_of_another_report_is_refused(place: Path, bot: Bot) -> None:
    evaluate(bot)
    bot(*GATE)
    report = load(Path("latest.json"))
    report["metrics"]["recall_macro"] = 0.5
    Path("latest.json").write_text(json.dumps(report))
    done = bot(*PUBLISH)
    assert done.code == 2
    assert "recall_macro is 1.0, in the report it is 0.5" in done.err
    evaluate(bot, "keyword")
    assert "checks provider 'openai', not 'keyword'" in bot(*PUBLISH).err
    assert not Path("data.json").exists()


def test_a_gate_result_that_claims_a_pass_against_its_own_checks_is_refused(
    place: Path, bot: Bot, existing: Path
) -> None:
    forged = load(existing / "gate-result.json") | {"status": "pass"}
    Path("gate.json").write_text(json.dumps(forged))
    evaluate(bot)
    done = bot(*PUBLISH)
    assert (done.code, "not every check holds" in done.err) == (2, True)


def test_a_baseline_dated_in_the_future_is_an_input_error(place: Path, bot: Bot) -> None:
    baseline = load(place / "gold" / BASELINE)
    baseline["providers"]["keyword"]["last_refreshed"] = "2999-01-01"
    (place / "gold" / BASELINE).write_text(json.dumps(baseline))
    done = bot("run", "--gold-set", "gold")
    assert done.code == 2
    assert "last_refreshed 2999-01-01 is in the future" in done.err
    assert not Path("out").exists()


def test_a_truncated_history_stops_the_run_and_stays_as_it_is(place: Path, bot: Bot) -> None:
    Path("data.json").write_text('{"schema_version": 2, "runs": [')
    done = bot("run", "--gold-set", "gold", "--data", "data.json")
    assert done.code == 2
    assert "data.json: is not JSON" in done.err
    assert Path("data.json").read_text() == '{"schema_version": 2, "runs": ['
    assert not Path("out").exists()


def test_an_edited_gold_set_is_made_whole_again_by_refresh_manifest(place: Path, bot: Bot) -> None:
    def reword(row: dict[str, Any]) -> dict[str, Any]:
        for memory in row["expected"]:
            memory["content"] = memory["content"].replace("tabs", "tab characters")
        return row

    edit_jsonl(place / "gold" / EXPECTED, reword)
    assert bot("run", "--gold-set", "gold").code == 2
    assert bot("refresh-manifest", "--gold-set", "gold").code == 0
    assert bot("run", "--gold-set", "gold").code == 0
    assert "tab characters" in (place / "gold" / "openai_cassettes.jsonl").read_text()


def test_refresh_manifest_does_not_hide_that_a_recorded_set_is_stale(place: Path, bot: Bot) -> None:
    recorded = {"cassette_kind": "live_openai_recorded", "prompt_sha256": "0" * 64}
    manifest = load(place / "gold" / MANIFEST) | recorded
    (place / "gold" / MANIFEST).write_text(json.dumps(manifest))
    done = bot("refresh-manifest", "--gold-set", "gold")
    assert done.code == 2
    assert "3 cassettes are stale, which new hashes would hide" in done.err


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("gold", "gold set small, 3 conversations, oracle_aligned_expected_json"),
        (f"gold/{BASELINE}", "baseline of 2 providers"),
        (f"gold/{MANIFEST}", "cassette manifest"),
        (f"gold/{CONVERSATIONS}", "part of the gold set small"),
        ("out/latest.json", "report of openai on gold set small"),
        ("out/gate-result.json", "gate result, pass"),
        (
            "web_data/extraction-quality-benchmark-data.json",
            "published history of extraction_quality, version 2, 1 runs",
        ),
        ("web_data/archive/extraction-quality.jsonl", "archive of 1 runs"),
        ("policy.json", "policy result, pass"),
        (".github/extraction-bot.toml", "settings"),
        ("pyproject.toml", "settings"),
    ],
)
def test_validate_knows_all_of_the_projects_files(
    place: Path, bot: Bot, name: str, what: str
) -> None:
    bot("run", "--gold-set", "gold")
    Path("changed").write_text("README.md\n")
    manifest = f"gold/{MANIFEST}"
    changed = ("--changed-files", "changed", "--out", "policy.json")
    assert bot("check-oracle-policy", "--manifest", manifest, *changed).code == 0
    Path(".github").mkdir()
    Path(".github/extraction-bot.toml").write_text("max_runs = 20\n")
    Path("pyproject.toml").write_text("[tool.extraction-bot]\nmax_runs = 20\n")
    done = bot("validate", name)
    assert done.code == 0, done.err
    assert what in done.out


def test_validate_knows_the_files_of_existing_repositories(bot: Bot, existing: Path) -> None:
    for path in sorted(existing.iterdir()):
        done = bot("validate", str(path))
        assert done.code == 0, (path.name, done.err)


def test_validate_refuses_what_is_none_of_the_projects_files(place: Path, bot: Bot) -> None:
    Path("other.json").write_text('{"a": 1}')
    assert "is none of the project's files" in bot("validate", "other.json").err
    assert bot("validate", "nowhere.json").code == 2


def test_schema_prints_the_committed_schema(place: Path, bot: Bot) -> None:
    committed = Path(__file__).parent.parent.parent / "web_data"
    schema = (committed / "extraction-quality-benchmark-data.schema.json").read_text()
    assert bot("schema").out == schema


def test_render_comment_shows_the_newest_run_or_the_heads_or_none(place: Path, bot: Bot) -> None:
    def render(*more: str) -> str:
        assert bot("render-comment", "--published", "data.json", "--out", "c.md", *more).code == 0
        return Path("c.md").read_text()

    assert "No baseline yet" in render()
    for number in (1, 2):
        sha = f"{number}" * 40
        bot(
            *("run", "--gold-set", "gold", "--data", "data.json"),
            *("--sha", sha, "--run-number", str(number)),
        )
    assert "2222222" in render()
    assert "1111111" in render("--sha", "1" * 40)
    missing = render("--sha", "3" * 40)
    assert "No result for this commit" in missing
    assert "2222222" not in missing
    Path("policy.json").write_text(
        json.dumps({"status": "fail", "reasons": ["the prompt changed"]})
    )
    failed = render("--policy", "policy.json")
    assert "the prompt changed" in failed
    assert failed.index("❌") < failed.index("Extraction quality")


def test_a_report_of_one_provider_does_not_show_the_run_of_another(place: Path, bot: Bot) -> None:
    run = ("run", "--gold-set", "gold", "--data", "data.json", "--sha", "c0ffee1")
    bot(*run, "--out", "a")
    bot(*run, "--provider", "keyword", "--out", "b")
    done = bot(
        *("render-comment", "--published", "data.json", "--out", "c.md"),
        *("--latest", "a/latest.json"),
    )
    assert done.code == 0
    assert "<code>openai</code>" in Path("c.md").read_text().split("\n\n")[2]


def test_render_comment_and_run_show_the_trend_of_their_history(place: Path, bot: Bot) -> None:
    data = Path("web_data/extraction-quality-benchmark-data.json")
    for number in (1, 2, 3):
        done = bot("run", "--gold-set", "gold", "--sha", str(number) * 40)
        assert done.code == 0, done.err
        comment = Path("out/comment.md").read_text()
        assert ("Trend over 3 runs" in comment) is (number == 3)
    assert len(load(data)["runs"]) == 3
    assert bot("render-comment", "--out", "comment.md").code == 0
    assert "Trend over 3 runs" in Path("comment.md").read_text()
