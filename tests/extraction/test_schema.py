import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.errors import BadInput
from bot.extraction.schema import (
    BatchExtractionResult,
    ExtractedMemory,
    ExtractionResult,
)
from bot.validation import validate

GOOD: dict[str, Any] = {
    "content": "User prefers dark mode in the IDE",
    "categories": [{"label": "preference", "confidence": 0.92}],
    "confidence": 0.92,
    "valid_from": None,
    "valid_until": None,
}


def memory_with(**changes: Any) -> dict[str, Any]:
    return GOOD | changes


def test_the_three_examples_of_the_adr_are_accepted() -> None:
    examples = [
        GOOD,
        memory_with(
            content="Always deploy on Fridays but this week switch to Mondays for the incident",
            categories=[
                {"label": "behavioral", "confidence": 0.82},
                {"label": "episodic", "confidence": 0.88},
            ],
        ),
        memory_with(
            content="Feature flag new_checkout is enabled for the beta cohort until Friday",
            categories=[{"label": "factual", "confidence": 0.86}],
            valid_from="2026-09-01T00:00:00Z",
            valid_until="2026-09-05T23:59:59Z",
        ),
    ]
    result = ExtractionResult.model_validate_json(json.dumps({"memories": examples}))
    assert [sorted(memory.labels) for memory in result.memories] == [
        ["preference"],
        ["behavioral", "episodic"],
        ["factual"],
    ]
    assert result.memories[2].valid_until == datetime(2026, 9, 5, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"content": "four"}, "content"),
        ({"content": "x" * 10_001}, "content"),
        ({"content": "é" * 5_001}, "content"),
        ({"content": "\ud800 lone"}, "content"),
        ({"content": None}, "content"),
        ({"categories": []}, "categories"),
        ({"categories": [{"label": "mood", "confidence": 0.5}]}, "categories.0.label"),
        ({"categories": [{"label": "Factual", "confidence": 0.5}]}, "categories.0.label"),
        ({"categories": [{"label": "factual", "confidence": 0.5}] * 2}, "categories"),
        (
            {
                "categories": [
                    {"label": label, "confidence": 0.5}
                    for label in ("factual", "preference", "behavioral", "episodic")
                ]
            },
            "categories",
        ),
        ({"categories": [{"label": "factual"}]}, "categories.0.confidence"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": -0.01}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": float("inf")}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"confidence": "0.9"}, "confidence"),
        ({"confidence": None}, "confidence"),
        ({"valid_until": "next Friday"}, "valid_until"),
        ({"valid_until": 1_780_000_000}, "valid_until"),
        ({"valid_until": "1780000000"}, "valid_until"),
        ({"valid_until": True}, "valid_until"),
        ({"importance": 3}, "importance"),
    ],
)
def test_a_bad_field_is_refused_with_its_path(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(BadInput, match=rf"^answer: {path}: ") as caught:
        validate(ExtractedMemory, memory_with(**changes), "answer")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-09-05T00:00:00Z", "2026-09-05T00:00:00Z"),
        ("2026-09-05T00:00:00Z", "2026-09-04T00:00:00Z"),
        ("2026-09-05T12:00:00+02:00", "2026-09-05T10:00:00Z"),  # the same instant
        ("2026-09-05T00:00:00", "2026-09-06T00:00:00Z"),
        ("2026-09-05T00:00:00Z", "2026-09-06T00:00:00"),
    ],
)
def test_the_end_must_be_after_the_start_and_of_the_same_kind(start: str, end: str) -> None:
    with pytest.raises(ValidationError, match="valid_"):
        ExtractedMemory.model_validate(memory_with(valid_from=start, valid_until=end))


def test_naive_times_are_accepted_when_both_are_naive() -> None:
    memory = ExtractedMemory.model_validate(
        memory_with(valid_from="2026-09-05T00:00:00", valid_until="2026-09-06")
    )
    assert memory.valid_until == datetime(2026, 9, 6)


def test_the_bounds_themselves_are_accepted() -> None:
    for content in ("12345", "x" * 10_000, "é" * 5_000):
        assert ExtractedMemory.model_validate(memory_with(content=content)).content == content
    for confidence in (0, 1, 0.0, 1.0):
        assert ExtractedMemory.model_validate(memory_with(confidence=confidence))


@given(count=st.integers(0, 25))
def test_ten_memories_are_accepted_and_eleven_are_refused_never_cut(count: int) -> None:
    answer = {"memories": [GOOD] * count}
    if count <= 10:
        assert len(ExtractionResult.model_validate(answer).memories) == count
    else:
        with pytest.raises(ValidationError, match="at most 10"):
            ExtractionResult.model_validate(answer)


@pytest.mark.parametrize("index", [-1, True, "0", 1.5, None])
def test_a_turn_index_is_a_whole_number_from_zero(index: object) -> None:
    with pytest.raises(ValidationError):
        BatchExtractionResult.model_validate({"turns": [{"turn_index": index, "memories": []}]})


def test_a_turn_index_given_twice_is_refused() -> None:
    turn = {"turn_index": 3, "memories": []}
    with pytest.raises(ValidationError, match="turn_index 3 is given twice"):
        BatchExtractionResult.model_validate({"turns": [turn, turn]})
