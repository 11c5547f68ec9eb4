import dataclasses

import numpy as np
import pytest
from scipy import stats

from bot.evaluation.conversation_counts import ConversationCounts, flat
from bot.evaluation.metrics import FORMULAS
from bot.evaluation.scores import GATED_METRICS
from bot.evaluation.task import ScoringRules
from bot.evaluation.tasks.candidates import CANDIDATES
from bot.statistics.comparison import IDENTICAL, MCNEMAR, NONE_DIFFERS, OPPOSITE, compare
from bot.statistics.findings import Comparison, MetricChange, NotPaired
from tests.statistics.counts import accuracy_rows, conversation_counts, random_counts

ACCURACY = "category_assignment_accuracy"


def changes(old: ConversationCounts, new: ConversationCounts, limit: float = 3.0) -> Comparison:
    found = compare(old, new, FORMULAS, GATED_METRICS, limit)
    assert isinstance(found, Comparison), found
    return found


def accuracy_change(fell: int, rose: int, same: int = 100) -> MetricChange:
    """One decision a conversation: `fell` right before only, `rose` after only."""
    old = accuracy_rows([1] * same + [1] * fell + [0] * rose, [1] * (same + fell + rose))
    new = accuracy_rows([1] * same + [0] * fell + [1] * rose, [1] * (same + fell + rose))
    return changes(old, new).metrics[ACCURACY]


def recall_rows(found: list[int], of: list[int]) -> ConversationCounts:
    return conversation_counts(
        [
            {"labels.factual.tp": tp, "labels.factual.fn": n - tp}
            for tp, n in zip(found, of, strict=True)
        ]
    )


def test_an_accuracy_is_tested_by_scipys_binomial_test_of_discordant_conversations() -> None:
    found = accuracy_change(fell=14, rose=2)
    assert found.test == MCNEMAR
    assert found.p == pytest.approx(stats.binomtest(2, 16).pvalue)
    assert found.difference_pp == pytest.approx(-12 / 116 * 100)
    assert (found.n, found.differing, found.change) == (116, 16, "dropped")


def test_the_same_change_backwards_is_an_improvement() -> None:
    assert accuracy_change(fell=2, rose=14).change == "improved"


def test_what_may_be_chance_and_may_be_more_than_the_limit_is_inconclusive() -> None:
    found = accuracy_change(fell=6, rose=3)
    assert found.p == pytest.approx(stats.binomtest(3, 9).pvalue)
    assert found.change == "inconclusive"


def test_a_difference_whose_interval_lies_within_the_limit_is_no_change_seen() -> None:
    found = accuracy_change(fell=3, rose=3, same=2_000)
    assert found.low_pp is not None
    assert found.low_pp > -1
    assert found.change == "no change seen"


def test_conversations_against_the_metrics_direction_make_no_significance() -> None:
    """Ten conversations turn right by one of two decisions; one large one loses all thirty."""
    old = accuracy_rows([1] * 10 + [30] + [1] * 50, [2] * 10 + [30] + [1] * 50)
    new = accuracy_rows([2] * 10 + [0] + [1] * 50, [2] * 10 + [30] + [1] * 50)
    found = changes(old, new).metrics[ACCURACY]
    assert found.difference_pp is not None
    assert found.difference_pp < 0
    assert (found.p, found.reason) == (1.0, OPPOSITE)
    assert found.change != "dropped"


