"""The main job, from cassettes to a published history and a comment."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.gold_set import BASELINE, CASSETTES, MANIFEST
from bot.extraction.fingerprint import canonical_json, sha256_hex
from tests.commands.conftest import Bot, git, load
from tests.support.gold import edit_jsonl

DATA = Path("web_data/extraction-quality-benchmark-data.json")


def drop_a_label(row: dict[str, Any]) -> dict[str, Any]:
    """A cassette whose first answer for `flag` lacks a label."""
    if row["conversation_id"] == "flag":
        answer = json.loads(row["raw_json"])
        answer["turns"][0]["memories"][0]["categories"].pop()
        row["raw_json"] = canonical_json(answer)
    return row


def corrupt_cassettes(gold: Path, edit: Any) -> None:
    """Edit the cassettes, and the manifest's hash of them: what a bad recording looks like."""
    edit_jsonl(gold / CASSETTES, edit)
    manifest = load(gold / MANIFEST)
    manifest["cassettes_sha256"] = sha256_hex((gold / CASSETTES).read_bytes())
    (gold / MANIFEST).write_text(json.dumps(manifest))


def test_the_main_job_writes_history_report_gate_and_comment(place: Path, bot: Bot) -> None:
    done = bot("run", "--gold-set", "gold", "--sha", "c0ffee1", "--run-number", "7")
    assert done.code == 0
    assert "gate: pass" in done.out
    assert "measures the harness, not the model" in done.out
    (run,) = load(DATA)["runs"]
    assert (run["sha"], run["run_number"], run["status"]) == ("c0ffee1", 7, "pass")
    assert run["metrics"]["recall_macro"] == 1.0
    assert load(Path("out/latest.json"))["generated_at"].endswith("Z")
    assert load(Path("out/gate-result.json"))["status"] == "pass"
    assert Path("out/comment.md").read_text().startswith("<!-- extraction-benchmark-bot -->")
    assert DATA.with_suffix(".schema.json").exists()
    assert Path("web_data/archive/extraction-quality.jsonl").read_text().count("\n") == 1


def test_a_corrupted_cassette_fails_the_whole_command_after_everything_is_written(
    place: Path, bot: Bot
) -> None:
    corrupt_cassettes(place / "gold", drop_a_label)
    done = bot("run", "--gold-set", "gold")
    assert done.code == 1
    assert "openai.recall_episodic dropped 100.00 points" in done.err
    assert load(Path("out/gate-result.json"))["status"] == "fail"
    assert load(DATA)["runs"][0]["status"] == "fail"
    comment = Path("out/comment.md").read_text()
    assert "❌ Extraction quality: FAIL" in comment
    assert "recall&#95;episodic" in comment
    assert "wrong labels" in comment


def test_a_corrupted_cassette_whose_manifest_was_not_changed_is_no_input(
    place: Path, bot: Bot
) -> None:
    edit_jsonl(place / "gold" / CASSETTES, drop_a_label)
    done = bot("run", "--gold-set", "gold")
    assert done.code == 2
    assert "openai_cassettes.jsonl has changed since the manifest was written" in done.err
    assert "refresh-manifest" in done.err
    assert not DATA.exists()
    assert not Path("out").exists()


def test_the_keyword_provider_runs_against_its_own_block(place: Path, bot: Bot) -> None:
    done = bot("run", "--gold-set", "gold", "--provider", "keyword")
    assert done.code == 0
    report = load(Path("out/latest.json"))
    assert report["model"] == "keyword-rules-1"
    assert report["cassette_kind"] is None
    assert 0 < report["metrics"]["recall_macro"] < 1
    assert "a floor, not a model's score" in report["notes"]
    assert "oracle" not in done.out.split("openai")[0]


def test_running_twice_on_a_commit_is_one_run(place: Path, bot: Bot) -> None:
    for _ in range(2):
        assert bot("run", "--gold-set", "gold", "--sha", "c0ffee1").code == 0
    assert len(load(DATA)["runs"]) == 1


def test_each_provider_has_a_run_of_its_own_and_shows_the_other(place: Path, bot: Bot) -> None:
    bot("run", "--gold-set", "gold", "--sha", "c0ffee1")
    bot("run", "--gold-set", "gold", "--sha", "c0ffee1", "--provider", "keyword")
    runs = load(DATA)["runs"]
    assert {run["provider"] for run in runs} == {"openai", "keyword"}
    assert [block["provider"] for block in runs[0]["providers"]] == [
        runs[0]["provider"],
        "openai",
    ] or [block["provider"] for block in runs[0]["providers"]] == [runs[0]["provider"], "keyword"]


def test_a_manual_block_is_labelled_wherever_its_numbers_are_shown(place: Path, bot: Bot) -> None:
    baseline = load(place / "gold" / BASELINE)
    baseline["providers"]["vllm"] = {
        "model": "Qwen2.5-14B-Instruct",
        "enforcement": "manual",
        "source": "manual_runbook",
        "last_refreshed": "2026-01-02",
        "notes": "",
        "metrics": {"recall_macro": 0.5},
    }
    (place / "gold" / BASELINE).write_text(json.dumps(baseline))
    summary = place / "summary.md"
    done = bot("run", "--gold-set", "gold")
    assert "manual, STALE: last refreshed" in done.out
    assert "manual, STALE&#58; last refreshed" in Path("out/comment.md").read_text()
    assert not summary.exists()
    (block,) = [b for b in load(DATA)["runs"][0]["providers"] if b["provider"] == "vllm"]
    assert block["status"] is None
    assert block["staleness"]["state"] == "stale"
    assert block["staleness"]["reasons"]


