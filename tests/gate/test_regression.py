from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.evaluation.scores import GATED_METRICS, Scores
from bot.gate.baseline import Baseline, ProviderBlock, load_baseline, parse_baseline
from bot.gate.regression import GateResult, judge_regression

PERFECT = dict.fromkeys(GATED_METRICS, 1.0)


def block(metrics: dict[str, Any], enforcement: Any = "ci", **more: Any) -> ProviderBlock:
    return ProviderBlock("gpt-4o-mini", enforcement, "cassette", date(2026, 9, 3), metrics, **more)


def judge(
    current: dict[str, Any], baseline: dict[str, Any], limit: float = 3.0, **more: Any
) -> GateResult:
    return judge_regression(
        Scores("openai", "v1", current),
        Baseline("v1", limit, {"openai": block(baseline, **more)}),
        GATED_METRICS,
    )


def test_there_are_fourteen_gated_metrics() -> None:
    assert len(set(GATED_METRICS)) == 14


def test_a_report_equal_to_its_baseline_passes_fourteen_checks() -> None:
    result = judge(PERFECT, PERFECT)
    assert result.verdict.ok
    assert [check.value for check in result.checks] == [0.0] * 14
    assert result.summary_lines == ("all 14 checks hold (limit 3 points)",)


@pytest.mark.parametrize("metric", GATED_METRICS)
def test_a_drop_of_four_points_in_any_metric_fails(metric: str) -> None:
    result = judge(PERFECT | {metric: 0.96}, PERFECT)
    assert result.status == "fail"
    assert result.verdict.exit_code == 1
    (failed,) = [check for check in result.checks if not check.ok]
    assert failed.name == f"openai.{metric} regression (pp)"
    assert failed.metric == metric
    assert failed.value == pytest.approx(4.0)
    assert result.summary_lines == (
        f"openai.{metric} dropped 4.00 points (1.0000 → 0.9600, limit 3)",
    )


@pytest.mark.parametrize(
    ("baseline", "current", "ok"),
    [
        (1.0, 0.97, True),  # exactly 3.0, although 1 - 0.97 is 0.030000000000000027
        (0.9, 0.87, True),
        (0.35, 0.32, True),
        (1.0, 0.9699, False),  # 3.01
        (0.03, 0.0, True),
        (0.0301, 0.0, False),
        (0.5, 0.9, True),  # an improvement
        (0.0, 0.0, True),  # absolute points: nothing to divide by
        (1, 0.97, True),  # a whole number is a number
    ],
)
def test_the_limit_itself_passes_and_a_hundredth_of_a_point_more_fails(
    baseline: float, current: float, ok: bool
) -> None:
    result = judge(PERFECT | {"recall_macro": current}, PERFECT | {"recall_macro": baseline})
    assert result.verdict.ok is ok


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(0, 1_000))
def test_the_gate_agrees_with_exact_arithmetic_on_four_decimals(
    baseline: int, current: int, limit: int
) -> None:
    result = judge(
        PERFECT | {"recall_macro": current / 10_000},
        PERFECT | {"recall_macro": baseline / 10_000},
        limit / 100,
    )
    assert result.verdict.ok is (baseline - current <= limit)


BAD_VALUES: list[object] = [
    None,
    float("nan"),
    float("inf"),
    float("-inf"),
    "0.99",
    True,
    [],
    {},
    1.2,
    -0.1,
    99,
]


@pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
@pytest.mark.parametrize("side", ["report", "baseline"])
def test_a_value_that_is_no_score_never_passes_on_either_side(value: object, side: str) -> None:
    bad = PERFECT | {"recall_episodic": value}
    result = judge(bad, PERFECT) if side == "report" else judge(PERFECT, bad)
    assert result.status == "fail"
    (failed,) = [check for check in result.checks if not check.ok]
    assert (failed.metric, failed.value) == ("recall_episodic", None)
    (line,) = result.summary_lines
    assert line.startswith(f"openai.recall_episodic is not computable: the {side}'s value is "), (
        line
    )


@pytest.mark.parametrize("side", ["report", "baseline"])
def test_a_missing_metric_never_passes(side: str) -> None:
    short = {name: 1.0 for name in GATED_METRICS if name != "recall_macro"}
    result = judge(short, PERFECT) if side == "report" else judge(PERFECT, short)
    assert result.summary_lines == (
        f"openai.recall_macro is not computable: the {side}'s value is missing",
    )


