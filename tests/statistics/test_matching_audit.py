from typing import Any

import pytest

from bot.evaluation.expected_memories import GoldTurn
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.task import ScoringRules
from bot.evaluation.tasks.candidates import CANDIDATES
from bot.evaluation.tasks.memories import MEMORIES
from bot.evaluation.text import read_text, text_similarity
from bot.extraction.schema import ExtractedMemory
from bot.extraction.turns import Turn
from bot.statistics.matching_audit import audit_matching
from tests.support.gold import memory

GOLD = "User rents a red violin in Vienna"
EQUAL = "user rents a red violin in vienna."
NEAR = "User rents a violin from someone in Graz"
FAR = "The invoice is due tomorrow"


def memories(*contents: str) -> tuple[ExtractedMemory, ...]:
    return tuple(ExtractedMemory.model_validate(memory(content)) for content in contents)


def conversation(name: str) -> GoldConversation:
    turn = Turn(turn_index=0, role="user", content="x")
    return GoldConversation(name, (turn,), {0: GoldTurn(memories(GOLD), ("indefinite",))})


SAID: dict[str, Any] = {
    "a": {0: memories(EQUAL)},
    "b": {0: memories(NEAR)},
    "c": {0: memories(FAR)},
}
CONVERSATIONS = [conversation(name) for name in SAID]
SIMILARITY = text_similarity(read_text(GOLD), read_text(NEAR), 0)


def test_the_texts_are_what_the_test_needs() -> None:
    assert 0.4 < SIMILARITY < 0.8


@pytest.mark.parametrize("threshold", [0.5, 0.55, 0.7])
def test_metrics_move_where_the_threshold_passes_the_similarity(threshold: float) -> None:
    audit = audit_matching(MEMORIES, CONVERSATIONS, SAID, ScoringRules(threshold))
    # one of three is equal; the near one is found up to its similarity
    for at, metrics in audit.metrics.items():
        wanted = 2 / 3 if at <= SIMILARITY else 1 / 3
        assert metrics["recall_factual"] == pytest.approx(wanted), at
    assert audit.moves_pp["recall_factual"] == pytest.approx(100 / 3)
    assert audit.moves_pp["recall_episodic"] is None
    (pair,) = audit.pairs
    assert (pair.conversation_id, pair.predicted) == ("b", NEAR)
    assert pair.similarity == pytest.approx(SIMILARITY)
    assert pair.is_paired == (threshold <= SIMILARITY)
    assert pair.is_near == (abs(threshold - SIMILARITY) <= 0.05)
    assert all((at in pair.paired_at) == (at <= SIMILARITY) for at in audit.metrics)


def test_the_other_suite_is_audited_by_the_same_code() -> None:
    turn = Turn(turn_index=0, role="user", content="x")
    empty = GoldConversation("a", (turn,), ())
    audit = audit_matching(CANDIDATES, [empty], {}, ScoringRules())
    assert audit.pairs == ()
    assert set(audit.metrics[0.8]) == set(CANDIDATES.formulas)
