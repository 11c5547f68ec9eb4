import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from bot.evaluation.by_conversation import ConversationTally
from bot.evaluation.calibration import CalibrationTally, Confidences
from bot.evaluation.expected_memories import GoldTurn
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.task import ScoringRules
from bot.evaluation.tasks.memories import MEMORIES
from bot.extraction.schema import ExtractedMemory
from bot.extraction.turns import Turn

SAID = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200)


def tally(said: list[tuple[float, bool]]) -> CalibrationTally:
    made = CalibrationTally()
    for confidence, right in said:
        made.add(confidence, right)
    return made


@given(SAID)
def test_the_brier_score_is_that_of_scikit_learn(said: list[tuple[float, bool]]) -> None:
    found = tally(said).result()
    assert found is not None
    confidences, rights = zip(*said, strict=True)
    wanted = brier_score_loss(np.array(rights), np.array(confidences), labels=[False, True])
    assert found.brier == pytest.approx(wanted)
    assert found.count == len(said)


@given(SAID)
def test_the_calibration_error_is_that_of_its_definition_over_numpys_histogram(
    said: list[tuple[float, bool]],
) -> None:
    found = tally(said).result()
    assert found is not None
    confidences, rights = (np.array(x, dtype=float) for x in zip(*said, strict=True))
    place = np.minimum((confidences * 10).astype(int), 9)
    wanted = sum(
        (place == i).mean() * abs(rights[place == i].mean() - confidences[place == i].mean())
        for i in range(10)
        if (place == i).any()
    )
    assert found.ece == pytest.approx(wanted)
    assert [one.count for one in found.bins] == np.bincount(place, minlength=10).tolist()


def test_a_table_worked_out_by_hand() -> None:
    """Two at 0.9, one right: |0.5 - 0.9| of 2; two at 0.25, none right: 0.25 of 2."""
    found = tally([(0.9, True), (0.9, False), (0.25, False), (0.25, False)]).result()
    assert found is not None
    assert found.ece == pytest.approx((0.4 + 0.25) / 2)
    assert found.brier == pytest.approx((0.01 + 0.81 + 0.0625 * 2) / 4)
    assert (found.bins[9].count, found.bins[9].right) == (2, 0.5)
    assert (found.bins[0].count, found.bins[0].confidence, found.bins[0].right) == (0, None, None)


def test_a_confidence_of_one_is_in_the_last_bin() -> None:
    found = tally([(1.0, True)]).result()
    assert found is not None
    assert found.bins[9].count == 1


def test_nothing_has_no_calibration() -> None:
    assert CalibrationTally().result() is None


@given(SAID, SAID)
def test_sums_of_two_parts_are_those_of_the_whole(
    first: list[tuple[float, bool]], second: list[tuple[float, bool]]
) -> None:
    both = tally(first)
    both.add_all(tally(second))
    whole = tally(first + second).result()
    merged = both.result()
    assert merged is not None
    assert whole is not None
    assert (merged.brier, merged.ece) == pytest.approx((whole.brier, whole.ece))


def memory(content: str, confidence: float, **labels: float) -> ExtractedMemory:
    categories = [{"label": name, "confidence": value} for name, value in labels.items()]
    return ExtractedMemory.model_validate(
        {"content": content, "confidence": confidence, "categories": categories}
    )


def test_a_memory_is_right_when_it_is_paired_and_a_label_when_the_gold_memory_has_it() -> None:
    gold = GoldTurn((memory("User likes green tea", 1.0, preference=1.0),), ("indefinite",))
    conversation = GoldConversation("c", (Turn(turn_index=0, role="user", content="x"),), {0: gold})
    said = (
        memory("User likes green tea", 0.8, preference=0.7, factual=0.6),
        memory("The build runs on Fridays", 0.4, episodic=0.3),
    )
    made = ConversationTally(MEMORIES, ScoringRules())
    made.add(conversation, {0: said})
    scored, _ = made.result()
    found = Confidences(dict(scored.confidences)).results()
    assert found["overall"].brier == pytest.approx((0.2**2 + 0.4**2) / 2)
    assert found["labels"].brier == pytest.approx((0.3**2 + 0.6**2 + 0.3**2) / 3)
    assert found["preference"].brier == pytest.approx(0.3**2)
    assert found["factual"].brier == pytest.approx(0.6**2)
    assert found["episodic"].brier == pytest.approx(0.3**2)


def test_many_different_confidences_are_folded_and_nothing_is_lost() -> None:
    said = [(i / 5_000, i % 3 == 0) for i in range(5_000)]
    made = tally(said)
    assert len(made.seen) <= 1_000
    found = made.result()
    assert found is not None
    wanted = np.mean([(confidence - right) ** 2 for confidence, right in said])
    assert found.count == 5_000
    assert found.brier == pytest.approx(wanted)
    assert [one.count for one in found.bins] == [500] * 10
