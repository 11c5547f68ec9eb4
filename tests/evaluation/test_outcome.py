"""Sums of outcomes."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluation.outcome import Failure, Outcome, OutcomeTally, Usage


@given(st.lists(st.floats(0, 10_000), min_size=1, max_size=300))
def test_latency_percentiles_are_those_of_the_standard_library(values: list[float]) -> None:
    tally = OutcomeTally()
    for value in values:
        tally.add(Outcome("c", latency_ms=value))
    latency = tally.facts().latency_ms
    assert latency is not None
    cuts = statistics.quantiles(
        values * 2 if len(values) == 1 else values, n=100, method="inclusive"
    )
    expected = [cuts[49], cuts[89], cuts[98]]
    assert [latency.p50, latency.p90, latency.p99] == pytest.approx(expected, abs=0.06)
    assert latency.max == pytest.approx(max(values), abs=0.06)


def test_the_cost_is_unknown_as_soon_as_one_is() -> None:
    tally = OutcomeTally()
    tally.add(Outcome("a", cost_usd=0.25))
    assert tally.facts().cost_usd == 0.25
    tally.add(Outcome("b", cost_usd=None))
    assert tally.facts().cost_usd is None


def test_nothing_asked_has_no_cost_no_latency_and_no_failures() -> None:
    facts = OutcomeTally().facts()
    assert (facts.cost_usd, facts.latency_ms, facts.usage) == (None, None, None)
    assert facts.failures_in_words == "none"


def test_failures_are_counted_by_kind_and_listed_by_conversation() -> None:
    tally = OutcomeTally()
    for name, kind in (("b", "refusal"), ("a", "truncated"), ("c", "refusal")):
        tally.add(Outcome(name, failure=Failure(kind, "line\nbreak"), usage=None))  # type: ignore[arg-type]
    facts = tally.facts()
    assert facts.failures == {"refusal": 2, "truncated": 1}
    assert facts.failures_in_words == "2 refused, 1 cut off"
    assert [failed.conversation_id for failed in facts.failed] == ["a", "b", "c"]
    assert "\n" not in facts.failed[0].detail


def test_a_server_that_renames_itself_each_time_fills_no_memory() -> None:
    tally = OutcomeTally()
    for n in range(1_000):
        tally.add(
            Outcome("c", served_model=f"m{n}", usage=Usage(prompt_tokens=1, completion_tokens=2))
        )
    facts = tally.facts()
    assert len(facts.served_models) == 10
    assert facts.usage == Usage(prompt_tokens=1_000, completion_tokens=2_000)
