"""The second suite through the same commands as the first."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.gold_set import CASSETTES, MANIFEST
from tests.commands.conftest import Bot, load
from tests.commands.live import KEY, configure
from tests.model_server import replies
from tests.model_server.server import ModelServer
from tests.support.gold import edit_jsonl, json_lines

SUITE = ("--suite", "candidate_staging")
GOLD = Path("staging-gold")
LATEST = Path("out/candidate_staging/latest.json")
DATA = Path("web_data/candidate-staging-benchmark-data.json")

CONVERSATIONS = {
    "cap": ["We cap spending at 400 euros a month, the bank says so.", "And I like tabs."],
    "retry": ["The retry doubled the invoices of March."],
    "thanks": ["Thanks, that was all for today."],
}


def candidate(kind: str, claim: str, excerpt: str, entry: int = 0) -> dict[str, Any]:
    return {
        "kind": kind,
        "claim": claim,
        "why_useful": "For later work",
        "evidence": [
            {"id": "E001", "kind": "message", "entry_range": [entry, entry], "excerpt": excerpt}
        ],
        "source_refs": [{"entry_range": [entry, entry], "evidence_id": "E001"}],
    }


EXPECTED = {
    "cap": [
        candidate("constraint", "Spending is capped at 400 euros a month", "We cap spending"),
        candidate("preference", "The user likes tabs", "I like tabs", 1),
    ],
    "retry": [candidate("lesson", "The retry doubled the invoices of March", "The retry doubled")],
    "thanks": [],
}


@pytest.fixture
def gold(place: Path, bot: Bot) -> Path:
    """A small gold set of candidates whose baseline is what its oracle scores."""
    GOLD.mkdir()
    rows = [
        {
            "conversation_id": name,
            "turns": [
                {"turn_index": i, "role": "user", "content": text} for i, text in enumerate(texts)
            ],
        }
        for name, texts in CONVERSATIONS.items()
    ]
    (GOLD / "conversations.jsonl").write_text(json_lines(rows))
    expected = [{"conversation_id": name, "expected": found} for name, found in EXPECTED.items()]
    (GOLD / "expected_candidates.jsonl").write_text(json_lines(expected))
    manifest = {
        "gold_set": "staging",
        "model": "gpt-4o-mini",
        "recorded_at": "2026-09-03T21:10:26Z",
        "conversation_count": 3,
        "cassette_count": 3,
        "cassette_kind": "oracle_aligned_expected_json",
    }
    (GOLD / MANIFEST).write_text(json.dumps(manifest))
    empty = {"schema_version": 1, "gold_set": "staging", "policy": {}, "providers": {}}
    (GOLD / "baseline_results.json").write_text(json.dumps(empty))
    configure(
        f'[suites.candidate_staging]\ngold_set = "{GOLD}"\n[live]\nfirst_wait_seconds = 0.01\n'
    )
    assert bot("refresh-manifest", "--gold-set", str(GOLD), *SUITE).code == 0
    set_baseline(bot)
    return GOLD


def set_baseline(bot: Bot) -> None:
    """A report of this small set leaves three kinds undefined, so the bar is given by hand."""
    done = bot("evaluate", *SUITE, "--out", str(LATEST))
    assert done.code == 0, done.err
    report = load(LATEST)
    metrics = {
        name: 0.0 if (v := report["metrics"][name]) is None else v
        for name in report["gated_metrics"]
    }
    block = {
        "model": "gpt-4o-mini",
        "enforcement": "ci",
        "source": "cassette",
        "last_refreshed": "2026-09-03",
        "metrics": metrics,
    }
    baseline = load(GOLD / "baseline_results.json") | {"providers": {"openai": block}}
    (GOLD / "baseline_results.json").write_text(json.dumps(baseline))


def corrupt(edit: Any) -> None:
    edit_jsonl(GOLD / CASSETTES, edit)
    manifest = load(GOLD / MANIFEST)
    manifest["cassettes_sha256"] = hashlib.sha256((GOLD / CASSETTES).read_bytes()).hexdigest()
    (GOLD / MANIFEST).write_text(json.dumps(manifest))


def test_the_built_in_suite_runs_with_one_flag(place: Path, bot: Bot) -> None:
    done = bot("run", *SUITE, "--sha", "c0ffee1", "--run-number", "7")
    assert done.code == 0, done.err
    assert "gate: pass" in done.out
    assert "all 17 checks hold" in done.out
    (run,) = load(DATA)["runs"]
    assert load(DATA)["benchmark"] == "candidate_staging"
    assert run["gold_set"] == "candidates-v1"
    assert run["counts"]["evidence"]["right"] == run["counts"]["predicted_candidates"]
    assert load(LATEST)["benchmark"] == "candidate_staging"
    assert Path("web_data/archive/candidate-staging.jsonl").read_text().count("\n") == 1
    comment = Path("out/candidate_staging/comment.md").read_text()
    assert "Candidate staging: PASS" in comment
    assert "Kinds right" in comment
    assert "| Kind | Precision | Recall | F1 | Gold candidates |" in comment


def test_both_suites_run_side_by_side_and_touch_none_of_each_others_files(
    place: Path, bot: Bot
) -> None:
    assert bot("run", "--gold-set", "gold").code == 0
    first = {
        p: p.read_bytes()
        for p in (*Path("out").glob("*"), *Path("web_data").rglob("*"))
        if p.is_file()
    }
    assert bot("run", *SUITE).code == 0
    assert {path: path.read_bytes() for path in first} == first


def test_a_wrong_kind_fails_the_gate_and_the_comment_says_where(
    place: Path, bot: Bot, gold: Path
) -> None:
    def as_decision(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"raw_json": row["raw_json"].replace('"lesson"', '"decision"')}

    corrupt(as_decision)
    done = bot("run", *SUITE)
    assert done.code == 1
    assert "openai.recall_lesson dropped 100.00 points" in done.err
    comment = Path("out/candidate_staging/comment.md").read_text()
    assert "wrong kind" in comment
    assert "<code>retry</code>" in comment


def test_evidence_that_is_not_there_fails_the_gate(place: Path, bot: Bot, gold: Path) -> None:
    corrupt(lambda row: row | {"raw_json": row["raw_json"].replace("I like tabs", "I love tabs")})
    done = bot("run", *SUITE)
    assert done.code == 1
    assert "openai.evidence_validity dropped 33.33 points" in done.err
    assert "E001 does not occur in entries 1 to 1" in Path(
        "out/candidate_staging/comment.md"
    ).read_text().replace("&#95;", "_")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda row: row | {"conversation_id": "nobody"}, "'nobody' is not in conversations.jsonl"),
        (lambda row: None if row["conversation_id"] == "cap" else row, "'cap' has no row"),
        (
            lambda row: (
                row
                | {
                    "expected": [
                        candidate("constraint", "A claim of some length", "not there at all")
                    ]
                }
            ),
            "does not occur in entries",
        ),
        (
            lambda row: row | {"expected": [candidate("rumour", "A claim of some length", "We")]},
            "expected.0.kind: Input should be",
        ),
    ],
)
def test_a_gold_set_that_contradicts_itself_is_bad_input(
    place: Path, bot: Bot, gold: Path, edit: Any, message: str
) -> None:
    edit_jsonl(GOLD / "expected_candidates.jsonl", edit)
    done = bot("run", *SUITE)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_the_gold_set_is_validated_as_what_it_is(place: Path, bot: Bot, gold: Path) -> None:
    set_baseline(bot)
    done = bot("validate", str(GOLD))
    assert done.code == 0, done.err
    assert "gold set staging, 3 conversations" in done.out


def test_a_report_of_one_suite_is_no_report_of_the_other(place: Path, bot: Bot, gold: Path) -> None:
    bot("evaluate", *SUITE, "--out", str(LATEST))
    baseline = ("--baseline", "gold/baseline_results.json")
    done = bot("gate", "--latest", str(LATEST), *baseline, "--out", "g.json")
    assert done.code == 2
    assert "is no report of benchmark 'extraction_quality'" in done.err
    done = bot("baseline", "set", "openai", "--latest", str(LATEST), *baseline)
    assert done.code == 2
    assert "is a report of suite 'candidate_staging'" in done.err


def test_an_unknown_suite_is_bad_input(place: Path, bot: Bot) -> None:
    done = bot("run", "--suite", "speed")
    assert done.code == 2
    assert "use one of: extraction_quality, candidate_staging" in done.err


def test_settings_of_an_unknown_suite_are_bad_input(place: Path, bot: Bot) -> None:
    configure('[suites.speed]\ngold_set = "x"\n')
    done = bot("run")
    assert done.code == 2
    assert "'speed' is no suite" in done.err


def test_the_oracle_policy_guards_the_candidates_prompt_too(
    place: Path, bot: Bot, gold: Path
) -> None:
    Path("files").write_bytes(b"M\0bot/candidates/prompt.py\0")
    flags = ("--manifest", str(GOLD / MANIFEST), "--changed-files", "files", "--pr-body", "x")
    assert bot("check-oracle-policy", *flags, *SUITE).code == 1
    assert bot("check-oracle-policy", *flags).code == 0, "no path of the suite of memories"


# --- live


@pytest.fixture
def server(gold: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with ModelServer().running() as running:
        answers = {texts[0]: EXPECTED[name] for name, texts in CONVERSATIONS.items()}
        running.default = lambda asked: replies.Reply(
            body=replies.completion(
                json.dumps(
                    {
                        "candidates": next(
                            found
                            for text, found in answers.items()
                            if text in asked.body["messages"][1]["content"]
                        )
                    }
                )
            )
        )
        monkeypatch.setenv("EXTRACTION_EVAL_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


def test_a_model_is_asked_for_candidates_and_recorded(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = bot("evaluate", *SUITE, "--mode", "record", "--out", str(LATEST))
    assert done.code == 0, done.err
    assert len(server.asked) == 3
    body = server.asked[0].body
    assert "candidates for long-term memory" in " ".join(body["messages"][0]["content"].split())
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["candidates"]
    assert load(GOLD / MANIFEST)["cassette_kind"] == "live_openai_recorded"
    assert load(LATEST)["metrics"]["kind_accuracy"] == 1.0
    assert bot("evaluate", *SUITE, "--out", str(LATEST)).code == 0


def test_too_many_candidates_are_rejected_and_never_cut(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    many = [candidate("lesson", f"Lesson number {n} of many", "The retry") for n in range(21)]
    server.default = replies.says(json.dumps({"candidates": many}))
    bot("evaluate", *SUITE, "--mode", "live", "--out", str(LATEST))
    assert load(LATEST)["answering"]["failures"] == {"schema_violation": 3}


def test_another_systems_candidates_are_scored_from_a_file(
    place: Path, bot: Bot, gold: Path
) -> None:
    rows = [{"conversation_id": name, "candidates": found} for name, found in EXPECTED.items()]
    Path("theirs.jsonl").write_text(json_lines(rows))
    done = bot("evaluate", *SUITE, "--provider", "file:theirs.jsonl", "--out", str(LATEST))
    assert done.code == 0, done.err
    assert load(LATEST)["metrics"]["kind_accuracy"] == 1.0


def test_two_reports_of_the_suite_are_compared(place: Path, bot: Bot, gold: Path) -> None:
    bot("evaluate", *SUITE, "--out", "a.json")
    bot("evaluate", *SUITE, "--provider", "keyword", "--out", "b.json")
    done = bot("compare", "a.json", "b.json")
    assert done.code == 0, done.err
    assert "evidence_validity" in done.out
    bot("evaluate", "--gold-set", "gold", "--out", "c.json")
    assert "reports are of suites" in bot("compare", "a.json", "c.json").err
