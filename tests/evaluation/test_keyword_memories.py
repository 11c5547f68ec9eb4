from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.keyword_memories import extract_by_keywords
from bot.evaluation.tasks.memories import MEMORIES
from bot.extraction.turns import Turn
from bot.providers.keyword import KeywordProvider


@pytest.mark.parametrize(
    ("text", "content", "labels"),
    [
        ("I prefer tabs over spaces.", "User prefer tabs over spaces", {"preference"}),
        ("We always deploy on Fridays.", "We always deploy on Fridays", {"behavioral"}),
        ("I moved to Lisbon.", "User moved to Lisbon", {"episodic"}),
        ("My cat is called Miso.", "User's cat is called Miso", {"factual"}),
        ("Never restart the broker by hand.", "Never restart the broker by hand", {"procedural"}),
    ],
)
def test_a_cue_word_labels_the_sentence(text: str, content: str, labels: set[str]) -> None:
    (memory,) = extract_by_keywords(text)
    assert (memory.content, set(memory.labels)) == (content, labels)


@pytest.mark.parametrize(
    "text", ["Thanks!", "What is the weather?", "Do you like tea?", "", "ok", "x" * 1_000]
)
def test_without_a_cue_or_in_a_question_nothing_is_remembered(text: str) -> None:
    assert extract_by_keywords(text) == ()


@pytest.mark.parametrize(
    "day",
    ["30 September 2026", "the 30th of September 2026", "September 30, 2026", "2026-09-30"],
)
def test_an_until_with_a_whole_date_is_the_end_of_that_day(day: str) -> None:
    (memory,) = extract_by_keywords(f"Our flag is on until {day}.")
    assert memory.valid_until == datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize("day", ["Friday", "31 February 2026", "30 Septober 2026", "2026-13-01"])
def test_no_whole_date_is_no_end(day: str) -> None:
    (memory,) = extract_by_keywords(f"Our flag is on until {day}.")
    assert memory.valid_until is None


def test_it_answers_for_the_users_turns_only_and_without_looking_at_the_gold() -> None:
    turns = tuple(
        Turn(turn_index=i, role=role, content="I prefer tea.")
        for i, role in enumerate(("user", "assistant"))
    )
    answers = KeywordProvider(MEMORIES).predict(GoldConversation("c", turns, {}))
    assert [len(answers[i]) for i in (0, 1)] == [1, 0]


@given(st.text(max_size=500))
def test_any_text_gives_at_most_ten_valid_memories_and_always_the_same(text: str) -> None:
    found = extract_by_keywords(text + ". I like it." * 12)
    assert len(found) <= 10
    assert found == extract_by_keywords(text + ". I like it." * 12)
