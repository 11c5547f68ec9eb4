import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower

from bot.evaluation.interval import Interval, NoInterval
from bot.evaluation.metrics import FORMULAS
from bot.evaluation.scores import GATED_METRICS
from bot.statistics.comparison import compare
from bot.statistics.findings import Comparison
from bot.statistics.intervals import metric_intervals
from bot.statistics.power import (
    PAIRED,
    UNPAIRED,
    conversations_needed,
    detectable_drops,
    detection_factor,
)
from tests.statistics.counts import accuracy_rows

ACCURACY = "category_assignment_accuracy"


def test_the_detectable_drop_has_80_percent_power_by_statsmodels() -> None:
    power = NormalIndPower(ddof=0).power(
        effect_size=detection_factor(14), nobs1=1, alpha=0.05 / 14, ratio=0
    )
    assert power == pytest.approx(0.8, abs=1e-3)


def test_unpaired_it_is_that_of_two_independent_measurements() -> None:
    random = np.random.default_rng(1)
    right = random.binomial(1, 0.7, 400)
    intervals = metric_intervals(accuracy_rows(right.tolist(), [1] * 400), FORMULAS)
    found = detectable_drops(intervals, GATED_METRICS)[ACCURACY]
    share = right.mean()
    error = np.sqrt(2 * share * (1 - share) / 400) * 100
    wanted = (stats.norm.isf(0.025 / 14) + stats.norm.isf(0.2)) * error
    assert found.drop_pp == pytest.approx(wanted, rel=0.08)
    assert (found.n, found.basis) == (400, UNPAIRED)


def test_pairs_that_agree_see_smaller_drops() -> None:
    random = np.random.default_rng(2)
    was = random.binomial(1, 0.7, 400)
    now = np.where(random.random(400) < 0.04, 1 - was, was)
    old, new = (accuracy_rows(x.tolist(), [1] * 400) for x in (was, now))
    paired = compare(old, new, FORMULAS, GATED_METRICS, 3.0)
    assert isinstance(paired, Comparison)
    intervals = metric_intervals(new, FORMULAS)
    found = detectable_drops(intervals, GATED_METRICS, paired)[ACCURACY]
    differing = float((was != now).mean())
    error = np.sqrt(differing / 400) * 100  # of a mean of -1, 0 and 1 with a mean near 0
    wanted = (stats.norm.isf(0.025 / 14) + stats.norm.isf(0.2)) * error
    assert found.basis == PAIRED
    assert found.drop_pp == pytest.approx(wanted, rel=0.08)
    unpaired = detectable_drops(intervals, GATED_METRICS)[ACCURACY].drop_pp
    assert unpaired is not None
    assert found.drop_pp is not None
    assert found.drop_pp < unpaired / 2


def test_half_the_drop_takes_four_times_the_conversations() -> None:
    found = detectable_drops({"m": Interval(0.6, 0.8, 0.95, "", 100)}, ("m",))["m"]
    assert found.drop_pp is not None
    assert conversations_needed(found, found.drop_pp, 100) == 100
    assert conversations_needed(found, found.drop_pp / 2, 100) == 400


def test_what_has_no_interval_has_no_drop_and_the_reason() -> None:
    found = detectable_drops({"m": NoInterval("too little data")}, ("m",))["m"]
    assert (found.drop_pp, found.reason) == (None, "too little data")
    assert conversations_needed(found, 3.0, 100) is None
