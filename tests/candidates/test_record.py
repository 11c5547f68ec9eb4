"""A candidate record: what it holds, what it refuses, and that it comes back byte for byte."""

import json
import string
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.candidates.record import (
    BATCH_KEYS,
    MAX_RECORD_BYTES,
    CandidateRecord,
    candidate_json_schema,
    new_id,
    parse_record,
    record_to_json,
)
from bot.errors import BadInput
from tests.support.candidates import SEGMENT_ID, candidate, encoded, fields, id_at


def evidence(**changes: Any) -> dict[str, Any]:
    return {"id": "E001", "kind": "message", **changes}


def refusal(**changes: Any) -> str:
    """What is said of a record with these fields."""
    with pytest.raises(BadInput) as caught:
        parse_record(encoded(fields(**changes)), "x.json")
    message = str(caught.value)
    assert message.startswith("x.json: ")
    assert "\n" not in message
    return message


def refusal_of_evidence(**changes: Any) -> str:
    return refusal(evidence=[evidence(**changes)], source_refs=[])


# What it holds


def test_a_record_comes_back_with_all_its_fields() -> None:
    written = fields()
    record = parse_record(record_to_json(parse_record(encoded(written))))
    assert json.loads(record_to_json(record)) == written


def test_absent_values_are_left_out_and_keys_stand_in_the_order_of_the_schema() -> None:
    written = fields(evidence=[evidence()], source_refs=[{"label": "ticket"}])
    del written["staleness"]
    shuffled = dict(reversed(written.items()))
    data = record_to_json(parse_record(encoded(shuffled)))
    assert json.loads(data) == written
    assert list(json.loads(data)) == list(written)
    assert data == record_to_json(parse_record(encoded({**written, "staleness": None})))


def test_a_candidate_needs_no_evidence_and_no_reference() -> None:
    record = candidate(evidence=[], source_refs=[])
    assert (record.evidence, record.source_refs) == ((), ())


@pytest.mark.parametrize(
    "kind",
    ["preference", "working_assumption", "constraint", "decision", "open_question", "lesson"],
)
def test_the_six_kinds_are_known(kind: str) -> None:
    assert candidate(kind=kind).kind == kind


@pytest.mark.parametrize("kind", ["message", "objective_ref", "of_tomorrow", "k8s", "x" * 40])
def test_kinds_of_evidence_are_open(kind: str) -> None:
    assert candidate(evidence=[evidence(kind=kind)], source_refs=[]).evidence[0].kind == kind


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        setattr(candidate(), "claim", "another")  # noqa: B010  mypy forbids it too


def test_ids_of_a_process_are_distinct_and_sort_by_creation() -> None:
    ids = [new_id() for _ in range(20_000)]
    assert sorted(ids) == ids
    assert len(set(ids)) == len(ids)


def test_a_record_knows_when_its_id_was_made() -> None:
    # 2024-10-09T00:00:00.123Z: 20,005 days after 1970-01-01
    record = candidate(id=id_at(20_005 * 86_400_000 + 123))
    assert record.created_at.isoformat() == "2024-10-09T00:00:00.123000+00:00"


words = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=40
).filter(lambda text: any(c.isprintable() and not c.isspace() for c in text))
tags = st.from_regex(r"\A[a-z][a-z0-9]{0,6}(_[a-z0-9]{1,6}){0,3}\Z")
ranges = st.tuples(st.integers(10, 40), st.integers(10, 40)).map(sorted)
times = st.integers(0, 253_402_300_799_999)
ids = st.builds(id_at, times, st.integers(0, 2**48 - 1))


