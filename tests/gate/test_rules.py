"""`policy.rule`: what fails by which rule, and that nothing untested passes by one that tests."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import BadInput
from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.metrics import FORMULAS, Counts, compute_metrics
from bot.evaluation.scores import GATED_METRICS, Scores
from bot.gate.baseline import Baseline, ProviderBlock, parse_baseline
from bot.gate.baseline_cases import BaselineCases, cases_path, cases_text, parse_cases
from bot.gate.pairing import compare_pairs
from bot.gate.regression import GateResult, gate_json, judge_regression
from bot.gate.result_file import load_gate_result
from bot.gate.rule import RULES, Rule
from bot.statistics.findings import Comparison, MetricChange, NotPaired
from tests.statistics.counts import random_counts

PERFECT = dict.fromkeys(GATED_METRICS, 1.0)


def change(metric: str, p_holm: float | None, reason: str = "") -> MetricChange:
    return MetricChange(
        metric, 100, 9, -4.0, -7.0, -1.0, 0.95, "m", "t", p_holm, p_holm, "dropped", reason
    )


def judge(rule: Rule, drop: float, p_holm: float | None, reason: str = "") -> GateResult:
    """`recall_macro` drops by so many points, with that corrected p; nothing else changes."""
    changes = {name: change(name, 1.0) for name in GATED_METRICS}
    changes["recall_macro"] = change("recall_macro", p_holm, reason)
    block = ProviderBlock("m", "ci", "live", None, PERFECT | {"recall_macro": 0.9})
    return judge_regression(
        Scores("openai", "v1", PERFECT | {"recall_macro": 0.9 - drop / 100}),
        Baseline("v1", 3.0, {"openai": block}, rule),
        GATED_METRICS,
        Comparison(100, 2_000, 1, 0.05, changes),
    )


@pytest.mark.parametrize(
    ("drop", "p_holm", "failing"),
    [
        (4.0, 0.01, {"absolute", "significant", "both"}),
        (4.0, 0.30, {"absolute", "both"}),
        (4.0, 0.05, {"absolute", "both"}),  # under 0.05, not at it
        (2.0, 0.01, {"both"}),
        (2.0, 0.30, set()),
        (3.0, 0.01, {"both"}),  # the limit itself is not over the limit
        (-4.0, 0.01, set()),  # an improvement beyond chance
    ],
)
def test_which_rule_fails_which_drop(drop: float, p_holm: float, failing: set[str]) -> None:
    results = {rule: judge(rule, drop, p_holm) for rule in RULES}
    assert {rule for rule, result in results.items() if not result.verdict.ok} == failing
    for rule, result in results.items():
        assert result.rule == rule
        not_ok = [check.metric for check in result.checks if not check.ok]
        assert not_ok == (["recall_macro"] if rule in failing else [])


def test_a_drop_that_the_test_lets_pass_is_said_and_not_called_within_the_limit() -> None:
    lines = judge("significant", 4.0, 0.3).summary_lines
    assert lines == (
        "all 14 checks hold (1 over the limit of 3 points, within chance)",
        "openai.recall_macro dropped 4.00 points, over the limit of 3, but not beyond chance "
        "(corrected p 0.3)",
    )


def test_the_words_of_a_failure_say_by_which_numbers() -> None:
    assert judge("significant", 4.0, 0.01).summary_lines == (
        "openai.recall_macro dropped 4.00 points (0.9000 → 0.8600, limit 3), beyond chance "
        "(corrected p 0.01)",
    )
    assert judge("both", 2.0, 0.01).summary_lines == (
        "openai.recall_macro dropped 2.00 points, within the limit of 3, but beyond chance "
        "(corrected p 0.01)",
    )


def test_a_metric_that_could_not_be_tested_is_judged_by_the_limit_and_says_why() -> None:
    result = judge("significant", 4.0, None, "too little data: five")
    assert result.status == "fail"
    assert result.summary_lines[0].endswith("limit 3); not tested: too little data: five")
    assert judge("significant", 2.0, None, "too little data: five").status == "pass"


@pytest.mark.parametrize("rule", ["significant", "both"])
@pytest.mark.parametrize("paired", [None, NotPaired("other conversations")])
def test_without_pairs_a_rule_that_tests_is_the_absolute_one_and_says_so(
    rule: Rule, paired: NotPaired | None
) -> None:
    baseline = Baseline(
        "v1", 3.0, {"openai": ProviderBlock("m", "ci", "live", None, PERFECT)}, rule
    )
    for recall, status in ((0.96, "fail"), (0.97, "pass")):
        scores = Scores("openai", "v1", PERFECT | {"recall_macro": recall})
        result = judge_regression(scores, baseline, GATED_METRICS, paired)
        assert result.status == status
        why = "no per-conversation counts" if paired is None else "other conversations"
        assert f"rule {rule} is applied as the absolute limit" in result.summary_lines[-1]
        assert why in result.summary_lines[-1]


def test_what_is_not_computable_fails_by_every_rule() -> None:
    baseline = Baseline(
        "v1", 3.0, {"openai": ProviderBlock("m", "ci", "live", None, PERFECT)}, "significant"
    )
    scores = Scores("openai", "v1", PERFECT | {"recall_macro": None})
    changes = {name: change(name, 1.0) for name in GATED_METRICS}
    paired = Comparison(100, 2_000, 1, 0.05, changes)
    assert judge_regression(scores, baseline, GATED_METRICS, paired).status == "fail"


def test_the_result_file_carries_the_rule_and_the_numbers_and_is_read_back(tmp_path: Path) -> None:
    result = judge("significant", 4.0, 0.01)
    path = tmp_path / "gate-result.json"
    path.write_text(json.dumps(gate_json(result)))
    raw = json.loads(path.read_text())
    assert raw["rule"] == "significant"
    found = raw["paired"]["metrics"]["recall_macro"]
    assert {"p", "p_holm", "low_pp", "high_pp", "n", "differing", "change"} <= set(found)
    assert load_gate_result(path) == result


def raw_baseline(**policy: Any) -> dict[str, Any]:
    return {"schema_version": 1, "gold_set": "v1", "policy": policy, "providers": {}}


def test_the_rule_is_absolute_unless_the_baseline_names_another() -> None:
    assert parse_baseline(raw_baseline(), Path("b.json")).rule == "absolute"
    assert parse_baseline(raw_baseline(rule="both"), Path("b.json")).rule == "both"


@pytest.mark.parametrize("rule", ["signifcant", "", None, 3, ["both"]])
def test_a_misspelt_rule_is_refused_and_never_a_milder_one(rule: object) -> None:
    with pytest.raises(BadInput, match="one of absolute, significant, both"):
        parse_baseline(raw_baseline(rule=rule), Path("b.json"))


# the baseline's cases

OLD, NEW = random_counts(1), random_counts(2)


def metrics_of(counts: ConversationCounts) -> dict[str, float | None]:
    return compute_metrics(Counts.model_validate(counts.total()))


def pair(
    cases: BaselineCases | None = None,
    block: dict[str, Any] | None = None,
    **scores: Any,
) -> Comparison | NotPaired:
    metrics = metrics_of(OLD) if block is None else block
    baseline = Baseline("v1", 3.0, {"openai": ProviderBlock("m", "ci", "live", None, metrics)})
    fields: dict[str, Any] = {"gold_sha256": "gold", "conversation_counts": NEW} | scores
    return compare_pairs(
        replace(Scores("openai", "v1", metrics_of(NEW)), **fields),
        baseline,
        cases or BaselineCases("openai", "gold", OLD),
        FORMULAS,
        GATED_METRICS,
    )


def test_a_report_and_cases_that_belong_together_are_compared() -> None:
    found = pair()
    assert isinstance(found, Comparison)
    assert set(found.metrics) == set(GATED_METRICS)
    for name in GATED_METRICS:
        before, after = metrics_of(OLD)[name], metrics_of(NEW)[name]
        assert before is not None
        assert after is not None
        assert found.metrics[name].difference_pp == pytest.approx((after - before) * 100)


def why_not(found: Comparison | NotPaired) -> str:
    assert isinstance(found, NotPaired), found
    return found.reason


def test_cases_that_prove_nothing_are_not_compared() -> None:
    assert "provider 'vllm'" in why_not(pair(BaselineCases("vllm", "gold", OLD)))
    assert "edited since" in why_not(pair(BaselineCases("openai", "older", OLD)))
    assert "no per-conversation counts" in why_not(pair(conversation_counts=None))


def test_a_report_whose_counts_are_not_those_of_its_metrics_is_not_compared() -> None:
    """A pull request could bring good counts beside bad metrics."""
    better = metrics_of(NEW) | {"recall_macro": 1.0}
    assert "the report's recall_macro is not what" in why_not(pair(metrics=better))


def test_a_block_edited_by_hand_does_not_go_with_its_old_cases() -> None:
    edited = metrics_of(OLD) | {"precision_factual": 0.5}
    assert "the baseline's precision_factual is not what" in why_not(pair(block=edited))


def test_cases_are_written_a_conversation_a_line_and_read_back(tmp_path: Path) -> None:
    cases = BaselineCases("openai", "gold", OLD)
    text = cases_text(cases)
    assert text.count("\n") == 1 + len(OLD.rows)
    assert parse_cases(text.encode(), tmp_path) == cases


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda lines: lines[1:], "schema_version: should be 1"),
        (lambda lines: [*lines, lines[-1]], "is given twice"),
        (lambda lines: [*lines, '{"conversation_id": "x"}'], "should hold conversation_id"),
        (lambda lines: [*lines, '{"conversation_id": "x", "counts": "1"}'], "whole numbers"),
        (lambda lines: [lines[0].replace("openai", "").replace('""', "7")], "name a provider"),
        (lambda _: [], "schema_version: should be 1"),
    ],
)
def test_cases_that_are_none_are_refused(edit: Any, message: str, tmp_path: Path) -> None:
    lines = cases_text(BaselineCases("openai", "gold", OLD)).splitlines()
    with pytest.raises(BadInput, match=message):
        parse_cases("\n".join(edit(lines)).encode(), tmp_path)


@pytest.mark.parametrize(
    "provider", ["../../etc", "..", "a/b", "file:x.jsonl", "a\\b", "a\0b", "é"]
)
def test_a_providers_name_never_leads_out_of_the_folder(provider: str) -> None:
    path = cases_path(Path("gold/baseline_results.json"), provider)
    assert path.parent == Path("gold/baseline_cases")
    assert not path.name.startswith(".")
    assert path.name.isascii()
    assert "\0" not in path.name


def test_two_providers_never_share_a_file() -> None:
    names = ["a:b", "a%3Ab", "a/b", "a.b", ".b", "%2Eb"]
    assert len({cases_path(Path("b.json"), name) for name in names}) == len(names)


def test_a_gate_without_cases_imports_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys, bot.commands.gate, bot.commands.judge; "
        "print([m for m in ('numpy', 'pydantic', 'bot.statistics.table') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
