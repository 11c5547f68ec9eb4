"""A small version of the simulation in `tests.benchmarks.bench_false_alarms`."""

from tests.benchmarks.bench_false_alarms import simulate


def test_without_a_change_the_significant_rule_hardly_ever_fails_and_the_absolute_one_does() -> (
    None
):
    failed, _ = simulate(100, conversations=171, drop=0.0, seed=1, resamples=500)
    # at most 5 % in the long run; of 100, more than 9 would happen once in 35 gates at just 5 %
    assert failed["significant"] <= 9
    assert failed["absolute"] >= 50


def test_a_drop_of_five_points_is_found_in_four_of_five_with_400_conversations() -> None:
    failed, _ = simulate(60, conversations=400, drop=0.05, seed=2, resamples=500)
    assert failed["significant"] >= 48