def optional(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.text(string.ascii_letters, min_size=1, max_size=6), unique=True))[:8]
    pieces = optional(entry_range=ranges, excerpt=words, summary=words)
    anchors = optional(
        session_id=words,
        segment_id=words | st.just(SEGMENT_ID),
        entry_range=ranges,
        evidence_kind=tags,
        label=words,
        summary=words,
        **({"evidence_id": st.sampled_from(names)} if names else {}),
    )
    return fields(
        id=draw(ids),
        extract_run_id=draw(ids),
        claim=draw(words),
        why_useful=draw(words),
        staleness=draw(words),
        evidence=[{"id": name, "kind": draw(tags), **draw(pieces)} for name in names],
        source_refs=draw(st.lists(anchors.filter(bool), max_size=6, unique_by=repr)),
    )


@given(records())
def test_reading_what_was_written_gives_the_same_record_and_the_same_bytes(
    written: dict[str, Any],
) -> None:
    record = CandidateRecord.model_validate(written)
    data = record_to_json(record)
    assert parse_record(data) == record
    assert record_to_json(parse_record(data)) == data
    jsonschema.validate(json.loads(data), candidate_json_schema())


# What it refuses


@pytest.mark.parametrize("key", BATCH_KEYS)
def test_a_batch_payload_of_the_old_form_is_refused_as_such(key: str) -> None:
    with pytest.raises(BadInput, match=f"is a batch payload .holds {key}., which has no reader"):
        parse_record(encoded({key: [{"claim": "one"}, {"claim": "two"}]}))


def test_several_candidates_in_one_file_are_refused() -> None:
    with pytest.raises(BadInput, match="should be a valid dictionary"):
        parse_record(encoded([fields(), fields()]))


@pytest.mark.parametrize("place", ["record", "source", "evidence", "source_refs"])
def test_an_unknown_key_is_refused_wherever_it_stands(place: str) -> None:
    record = fields()
    part = record if place == "record" else record[place]
    (part[0] if isinstance(part, list) else part)["overview"] = "all of it"
    with pytest.raises(BadInput, match="overview: Extra inputs are not permitted"):
        parse_record(encoded(record))


@pytest.mark.parametrize("key", ["schema_version", "id", "source", "kind", "claim"])
def test_a_missing_field_is_named(key: str) -> None:
    record = fields()
    del record[key]
    with pytest.raises(BadInput, match=f"{key}: Field required"):
        parse_record(encoded(record))


def test_a_key_given_twice_is_refused() -> None:
    data = encoded(fields()).replace(b'"kind"', b'"kind": "lesson", "kind"', 1)
    with pytest.raises(BadInput, match="key 'kind' is given twice"):
        parse_record(data)


@pytest.mark.parametrize("version", [1, 3, "2", 2.0, True, None])
def test_another_schema_version_is_refused(version: object) -> None:
    assert "schema_version: only version 2 is known" in refusal(schema_version=version)


@pytest.mark.parametrize("kind", ["Decision", "memory", "", None])
def test_another_kind_of_candidate_is_refused(kind: object) -> None:
    assert "kind: Input should be 'preference', 'working_assumption'" in refusal(kind=kind)


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u3000", "\u200b", "\u2028"])
@pytest.mark.parametrize("field", ["claim", "why_useful", "staleness"])
def test_a_text_that_shows_nothing_is_refused(field: str, blank: str) -> None:
    assert f"{field}: is blank" in refusal(**{field: blank})


@pytest.mark.parametrize("value", [5, True, ["a"], {"a": "b"}])
def test_a_claim_that_is_no_text_is_refused(value: object) -> None:
    assert "claim: Input should be a valid string" in refusal(claim=value)


@pytest.mark.parametrize(("char", "name"), [("\x1b", "001B"), ("\r", "000D"), ("\0", "0000")])
def test_a_control_character_is_refused_by_its_name_and_place(char: str, name: str) -> None:
    assert f"holds the control character U+{name} at 1" in refusal(claim=f"a{char}b")


def test_line_breaks_and_tabs_are_kept() -> None:
    assert candidate(claim="a\n\tb").claim == "a\n\tb"


def test_a_lone_surrogate_is_refused_in_a_value_and_in_a_key() -> None:
    assert "claim: holds a lone surrogate" in refusal(claim="a\ud800")
    assert refusal(**{"\udfff": 1})