def test_github_actions_gets_a_summary_outputs_and_annotations(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place / "summary.md"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(place / "output"))
    corrupt_cassettes(place / "gold", drop_a_label)
    done = bot("run", "--gold-set", "gold")
    assert "::error::openai.recall_episodic dropped 100.00 points" in done.out
    summary = (place / "summary.md").read_text()
    assert "❌ Extraction quality: FAIL" in summary
    assert "extraction-benchmark-bot" not in summary
    outputs = dict(line.split("=", 1) for line in (place / "output").read_text().splitlines())
    assert outputs["status"] == "fail"
    assert outputs["report"] == "out/latest.json"


def test_the_commit_is_githubs_then_gits_then_a_clear_default(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def newest() -> dict[str, Any]:
        assert bot("run", "--gold-set", "gold").code == 0
        run: dict[str, Any] = load(DATA)["runs"][0]
        DATA.unlink()
        return run

    run = newest()
    assert (run["sha"], run["branch"], run["run_number"], run["run_url"]) == (
        "0" * 40,
        "local",
        0,
        "",
    )
    git(place, "init", "-q", "-b", "feature/x")
    git(place, "commit", "-q", "--allow-empty", "-m", "first")
    run = newest()
    assert (run["sha"], run["branch"]) == (git(place, "rev-parse", "HEAD"), "feature/x")

    for name, value in {
        "GITHUB_SHA": "a" * 40,
        "GITHUB_REF_NAME": "main",
        "GITHUB_RUN_NUMBER": "57",
        "GITHUB_SERVER_URL": "https://ghe.example.org",
        "GITHUB_REPOSITORY": "example/harness",
        "GITHUB_RUN_ID": "9057",
    }.items():
        monkeypatch.setenv(name, value)
    run = newest()
    assert (run["sha"], run["branch"], run["run_number"], run["run_url"]) == (
        "a" * 40,
        "main",
        57,
        "https://ghe.example.org/example/harness/actions/runs/9057",
    )


def test_on_a_pull_request_it_is_the_head_never_the_merge_commit(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {"pull_request": {"number": 3, "head": {"sha": "b" * 40, "ref": "fix/prompt"}}}
    (place / "event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(place / "event.json"))
    monkeypatch.setenv("GITHUB_SHA", "a" * 40)
    monkeypatch.setenv("GITHUB_REF_NAME", "3/merge")
    bot("run", "--gold-set", "gold")
    run = load(DATA)["runs"][0]
    assert (run["sha"], run["branch"]) == ("b" * 40, "fix/prompt")
    assert "bbbbbbb" in Path("out/comment.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sha", "main"], "'main' is no commit hash"),
        (["--sha", "abc"], "'abc' is no commit hash"),
        (["--run-number", "-1"], "--run-number"),
        (["--provider", "gemini"], "unknown provider 'gemini'"),
        (["--mode", "live"], "OpenAI asks for a key"),
        (["--mode", "vllm"], "no model is named"),
        (["--mode", "cassette", "--provider", "vllm"], "has no cassettes to replay"),
        (["--mode", "live", "--provider", "keyword"], "calls no model"),
        (["--resume"], "goes with a mode that calls a model"),
        (["--stale"], "goes with --mode record only"),
        (["--only", "nobody"], "conversation 'nobody' is not in the gold set"),
        (["--mode", "quick"], "unknown mode 'quick'"),
        (["--gold-set", "nowhere"], "no such gold set directory"),
        (["--baseline", "nowhere.json"], "file not found"),
        (["--templates", "nowhere"], "no such folder of templates"),
        (["--base-latest", "nowhere.json"], "file not found"),
        (["--colour"], "--colour"),
    ],
)
def test_a_wrong_argument_is_one_line_exit_code_2_and_nothing_written(
    place: Path, bot: Bot, arguments: list[str], message: str
) -> None:
    done = bot("run", "--gold-set", "gold", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not DATA.exists()
    assert not Path("out").exists()


def test_an_output_folder_that_cannot_be_written_leaves_the_history_alone(
    place: Path, bot: Bot
) -> None:
    Path("file").write_text("x")
    done = bot("run", "--gold-set", "gold", "--out", "file/out")
    assert done.code == 2
    assert "file/out/latest.json: file is no folder" in done.err
    assert not DATA.exists()


def test_without_a_command_the_help_is_shown(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["extraction-bot"])
    done = bot()
    assert (done.code, done.err) == (0, "")
    assert "Commands:" in done.out


def test_with_the_bases_report_the_comment_says_what_got_worse_and_better(
    place: Path, bot: Bot
) -> None:
    bot("run", "--gold-set", "gold", "--out", "good")
    corrupt_cassettes(place / "gold", drop_a_label)
    bot("run", "--gold-set", "gold", "--out", "bad", "--base-latest", "good/latest.json")
    assert "What got worse (1)" in Path("bad/comment.md").read_text()
    bot("evaluate", "--gold-set", "gold", "--out", "bad/latest.json")
    render = ("render-comment", "--latest", "good/latest.json", "--base-latest", "bad/latest.json")
    bot(*render, "--out", "again.md")
    assert "What got better (1)" in Path("again.md").read_text()
    bot(*render[:3], "--base-latest", "good/latest.json", "--out", "same.md")
    assert "What got" not in Path("same.md").read_text()
