"""Against SciPy and statsmodels, which have the same procedures."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar as reference_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from bot.statistics.exact import holm, mcnemar, wilson


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels_and_the_binomial_test_of_scipy(
    fell: int, rose: int
) -> None:
    found = mcnemar(fell, rose)
    table = [[5, fell], [rose, 9]]
    assert found == pytest.approx(min(1.0, reference_mcnemar(table, exact=True).pvalue))
    if fell + rose:
        assert found == pytest.approx(binomtest(fell, fell + rose).pvalue)


def test_mcnemar_without_a_discordant_pair_says_nothing() -> None:
    assert mcnemar(0, 0) == 1.0


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    found = holm({str(i): p for i, p in enumerate(p_values)})
    wanted = multipletests(p_values, method="holm")[1]
    assert [found[str(i)] for i in range(len(p_values))] == pytest.approx(list(wanted))


@given(st.integers(1, 2_000), st.data())
def test_wilson_is_that_of_statsmodels(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    wanted = proportion_confint(right, n, alpha=0.05, method="wilson")
    assert wilson(right / n, n, 0.95) == pytest.approx(wanted, abs=1e-12)


def test_wilson_has_a_width_at_the_edges_and_holds_the_share_itself() -> None:
    low, high = wilson(1.0, 100, 0.95)
    assert high == 1.0
    assert low == pytest.approx(100 / (100 + 1.959964**2))
    assert wilson(0.0, 100, 0.95)[0] == 0.0