# The bounds of CONTRACTS section 10 as STAGING suggests them, written out here once more.
TEXT_BOUNDS = [("claim", 500), ("why_useful", 500), ("staleness", 300)]


@pytest.mark.parametrize(("field", "bound"), TEXT_BOUNDS)
def test_a_text_has_its_bound_and_the_refusal_says_length_and_bound(field: str, bound: int) -> None:
    assert len(getattr(candidate(**{field: "x" * bound}), field)) == bound
    message = refusal(**{field: "x" * (bound + 1)})
    assert f"{field}: has {bound + 1} characters, at most {bound}" in message


@pytest.mark.parametrize(("field", "bound"), [("excerpt", 600), ("summary", 300)])
def test_a_snippet_has_its_bound(field: str, bound: int) -> None:
    candidate(evidence=[evidence(**{field: "x" * bound})], source_refs=[])
    message = refusal_of_evidence(**{field: "x" * (bound + 1)})
    assert f"evidence.0.{field}: has {bound + 1} characters, at most {bound}" in message


@pytest.mark.parametrize(
    ("field", "bound"),
    [("session_id", 128), ("segment_id", 128), ("label", 120), ("summary", 300)],
)
def test_what_a_reference_says_has_its_bound(field: str, bound: int) -> None:
    candidate(source_refs=[{field: "x" * bound}])
    message = refusal(source_refs=[{field: "x" * (bound + 1)}])
    assert f"source_refs.0.{field}: has {bound + 1} characters, at most {bound}" in message


def test_a_text_may_be_japanese_at_full_length_and_is_bounded_in_bytes_too() -> None:
    assert candidate(claim="あ" * 500)  # 3 bytes each: 1,500
    assert "claim: has 1,600 UTF-8 bytes, at most 1500" in refusal(claim="😀" * 400)


def test_a_session_log_offered_as_an_excerpt_is_refused_by_the_bound() -> None:
    log = "".join(f'{{"entry": {n}, "text": "tool result"}}\n' for n in range(200))
    assert f"evidence.0.excerpt: has {len(log):,} characters, at most 600" in refusal_of_evidence(
        excerpt=log
    )


def test_a_file_over_16_kib_is_refused_before_it_is_read_as_json() -> None:
    whole = b'{"log": "' + b"x" * MAX_RECORD_BYTES + b'"}'
    with pytest.raises(BadInput, match="has 16,395 bytes, a record at most 16,384"):
        parse_record(whole)


def test_a_record_that_would_make_too_large_a_file_cannot_be_made() -> None:
    # 8 x (600 + 300) characters of 3 bytes are 21,600 bytes, although each text is within its bound
    pieces = [evidence(id=f"E{n}", excerpt="あ" * 600, summary="あ" * 300) for n in range(8)]
    with pytest.raises(ValueError, match=r"takes 22,\d\d\d bytes as a file, at most 16,384"):
        CandidateRecord.model_validate(fields(evidence=pieces, source_refs=[]))


def test_there_are_at_most_8_pieces_of_evidence_and_16_references() -> None:
    pieces = [evidence(id=f"E{n}", excerpt="x" * 600) for n in range(9)]
    refs = [{"label": f"ticket {n}"} for n in range(17)]
    assert len(candidate(evidence=pieces[:8], source_refs=refs[:16]).source_refs) == 16
    assert "evidence: Tuple should have at most 8 items after validation, not 9" in refusal(
        evidence=pieces
    )
    assert "source_refs: Tuple should have at most 16 items after validation, not 17" in refusal(
        source_refs=refs
    )


@pytest.mark.parametrize("kind", ["Message", "tool call", "_x", "x__y", "x_", "8k", ""])
def test_a_kind_of_evidence_is_a_tag_in_snake_case(kind: str) -> None:
    assert "evidence.0.kind: is no tag in snake_case" in refusal_of_evidence(kind=kind)