def test_both_sides_undefined_is_no_pass() -> None:
    nothing = PERFECT | {"recall_macro": None}
    assert judge(nothing, nothing).status == "fail"


@pytest.mark.parametrize(
    ("provider", "enforcement", "reason"),
    [
        ("anthropic", "ci", "no check: the baseline has no block for provider openai"),
        ("openai", "manual", "manual, not CI-enforced"),
    ],
)
def test_without_any_check_the_gate_fails(provider: str, enforcement: str, reason: str) -> None:
    baseline = Baseline("v1", 3.0, {provider: block(PERFECT, enforcement)})
    result = judge_regression(Scores("openai", "v1", PERFECT), baseline, GATED_METRICS)
    assert result.status == "fail"
    assert result.checks == ()
    assert reason in result.summary_lines[0]


def test_an_empty_baseline_and_an_empty_list_of_metrics_fail() -> None:
    scores = Scores("openai", "v1", PERFECT)
    assert judge_regression(scores, Baseline("v1", 3.0, {}), GATED_METRICS).status == "fail"
    full = Baseline("v1", 3.0, {"openai": block(PERFECT)})
    assert judge_regression(scores, full, ()).status == "fail"


def test_a_manual_block_beside_never_adds_a_check() -> None:
    baseline = Baseline(
        "v1",
        3.0,
        {"openai": block(PERFECT), "vllm": block(PERFECT | {"recall_macro": 0.1}, "manual")},
    )
    result = judge_regression(Scores("openai", "v1", PERFECT), baseline, GATED_METRICS)
    assert result.verdict.ok
    assert all(check.name.startswith("openai.") for check in result.checks)


def test_a_baseline_of_another_gold_set_is_not_comparable() -> None:
    result = judge(PERFECT, PERFECT, gold_set="v0")
    assert result.status == "fail"
    assert result.summary_lines[0] == (
        "not comparable: the baseline was measured on gold set v0, the report on v1"
    )


def test_the_baseline_of_an_existing_repository_is_read(existing: Path) -> None:
    baseline = load_baseline(existing / "baseline_results.json")
    assert baseline.max_regression_pp == 3.0
    assert baseline.providers["openai"].last_refreshed == date(2026, 9, 3)
    assert baseline.providers["vllm"].last_refreshed is None
    assert baseline.providers["vllm"].metrics["recall_macro"] is None


GOOD = {
    "schema_version": 1,
    "gold_set": "v1",
    "policy": {"max_regression_pp": 3.0},
    "providers": {"openai": {"model": "m", "enforcement": "ci", "metrics": {}}},
}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"schema_version": True}, "schema_version"),
        ({"gold_set": ""}, "gold_set"),
        ({"gold_set": 1}, "gold_set"),
        ({"providers": []}, "providers"),
        ({"providers": {"openai": 1}}, "providers.openai"),
        ({"providers": {"openai": {"model": "m"}}}, "providers.openai.enforcement"),
        (
            {"providers": {"openai": {"model": "m", "enforcement": "CI"}}},
            "providers.openai.enforcement",
        ),
        (
            {"providers": {"o": {"model": "m", "enforcement": "ci", "last_refreshed": "3 Sept"}}},
            "providers.o.last_refreshed",
        ),
        (
            {"providers": {"o": {"model": "m", "enforcement": "ci", "metrics": [1]}}},
            "providers.o.metrics",
        ),
        ({"policy": {"max_regression_pp": "3"}}, "policy.max_regression_pp"),
        ({"policy": {"max_regression_pp": float("nan")}}, "policy.max_regression_pp"),
        ({"policy": {"max_regression_pp": -1}}, "policy.max_regression_pp"),
        ({"policy": {"max_regression_pp": True}}, "policy.max_regression_pp"),
        ({"policy": 3}, "policy"),
    ],
)
def test_a_bad_field_of_a_baseline_is_named(change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput, match=rf"^b.json: {field}: should be "):
        parse_baseline(GOOD | change, Path("b.json"))


def test_the_limit_is_three_points_unless_given() -> None:
    without = {name: value for name, value in GOOD.items() if name != "policy"}
    assert parse_baseline(without, Path("b.json")).max_regression_pp == 3.0
