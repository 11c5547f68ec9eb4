import numpy as np
import pytest
from scipy import stats

from bot.evaluation.interval import Interval, NoInterval
from bot.evaluation.metrics import FORMULAS, Counts, compute_metrics
from bot.statistics.findings import RESAMPLES, SEED
from bot.statistics.intervals import BCA, WILSON, WILSON_CLUSTERED, metric_intervals
from tests.statistics.counts import COLUMNS, accuracy_rows, conversation_counts, random_counts

ACCURACY = "category_assignment_accuracy"


def interval(found: object) -> Interval:
    assert isinstance(found, Interval), found
    return found


@pytest.mark.parametrize("metric", ["precision_factual", "recall_macro", "f1_micro", ACCURACY])
def test_an_interval_is_that_of_scipys_bca_bootstrap_with_the_same_draws(metric: str) -> None:
    counts = random_counts(3, conversations=60)
    matrix = np.array(list(counts.numbers()))

    def statistic(indexes: np.ndarray, axis: int = -1) -> np.ndarray:
        """The project's scalar metrics, one resample after the other."""

        def one(drawn: np.ndarray) -> float:
            sums = matrix[drawn.astype(int)].sum(axis=0)
            row = " ".join(map(str, sums))
            total = conversation_counts([dict(zip(COLUMNS, sums.tolist(), strict=True))]).total()
            value = compute_metrics(Counts.model_validate(total))[metric]
            assert value is not None, row
            return value

        return np.apply_along_axis(one, axis, indexes)

    wanted = stats.bootstrap(
        (np.arange(60),),
        statistic,
        n_resamples=500,
        method="BCa",
        vectorized=True,
        rng=np.random.default_rng(11),
    ).confidence_interval
    found = interval(metric_intervals(counts, FORMULAS, resamples=500, seed=11)[metric])
    assert found.method == BCA
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_the_same_answers_have_the_same_intervals_and_another_seed_others() -> None:
    counts = random_counts(4)
    first, again = (metric_intervals(counts, FORMULAS) for _ in range(2))
    assert first == again
    assert metric_intervals(counts, FORMULAS, seed=SEED + 1) != first


def test_a_metric_at_one_has_wilsons_interval_over_its_conversations() -> None:
    found = interval(metric_intervals(accuracy_rows([2] * 50, [2] * 50), FORMULAS)[ACCURACY])
    assert found.method == WILSON
    # 50 / (50 + 1.96²): all conversations right, and their 100 memories are no 100 trials
    assert [found.low, found.high, found.n] == pytest.approx([0.92865, 1.0, 50], abs=1e-5)


def test_a_metric_at_zero_has_a_width_too() -> None:
    found = interval(metric_intervals(accuracy_rows([0] * 50, [1] * 50), FORMULAS)[ACCURACY])
    assert [found.low, found.high] == pytest.approx([0.0, 0.07135], abs=1e-5)


def test_beside_the_edge_memories_that_fail_together_count_as_few_trials() -> None:
    """One conversation of 50 fails; with four memories each they are not 200 trials."""
    right = [4] * 49 + [0]
    found = interval(metric_intervals(accuracy_rows(right, [4] * 50), FORMULAS)[ACCURACY])
    assert found.method == WILSON_CLUSTERED
    # the variance of the jackknife is p(1-p)/49: 49 trials, whatever the number of memories
    wanted = stats.binomtest(49, 50).proportion_ci(method="wilson")
    assert found.low == pytest.approx(wanted.low, abs=0.003)
    assert found.high == pytest.approx(wanted.high, abs=0.003)


def test_nine_conversations_are_too_few_and_the_reason_is_in_words() -> None:
    found = metric_intervals(accuracy_rows([1, 0, 1] * 3, [1] * 9), FORMULAS)
    assert found[ACCURACY] == NoInterval(
        "too little data: category_assignment_accuracy rests on 9 conversations, under 10"
    )
    assert found["precision_macro"] == NoInterval("the metric is undefined")


def test_a_macro_average_is_as_good_as_its_scarcest_label() -> None:
    common = {"labels.factual.tp": 1}
    rare = {"labels.episodic.tp": 1}
    found = metric_intervals(conversation_counts([common] * 40 + [rare] * 4), FORMULAS)
    assert found["recall_macro"] == NoInterval(
        "too little data: recall_episodic rests on 4 conversations, under 10"
    )
    assert interval(found["recall_factual"]).n == 40


def test_intervals_hold_the_true_value_nearly_as_often_as_they_say() -> None:
    """300 gold sets of 120 conversations with a true accuracy of 0.8, clustered by conversation."""
    random = np.random.default_rng(5)
    inside = 0
    for number in range(300):
        chance = random.beta(4, 1, 120)  # mean 0.8
        total = random.integers(1, 4, 120)
        right = random.binomial(total, chance)
        counts = accuracy_rows(right.tolist(), total.tolist())
        formulas = {ACCURACY: FORMULAS[ACCURACY]}
        found = interval(metric_intervals(counts, formulas, resamples=500, seed=number)[ACCURACY])
        inside += found.low <= 0.8 <= found.high
    # 95 % of 300 is 285, with a standard deviation of 3.8
    assert 272 <= inside <= 297


def test_there_are_two_thousand_resamples() -> None:
    assert RESAMPLES == 2_000
