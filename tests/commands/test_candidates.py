"""`candidates` and `validate` on staged candidates, as typed on a command line."""

import json
from pathlib import Path

import pytest

from bot.candidates.record import CandidateRecord, new_id
from tests.commands.conftest import Bot
from tests.support.candidates import candidate, encoded, fields, id_at, stage

SEPTEMBER = 1_788_220_800_000  # 2026-09-01T00:00:00Z in milliseconds
DAY = 86_400_000


@pytest.fixture
def staged(place: Path) -> list[CandidateRecord]:
    """Five candidates in `staging/`, made on the first five days of September 2026."""
    kinds = ["lesson", "decision", "lesson", "constraint", "lesson"]
    records = [
        candidate(id=id_at(SEPTEMBER + day * DAY), kind=kind) for day, kind in enumerate(kinds)
    ]
    stage(place / "staging", *records)
    return records


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


def listed(bot: Bot, *flags: str) -> list[str]:
    done = bot("candidates", "list", "staging", "--format", "jsonl", *flags)
    assert (done.code, done.err) == (0, "")
    return ids(done.out)


def test_list_shows_a_line_a_candidate_oldest_first(
    bot: Bot, staged: list[CandidateRecord]
) -> None:
    done = bot("candidates", "list", "staging")
    assert (done.code, done.err) == (0, "")
    header, *lines = done.out.splitlines()
    assert header.startswith("ID ")
    assert [line.split()[0] for line in lines] == [record.id for record in staged]


def test_list_filters_by_kind_run_and_time(bot: Bot, staged: list[CandidateRecord]) -> None:
    everything = [record.id for record in staged]
    assert listed(bot) == everything
    assert listed(bot, "--kind", "lesson") == everything[::2]
    assert listed(bot, "--run", new_id()) == []
    assert listed(bot, "--since", "2026-09-04") == everything[3:]
    assert listed(bot, "--until", "2026-09-03T02:00:00+02:00") == everything[:2]
    assert listed(bot, "--since", "2026-09-02", "--until", "2026-09-04") == everything[1:3]


def test_pages_follow_each_other_without_a_gap(bot: Bot, staged: list[CandidateRecord]) -> None:
    found: list[str] = []
    more: list[str] = []
    for rest in (3, 1, 0):
        done = bot("candidates", "list", "staging", "--format", "jsonl", "--limit", "2", *more)
        found += ids(done.out)
        assert bool(rest) == done.err.startswith("more: --after ")
        more = done.err.split()[1:]
    assert found == [record.id for record in staged]


def test_fifty_are_listed_when_no_limit_is_given(place: Path, bot: Bot) -> None:
    stage(place / "staging", *(candidate() for _ in range(51)))
    done = bot("candidates", "list", "staging", "--format", "jsonl")
    assert len(ids(done.out)) == 50
    assert done.err == f"more: --after {ids(done.out)[-1]}\n"


def test_what_is_no_record_is_counted_on_standard_error_and_stops_nothing(
    place: Path, bot: Bot, staged: list[CandidateRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(25):
        (place / "staging" / f"note-{number:02}\n.md").write_text("mine")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = bot("candidates", "list", "staging", "--format", "jsonl")
    assert done.code == 0
    assert ids(done.out) == [record.id for record in staged]
    *first, count = done.err.splitlines()
    assert len(first) == 20
    assert first[0] == ("warning: note-00\\n.md: is no record's file: its name is not <id>.json")
    assert count == "warning: skipped 25, no valid records"


def test_the_markdown_leaves_room_for_a_decision_on_each(
    bot: Bot, staged: list[CandidateRecord]
) -> None:
    done = bot("candidates", "list", "staging", "--format", "markdown")
    assert done.out.count("\n- decision:\n- reason:\n") == 5


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--kind", "memory"], "--kind 'memory' is none of preference, working_assumption"),
        (["--run", "7"], "--run '7' is no UUIDv7"),
        (["--since", "soon"], "--since 'soon' is no date or time"),
        (["--until", "0001-01-01T00:00:00+23:00"], "--until '0001-01-01T00:00:00+23:00' is no"),
        (["--since", "2026-09-02", "--until", "2026-09-02"], "--since is not before --until"),
        (["--format", "csv"], "--format 'csv' is none of table, markdown, jsonl"),
        (["--limit", "0"], "'--limit': 0 is not in the range 1<=x<=1000"),
        (["--limit", "1001"], "'--limit': 1001 is not in the range"),
        (["--after", "../gold"], "'../gold' is no candidate's id"),
    ],
)
def test_a_flag_that_cannot_be_used_is_bad_input(
    bot: Bot, staged: list[CandidateRecord], flags: list[str], said: str
) -> None:
    done = bot("candidates", "list", "staging", *flags)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_folder_that_is_none_is_bad_input(place: Path, bot: Bot) -> None:
    (place / "file").write_text("")
    for name, said in (("nowhere", "No such file or directory"), ("file", "Not a directory")):
        done = bot("candidates", "list", name)
        assert (done.code, done.err) == (2, f"error: {name}: cannot be listed: {said}\n")


def test_schema_prints_the_committed_schema(bot: Bot) -> None:
    committed = Path(__file__).parent.parent.parent / "web_data" / "candidate-record.schema.json"
    assert bot("candidates", "schema").out == committed.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["list", "schema"])
def test_help_has_an_example(bot: Bot, command: str) -> None:
    done = bot("candidates", command, "--help")
    assert done.code == 0
    assert f"Example: extraction-bot candidates {command}" in done.out


# validate


def test_validate_accepts_a_record_under_its_id(bot: Bot, staged: list[CandidateRecord]) -> None:
    name = f"staging/{staged[0].id}.json"
    done = bot("validate", name)
    assert done.code == 0
    assert done.out.startswith(f"{name}: valid candidate record, a lesson of run ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (fields(claim=" "), "claim: is blank"),
        (fields(schema_version=1), "schema_version: only version 2 is known"),
        ({"claim": "all of it"}, "schema_version: Field required"),
        ({"extract_run_id": "x"}, "schema_version: Field required"),
        ({"decisions": []}, "is a batch payload (holds decisions), which has no reader"),
        ({"requests": [{"claim": "one"}]}, "is a batch payload (holds requests)"),
        (fields(overview="x" * 20_000), "is larger than 16,384 bytes"),
    ],
)
def test_validate_refuses_what_the_schema_refuses(
    place: Path, bot: Bot, value: dict[str, object], said: str
) -> None:
    path = place / f"{value.get('id', new_id())}.json"
    path.write_bytes(encoded(value))
    done = bot("validate", str(path))
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_validate_refuses_a_record_under_another_name(
    place: Path, bot: Bot, staged: list[CandidateRecord]
) -> None:
    path = place / "staging" / f"{staged[0].id}.json"
    other = path.rename(path.with_name(f"{new_id()}.json"))
    assert f"its name is not its id, which is {staged[0].id}" in bot("validate", str(other)).err
    other = other.rename(path.with_name("candidate.json"))
    assert "its name is not <id>.json" in bot("validate", str(other)).err
    assert bot("validate", str(other)).code == 2
