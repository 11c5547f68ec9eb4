from datetime import UTC, date, datetime
from typing import Any

import pytest

from bot.errors import BadInput
from bot.gate.baseline import ProviderBlock
from bot.gate.staleness import RunContext, Staleness, judge_staleness, label_in_words

NOW = datetime(2026, 9, 15, 12, 0, tzinfo=UTC)
RUN = RunContext(NOW, "v1", "p" * 64, "s" * 64)


def block(**changes: Any) -> ProviderBlock:
    fields: dict[str, Any] = {
        "model": "qwen",
        "enforcement": "manual",
        "source": "manual_runbook",
        "last_refreshed": date(2026, 9, 3),
        "metrics": {"recall_macro": 0.8},
    }
    return ProviderBlock(**fields | changes)


def judge(changed: ProviderBlock, run: RunContext = RUN) -> Staleness:
    return judge_staleness("vllm", changed, "v1", run)


def label(changed: ProviderBlock) -> str:
    return label_in_words(changed.enforcement, changed.last_refreshed, judge(changed))


@pytest.mark.parametrize(
    ("day", "state", "age"),
    [
        (date(2026, 9, 15), "fresh", 0),
        (date(2026, 8, 16), "fresh", 30),  # exactly the limit
        (date(2026, 8, 15), "stale", 31),
    ],
)
def test_a_block_is_stale_after_more_than_thirty_days(day: date, state: str, age: int) -> None:
    found = judge(block(last_refreshed=day))
    assert (found.state, found.age_days) == (state, age)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"prompt_sha256": "x" * 64}, "measured under another prompt"),
        ({"schema_sha256": "x" * 64}, "measured under another schema"),
        ({"gold_set": "v0"}, "measured on gold set v0, not v1"),
    ],
)
def test_another_contract_or_gold_set_makes_a_block_stale(
    change: dict[str, str], reason: str
) -> None:
    found = judge(block(**change))
    assert (found.state, found.reasons) == ("stale", (reason,))


def test_every_reason_is_listed() -> None:
    found = judge(
        block(last_refreshed=date(2026, 1, 1), prompt_sha256="x" * 64, schema_sha256="y" * 64)
    )
    assert len(found.reasons) == 3


def test_a_block_that_records_the_present_contract_or_none_is_fresh() -> None:
    assert judge(block(prompt_sha256="p" * 64, schema_sha256="s" * 64)).state == "fresh"
    assert judge(block()).state == "fresh"


@pytest.mark.parametrize(
    "change",
    [
        {"last_refreshed": None},
        {"metrics": {}},
        {"metrics": {"recall_macro": None, "precision_macro": None}},
        {"metrics": {"recall_macro": float("nan")}},
    ],
)
def test_without_a_date_or_a_metric_a_block_was_never_measured(change: dict[str, Any]) -> None:
    assert judge(block(**change)).state == "never_measured"
    assert label(block(**change)) == "manual, never measured"


def test_a_date_in_the_future_is_an_input_error() -> None:
    with pytest.raises(BadInput, match="'vllm': last_refreshed 2026-09-16 is in the future"):
        judge(block(last_refreshed=date(2026, 9, 16)))


def test_a_label_says_in_words_where_numbers_come_from() -> None:
    assert label(block()) == "manual, refreshed 2026-09-03 (12 days ago)"
    assert (
        label(block(last_refreshed=date(2026, 9, 14))) == "manual, refreshed 2026-09-14 (1 day ago)"
    )
    assert label(block(last_refreshed=date(2026, 9, 15))) == "manual, refreshed 2026-09-15 (today)"
    assert label(block(gold_set="v0")) == "manual, STALE: measured on gold set v0, not v1"
    assert label(block(enforcement="ci")) == "CI-enforced"


def test_scores_from_oracle_aligned_cassettes_are_labelled_as_such() -> None:
    fresh = Staleness("fresh", (), 0)
    assert label_in_words("ci", date(2026, 9, 3), fresh, "oracle_aligned_expected_json") == (
        "CI-enforced (oracle-aligned cassettes: measures the harness, not the model)"
    )