def test_the_interval_of_a_difference_is_that_of_scipys_paired_bootstrap() -> None:
    old, new = random_counts(1, conversations=50), random_counts(2, conversations=50)
    before, after = (np.array(list(counts.numbers())) for counts in (old, new))

    def recall(matrix: np.ndarray, drawn: np.ndarray) -> float:
        sums = matrix[drawn.astype(int)].sum(axis=0)
        return float(sums[0] / (sums[0] + sums[2]))  # tp, fp, fn of factual come first

    def difference(drawn: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.apply_along_axis(lambda d: recall(after, d) - recall(before, d), axis, drawn)

    wanted = stats.bootstrap(
        (np.arange(50),), difference, n_resamples=400, rng=np.random.default_rng(9)
    ).confidence_interval
    assert old.columns[:3] == ("labels.factual.tp", "labels.factual.fp", "labels.factual.fn")
    result = compare(old, new, FORMULAS, GATED_METRICS, 3.0, resamples=400, seed=9)
    assert isinstance(result, Comparison)
    found = result.metrics["recall_factual"]
    assert [found.low_pp, found.high_pp] == pytest.approx([wanted.low * 100, wanted.high * 100])


def test_p_by_the_bootstrap_is_near_scipys_paired_t_test_where_that_holds() -> None:
    """Two memories in each conversation, so the metric is a mean of conversations."""
    random = np.random.default_rng(3)
    of = np.full(150, 2)
    was, now = random.binomial(2, 0.85, 150), random.binomial(2, 0.82, 150)
    found = changes(
        recall_rows(was.tolist(), of.tolist()), recall_rows(now.tolist(), of.tolist())
    ).metrics["recall_factual"]
    wanted = stats.ttest_rel(now, was).pvalue
    assert found.p == pytest.approx(wanted, abs=0.015)
    assert found.p is not None
    assert 0.001 < found.p < 0.2  # a value at which agreement says something


def test_memories_that_fail_together_are_one_observation() -> None:
    """Nine conversations of ten memories each fail whole: nine discordant ones, not ninety."""
    old = recall_rows([10] * 60, [10] * 60)
    new = recall_rows([10] * 56 + [0] * 4, [10] * 60)
    found = changes(old, new).metrics["recall_factual"]
    assert found.p is not None
    assert found.p > 0.02  # 4 of 60; with 40 independent memories it would be under 1e-9
    assert found.differing == 4


def test_holm_is_over_the_metrics_that_were_tested() -> None:
    found = changes(random_counts(7), random_counts(8)).metrics
    tested = [one for one in found.values() if one.p is not None]
    least = min(tested, key=lambda one: one.p or 0)
    assert len(tested) == 14
    assert least.p is not None
    assert least.p_holm == pytest.approx(min(1.0, least.p * 14))


def test_identical_counts_are_no_change_seen() -> None:
    counts = random_counts(5)
    for one in changes(counts, counts).metrics.values():
        assert (one.change, one.method, one.p, one.low_pp) == ("no change seen", IDENTICAL, 1.0, 0)


def test_a_metric_that_differs_nowhere_keeps_a_width_when_others_differ() -> None:
    """A label in 30 conversations, all right before and after: an eighth could yet differ."""
    same = [{"labels.factual.tp": 1}] * 30
    old = conversation_counts([*same, *[{"labels.episodic.tp": 1}] * 30])
    new = conversation_counts([*same, *[{"labels.episodic.fn": 1}] * 30])
    found = changes(old, new).metrics["recall_factual"]
    assert (found.method, found.change, found.differing) == (NONE_DIFFERS, "inconclusive", 0)
    # z² / (n + z²) = 3.8415 / 33.8415
    assert [found.low_pp, found.high_pp] == pytest.approx([-11.351, 11.351], abs=1e-3)


def test_a_rare_label_is_not_tested_and_the_reason_is_in_words() -> None:
    old = conversation_counts([{"labels.factual.tp": 1}] * 40 + [{"labels.episodic.tp": 1}] * 5)
    new = conversation_counts([{"labels.factual.tp": 1}] * 40 + [{"labels.episodic.fn": 1}] * 5)
    found = changes(old, new).metrics["recall_episodic"]
    assert (found.p, found.p_holm, found.change) == (None, None, "inconclusive")
    assert found.reason == "too little data: recall_episodic rests on 5 conversations, under 10"
    assert found.difference_pp == pytest.approx(-100)


def test_other_conversations_are_not_paired() -> None:
    old, new = random_counts(1), random_counts(2)
    rows = dict(new.rows)
    rows["new"] = rows.pop("c000")
    found = compare(old, dataclasses.replace(new, rows=rows), FORMULAS, GATED_METRICS, 3.0)
    assert isinstance(found, NotPaired)
    assert "2 on one side only, as 'c000'" in found.reason


def test_other_columns_are_not_paired() -> None:
    old, new = random_counts(1), random_counts(2)
    renamed = dataclasses.replace(new, columns=("else", *new.columns[1:]))
    assert isinstance(compare(old, renamed, FORMULAS, GATED_METRICS, 3.0), NotPaired)


def test_columns_in_another_order_are_the_same_columns() -> None:
    counts = random_counts(1)
    turned = ConversationCounts(
        counts.columns[::-1],
        {name: " ".join(row.split(" ")[::-1]) for name, row in counts.rows.items()},
    )
    assert all(one.method == IDENTICAL for one in changes(counts, turned).metrics.values())


def test_the_other_suite_is_compared_by_the_same_code() -> None:
    columns = tuple(flat(CANDIDATES.new_scorer(ScoringRules()).result().counts.model_dump()))
    right = {"kind_assignment.right": 1, "kind_assignment.total": 1}
    wrong = {"kind_assignment.total": 1}
    old = conversation_counts([right] * 100, columns)
    new = conversation_counts([right] * 80 + [wrong] * 20, columns)
    found = compare(old, new, CANDIDATES.formulas, CANDIDATES.gated_metrics, 3.0)
    assert isinstance(found, Comparison)
    accuracy = found.metrics["kind_accuracy"]
    assert (accuracy.test, accuracy.change) == (MCNEMAR, "dropped")