def test_a_kind_of_evidence_is_short() -> None:
    assert "has 41 characters, at most 40" in refusal_of_evidence(kind="x" * 41)


@pytest.mark.parametrize("evidence_id", ["", "../x", "E 1", "1", "É1", "E1\n"])
def test_an_evidence_id_is_a_short_name(evidence_id: str) -> None:
    assert "evidence.0.id: is no evidence id such as E001" in refusal_of_evidence(id=evidence_id)


def test_an_evidence_id_given_twice_is_refused() -> None:
    pieces = [evidence(excerpt="a"), evidence(id="E002"), evidence(excerpt="b")]
    assert "evidence id 'E001' is given twice" in refusal(evidence=pieces)


def test_a_reference_given_twice_is_refused() -> None:
    refs = [{"label": "a"}, {"label": "b"}, {"label": "a"}]
    assert "source_refs.2 is given twice" in refusal(source_refs=refs)


def test_a_reference_to_no_evidence_of_the_record_is_refused() -> None:
    assert "source_refs.0.evidence_id 'E002' names no evidence" in refusal(
        source_refs=[{"evidence_id": "E002"}]
    )


def test_an_empty_reference_is_refused() -> None:
    assert "source_refs.0: is empty and leads nowhere" in refusal(source_refs=[{}])


def test_a_range_that_runs_backwards_is_refused_wherever_it_stands() -> None:
    said = "runs backwards, from 14 to 12"
    assert f"source.range: {said}" in refusal(source={"segment_id": "s", "range": [14, 12]})
    assert f"evidence.0.entry_range: {said}" in refusal_of_evidence(entry_range=[14, 12])
    assert f"source_refs.0.entry_range: {said}" in refusal(source_refs=[{"entry_range": [14, 12]}])


@pytest.mark.parametrize("outside", [[9, 12], [40, 41], [0, 100], [50, 60]])
def test_a_range_that_leaves_the_records_source_is_refused(outside: list[int]) -> None:
    said = f"entry_range {outside} leaves the source's range [10, 40]"
    assert f"evidence.0.{said}" in refusal_of_evidence(entry_range=outside)
    assert f"source_refs.0.{said}" in refusal(
        source_refs=[{"segment_id": SEGMENT_ID, "entry_range": outside}]
    )


def test_a_range_may_touch_both_ends_of_the_source_and_lie_anywhere_in_another_segment() -> None:
    candidate(evidence=[evidence(entry_range=[10, 40])], source_refs=[])
    candidate(source_refs=[{"segment_id": "another", "entry_range": [0, 900]}])


@pytest.mark.parametrize(
    "value", [[1], [1, 2, 3], [-1, 2], [1.0, 2], ["1", 2], [True, 2], "12", {"1": 2}, [0, 2**53]]
)
def test_a_range_is_two_whole_numbers_from_0_on(value: object) -> None:
    assert "source.range" in refusal(source={"segment_id": "s", "range": value})


@pytest.mark.parametrize(
    "value",
    [
        "",
        "../../etc/passwd",
        "0192A6F2-0000-7000-8000-000000000001",  # upper case: another name for the same file
        "01926f2c000070008000000000000001",
        "9b2d3c4e-0000-4000-8000-000000000001",  # version 4
        "01926f2c-0000-7000-c000-000000000001",  # another variant
        "01926f2c-0000-7000-8000-000000000001\n",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",  # the year 10889
    ],
)
@pytest.mark.parametrize("field", ["id", "extract_run_id"])
def test_an_id_is_a_uuid7_in_lower_case(field: str, value: str) -> None:
    assert f"{field}: is no UUIDv7 in lower case" in refusal(**{field: value})


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b'{"id": ', "is not JSON"),
        (b'{"claim": NaN}', "NaN is not JSON"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[" * 9_000, "is nested too deeply"),
        (b"null", "should be a valid dictionary"),
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_record(data)
