"""The gate's verdict on a report: with the baseline's cases beside it, where there are any."""

from pathlib import Path

from bot.evaluation.scores import Scores
from bot.gate.baseline import Baseline
from bot.gate.baseline_cases import cases_path, load_cases
from bot.gate.regression import GateResult, judge_regression
from bot.suites import Suite


def judge_scores(scores: Scores, baseline: Baseline, path: Path, suite: Suite) -> GateResult:
    """`path` is the baseline's; its cases lie beside it. Raises BadInput for cases that are none.

    Without cases nothing heavy is imported: the gate starts as fast as ever.
    """
    cases = cases_path(path, scores.provider)
    if scores.provider not in baseline.providers or not cases.exists():
        return judge_regression(scores, baseline, suite.gated_metrics)
    from bot.gate.pairing import compare_pairs

    task = suite.load_task()
    paired = compare_pairs(scores, baseline, load_cases(cases), task.formulas, suite.gated_metrics)
    return judge_regression(scores, baseline, suite.gated_metrics, paired)
