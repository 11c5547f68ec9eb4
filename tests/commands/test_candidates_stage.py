"""`candidates stage`: what an extractor answered, as staging records."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.candidates.record import CandidateRecord, parse_record
from bot.candidates.store import CandidateStore
from tests.commands.conftest import Bot, Done, load
from tests.support.gold import Said, json_lines, memory, write_gold_set

LATEST = Path("out/latest.json")
ANSWERS = Path("out/latest.answers.jsonl")
TALK = {
    "desk": [
        Said(
            "Hello there. I prefer a window desk until 30 September 2026! We deploy on Fridays.",
            (
                memory("User prefers a window desk", "preference", until="2026-09-30T23:59:59Z"),
                memory("The team deploys on Fridays", "behavioral"),
            ),
        ),
        Said(
            "I like tea, and rotate the key.", (memory("User likes tea", "preference", "factual"),)
        ),
    ],
    "long": [Said("Noted at length.", (memory("User likes " + "x" * 600, "preference"),))],
    "thanks": [Said("Thanks!")],
}


@pytest.fixture
def talk(place: Path, bot: Bot) -> None:
    write_gold_set(place / "gold", TALK)
    assert bot("evaluate", "--gold-set", "gold", "--out", str(LATEST)).code == 0


def stage(bot: Bot, *arguments: str, out: str = "staging") -> Done:
    return bot("candidates", "stage", "--out", out, "--gold-set", "gold", *arguments)


def records(folder: str = "staging") -> list[CandidateRecord]:
    found = list(CandidateStore(Path(folder)).entries())
    assert all(isinstance(record, CandidateRecord) for record in found)
    return [record for record in found if isinstance(record, CandidateRecord)]


def test_preferences_become_candidates_with_their_turn_and_a_snippet_of_it(
    talk: None, bot: Bot
) -> None:
    done = stage(bot, "--latest", str(LATEST))
    assert done.code == 0, done.err
    desk, tea = records()
    assert (desk.kind, desk.claim) == ("preference", "User prefers a window desk")
    assert desk.staleness == "Holds until 2026-09-30T23:59:59+00:00"
    assert desk.source.segment_id == "desk"
    assert desk.source.range == (0, 1)
    assert desk.evidence[0].excerpt == "I prefer a window desk until 30 September 2026!"
    assert desk.evidence[0].entry_range == desk.source_refs[0].entry_range == (0, 0)
    assert tea.evidence[0].entry_range == (1, 1)
    assert desk.extract_run_id == tea.extract_run_id, "one conversation is one extract run"
    assert desk.id < tea.id


def test_what_the_kinds_cannot_express_is_left_out_and_counted(talk: None, bot: Bot) -> None:
    done = stage(bot, "--latest", str(LATEST))
    assert "2 candidates staged" in done.out
    assert "left out: 1 no kind for behavioral" in done.out
    assert "left out: 1 longer than a claim may be" in done.out


def test_the_answers_lie_beside_the_report_and_are_its_own(talk: None, bot: Bot) -> None:
    rows = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    assert [row["conversation_id"] for row in rows] == ["desk", "long", "thanks"]
    done = bot("evaluate", "--gold-set", "gold", "--provider", f"file:{ANSWERS}", "--out", "b.json")
    assert done.code == 0
    assert load(Path("b.json"))["metrics"] == load(LATEST)["metrics"]


def test_other_answers_do_not_pass_for_the_reports(talk: None, bot: Bot) -> None:
    ANSWERS.write_text(ANSWERS.read_text().replace("window", "corner"))
    done = stage(bot, "--latest", str(LATEST))
    assert done.code == 2
    assert "are not the answers of this report" in done.err
    assert not Path("staging").exists()


def test_a_report_without_answers_says_what_to_do(talk: None, bot: Bot) -> None:
    ANSWERS.unlink()
    done = stage(bot, "--latest", str(LATEST))
    assert done.code == 2
    assert "evaluate again" in done.err


def test_the_report_of_an_older_producer_has_none(place: Path, bot: Bot, existing: Path) -> None:
    done = stage(bot, "--latest", str(existing / "latest.older-producer.json"))
    assert done.code == 2
    assert "the report's answers are not there" in done.err


def test_answers_alone_are_staged_too(talk: None, bot: Bot) -> None:
    done = stage(bot, "--answers", str(ANSWERS))
    assert done.code == 0, done.err
    assert len(records()) == 2


def test_the_cassettes_of_a_gold_set_are_answers(talk: None, bot: Bot) -> None:
    assert stage(bot, "--answers", "gold/openai_cassettes.jsonl").code == 0
    assert len(records()) == 2


def test_staging_twice_stages_new_records_and_overwrites_none(talk: None, bot: Bot) -> None:
    stage(bot, "--latest", str(LATEST))
    before = {path: path.read_bytes() for path in Path("staging").glob("*.json")}
    stage(bot, "--latest", str(LATEST))
    assert {path: path.read_bytes() for path in before} == before
    assert len(records()) == 4


@pytest.mark.parametrize(
    ("rows", "count", "message"),
    [
        ([{"conversation_id": "desk", "raw_json": "no"}], 0, "1 an answer that is invalid_json"),
        (
            [
                {
                    "conversation_id": "desk",
                    "turn_index": 9,
                    "memories": [memory("User likes it", "preference")],
                }
            ],
            0,
            "1 evidence or entries that are not there",
        ),
    ],
)
def test_an_answer_that_cannot_be_used_is_counted(
    talk: None, bot: Bot, rows: list[dict[str, Any]], count: int, message: str
) -> None:
    Path("a.jsonl").write_text(json_lines(rows))
    done = stage(bot, "--answers", "a.jsonl")
    assert done.code == 0
    assert f"left out: {message}" in done.out
    assert f"{count} candidates staged" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "neither --latest nor --answers"),
        (["--latest", "nowhere.json"], "nowhere.json: file not found"),
        (["--answers", "nowhere.jsonl"], "nowhere.jsonl: file not found"),
        (["--answers", "other.jsonl"], "'nobody' is not in the gold set"),
        (["--answers", "other.jsonl", "--suite", "speed"], "unknown suite 'speed'"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    talk: None, bot: Bot, arguments: list[str], message: str
) -> None:
    Path("other.jsonl").write_text('{"conversation_id": "nobody", "raw_json": "{}"}\n')
    done = stage(bot, *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not Path("staging").exists()


def test_the_candidates_of_the_second_suite_are_staged_as_they_are(place: Path, bot: Bot) -> None:
    bot("evaluate", "--suite", "candidate_staging", "--out", "c/latest.json")
    done = bot("candidates", "stage", "--latest", "c/latest.json", "--out", "staging")
    assert done.code == 0, done.err
    found = records()
    assert len(found) == load(Path("c/latest.json"))["counts"]["gold_candidates"]
    assert len({record.extract_run_id for record in found}) > 50
    for path in list(Path("staging").glob("*.json"))[:5]:
        assert bot("validate", str(path)).code == 0
        assert parse_record(path.read_bytes()).id == path.stem


def test_a_candidate_whose_evidence_is_not_there_is_not_staged(place: Path, bot: Bot) -> None:
    bot("evaluate", "--suite", "candidate_staging", "--out", "c/latest.json")
    rows = [json.loads(line) for line in Path("c/latest.answers.jsonl").read_text().splitlines()]
    (row,) = (row for row in rows if row["conversation_id"] == "swimming-club-lanes")
    row["candidates"][0]["evidence"][0]["excerpt"] = "We own the whole pool"
    Path("a.jsonl").write_text(json_lines([row]))
    done = bot(
        *("candidates", "stage", "--answers", "a.jsonl", "--out", "staging"),
        *("--suite", "candidate_staging"),
    )
    assert done.code == 0, done.err
    assert "left out: 1 evidence or entries that are not there" in done.out
