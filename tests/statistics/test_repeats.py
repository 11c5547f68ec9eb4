"""The spread between repeats apart from that between conversations."""

import random
from statistics import stdev

import pytest

from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.tasks.memories import MEMORIES
from bot.statistics.repeats import pool_counts, repeat_spread
from bot.statistics.table import Scorer, Table
from tests.statistics.counts import COLUMNS

CHANCE = 0.8


def repeat(draw: random.Random, chances: list[float]) -> ConversationCounts:
    """Ten factual memories a conversation, each found with its conversation's chance."""
    rows = {}
    for number, chance in enumerate(chances):
        found = sum(draw.random() < chance for _ in range(10))
        values = {"labels.factual.tp": found, "labels.factual.fn": 10 - found}
        rows[f"c{number}"] = " ".join(str(values.get(column, 0)) for column in COLUMNS)
    return ConversationCounts(COLUMNS, rows)


def recall(counts: ConversationCounts) -> dict[str, float | None]:
    table = Table.of(counts)
    found = Scorer.bind(table.columns, MEMORIES.formulas).metrics(table.total)
    return {"recall_factual": float(found["recall_factual"][0])}


def test_counts_of_repeats_are_added_conversation_by_conversation() -> None:
    one = ConversationCounts(("a", "b"), {"x": "1 2", "y": "0 5"})
    two = ConversationCounts(("a", "b"), {"y": "4 0", "x": "3 3"})
    assert pool_counts([one, two]).rows == {"x": "4 5", "y": "4 5"}
    with pytest.raises(ValueError, match="other conversations"):
        pool_counts([one, ConversationCounts(("a", "b"), {"x": "1 2"})])


def test_a_model_that_answers_the_same_has_no_spread_of_its_own() -> None:
    counts = repeat(random.Random(1), [CHANCE] * 200)
    spread = repeat_spread([recall(counts)] * 3, [counts] * 3, MEMORIES.formulas)["recall_factual"]
    assert spread.between_repeats_pp == 0
    assert spread.between_conversations_pp is not None
    assert spread.between_conversations_pp > 0.3


def test_the_two_spreads_are_those_that_the_data_was_drawn_with() -> None:
    draw = random.Random(7)
    # conversations differ: their chances are even from 0.6 to 1, a deviation of 0.4 / sqrt(12)
    chances = [0.6 + 0.4 * draw.random() for _ in range(400)]
    repeats = [repeat(draw, chances) for _ in range(12)]
    metrics = [recall(one) for one in repeats]
    spread = repeat_spread(metrics, repeats, MEMORIES.formulas)["recall_factual"]
    # the model's own: sqrt(mean of p(1 - p) / 10 / 400) = about 0.61 points
    assert spread.between_repeats_pp == pytest.approx(
        stdev(value * 100 for one in metrics if (value := one["recall_factual"]) is not None)
    )
    assert 0.35 < spread.between_repeats_pp < 0.95
    # the conversations': 40 / sqrt(12) / sqrt(400) = 0.577 points
    assert spread.between_conversations_pp == pytest.approx(0.577, rel=0.15)
