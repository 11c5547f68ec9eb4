"""Candidates listed one at a time: which, in what order, and with no harm from their texts."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given

from bot.candidates.consolidation import (
    FORMATS,
    CandidateFilter,
    Page,
    candidate_views,
    take_page,
)
from bot.candidates.record import CandidateRecord, new_id, record_to_json
from bot.escape import visible
from tests.support.candidates import RUN_ID, candidate, fields, id_at
from tests.support.github_markdown import read
from tests.test_escape import NASTY, characters

START = datetime(2026, 9, 1, tzinfo=UTC)


def made_after(seconds: int, **changes: Any) -> CandidateRecord:
    return candidate(id=id_at(round(START.timestamp() + seconds) * 1000), **changes)


def page(*records: CandidateRecord, limit: int = 50, **wanted: Any) -> Page:
    return take_page(candidate_views(iter(records), CandidateFilter(**wanted)), limit)


def listed(*records: CandidateRecord, **wanted: Any) -> list[str]:
    return [view.record.id for view in page(*records, **wanted).views]


def shown(form: str, *records: CandidateRecord) -> str:
    return "\n".join(FORMATS[form](page(*records)))


def test_two_equal_candidates_stay_two() -> None:
    twins = [made_after(1), made_after(2)]
    assert listed(*twins) == [twin.id for twin in twins]
    for form in FORMATS:
        text = shown(form, *twins)
        assert all(text.count(twin.id) == 1 for twin in twins), form


def test_the_kind_and_the_run_are_filtered() -> None:
    other_run = new_id()
    lesson, other = made_after(1, kind="lesson"), made_after(2, extract_run_id=other_run)
    assert listed(lesson, other, kind="lesson") == [lesson.id]
    assert listed(lesson, other, run_id=other_run) == [other.id]
    assert listed(lesson, other, run_id=RUN_ID, kind="preference") == []


def test_a_period_holds_its_start_and_not_its_end() -> None:
    records = [made_after(seconds) for seconds in (0, 10, 20)]
    since, until = START + timedelta(seconds=10), START + timedelta(seconds=20)
    assert listed(*records, since=since) == [records[1].id, records[2].id]
    assert listed(*records, until=until) == [records[0].id, records[1].id]
    assert listed(*records, since=since, until=until) == [records[1].id]


def test_the_rest_of_the_folder_is_not_read_after_the_end_of_the_period() -> None:
    late = made_after(20)
    records = iter([made_after(0), late, made_after(30)])
    wanted = CandidateFilter(until=late.created_at)
    assert len(list(candidate_views(records, wanted))) == 1
    assert len(list(records)) == 1


@pytest.mark.parametrize(
    ("limit", "shown_ids", "more"), [(1, 1, True), (2, 2, True), (3, 3, False)]
)
def test_a_page_says_where_to_go_on_only_when_there_is_more(
    limit: int, shown_ids: int, more: bool
) -> None:
    first = page(*(made_after(seconds) for seconds in range(3)), limit=limit)
    assert len(first.views) == shown_ids
    assert first.more_after == (first.views[-1].record.id if more else None)


def test_an_empty_page_is_the_end() -> None:
    assert page() == Page((), None)
    assert shown("markdown") == ""
    assert shown("jsonl") == ""
    assert shown("table").split() == ["ID", "KIND", "CREATED", "EVIDENCE", "REFS", "CLAIM"]


def test_json_lines_are_the_whole_records() -> None:
    records = [made_after(1), made_after(2, evidence=[], source_refs=[])]
    lines = shown("jsonl", *records).split("\n")
    assert [json.loads(line) for line in lines] == [
        json.loads(record_to_json(record)) for record in records
    ]


def test_the_table_has_a_line_a_candidate() -> None:
    record = made_after(1, claim="One\nlong \u202eclaim " + "x" * 200)
    header, line = shown("table", record).split("\n")
    assert line.split()[:5] == [record.id, "preference", "2026-09-01T00:00:01Z", "1", "1"]
    claim = line[header.index("CLAIM") :]
    assert claim.startswith("One long \\u202eclaim xxx")
    assert claim.endswith("x…")
    assert len(claim) == 100


def test_the_markdown_says_everything_and_leaves_room_for_a_decision() -> None:
    record = made_after(1)
    text = shown("markdown", record)
    assert "\n- decision:\n- reason:\n" in text
    seen = read(text).text
    for said in (
        f"preference {record.id}",
        "claim: Ada wants short commit messages.",
        "why useful: Later sessions write commits for her.",
        "staleness: She changes teams.",
        f"created: 2026-09-01T00:00:01Z, in run {RUN_ID}",
        f"source: segment {record.source.segment_id}, entries 10 to 40",
        "evidence: 1",
        "E001 message; entries 12 to 14; summary: Ada asks for short subjects.; "
        "excerpt: Keep the subject under 50 characters.",
        "references: 1",
        f"session s-1; segment {record.source.segment_id}; evidence E001; kind message; "
        "entries 12 to 14; label: her request; summary: what she asked for",
    ):
        assert said in seen


def test_the_markdown_leaves_out_what_a_record_leaves_out() -> None:
    written = fields(evidence=[{"id": "E1", "kind": "m", "entry_range": [11, 11]}], source_refs=[])
    del written["staleness"]
    seen = read(shown("markdown", CandidateRecord.model_validate(written))).text
    assert "staleness" not in seen
    assert "E1 m; entry 11\n" in seen
    assert "references: 0" in seen


def everywhere(text: str) -> CandidateRecord:
    """A record that holds `text` wherever it may hold text."""
    refs = [dict.fromkeys(("session_id", "segment_id", "label", "summary"), text)]
    return made_after(
        1,
        claim=text,
        why_useful=text,
        staleness=text,
        source={"segment_id": text, "range": [10, 40]},
        evidence=[{"id": "E1", "kind": "m", "excerpt": text, "summary": text}],
        source_refs=refs,
    )


def check_inert(text: str) -> None:
    reader = read(shown("markdown", everywhere(text), made_after(2)))
    assert set(reader.tags) <= {"h3", "ul", "li", "code", "p"}
    assert reader.tags.count("h3") == 2
    assert reader.tags.count("li") == 22  # two records: nine lines each and two in the lists
    assert (reader.comments, reader.links, reader.linkable) == ([], [], [])
    assert " ".join(reader.text.split()).count(visible(text)) >= 10


@pytest.mark.parametrize("nasty", [text for text in NASTY if "\r" not in text])
def test_a_text_shows_as_itself_and_does_nothing(nasty: str) -> None:
    check_inert(nasty[:100])


@given(characters)
def test_no_text_breaks_the_list(text: str) -> None:
    text = text.replace("\r", "")[:100]
    if any(not char.isspace() and char != "\u202e" for char in text):
        check_inert(text)


def test_the_longest_text_is_shown_whole_even_when_all_of_it_is_escaped() -> None:
    seen = read(shown("markdown", made_after(1, claim="a" + "\u202e" * 499))).text
    assert seen.count("\\u202e") == 499
