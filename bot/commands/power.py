"""`power`: how many conversations a gold set needs to show a drop of so many points."""

import math
from pathlib import Path
from typing import Final

from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.report import load_report
from bot.gate.baseline import load_baseline
from bot.gate.baseline_cases import cases_path, load_cases
from bot.gate.pairing import compare_pairs
from bot.statistics.findings import Comparison
from bot.statistics.intervals import metric_intervals
from bot.statistics.power import conversations_needed, detectable_drops
from bot.suites import Suite

HEAD: Final = "to find a drop of {drop:g} points with 80 % power, by metric ({conversations} now):"


def run_power(latest: Path, baseline: Path, drop_pp: float, suite: Suite, console: Console) -> int:
    """A line a gated metric; 0. Pairs are used where the baseline has cases of the provider.

    Raises BadInput for a report without per-conversation counts.
    """
    if not math.isfinite(drop_pp):  # `nan` is neither under nor over a bound
        raise BadInput(f"is {drop_pp}, no number of points", where="--drop")
    report, task = load_report(latest), suite.load_task()
    if report.benchmark != suite.name:
        raise BadInput(
            f"is a report of suite {report.benchmark!r}", where=latest, next_step="see --suite"
        )
    counts = report.conversation_counts
    if counts is None:
        raise BadInput("has no per-conversation counts", where=latest, next_step="evaluate again")
    paired = None
    cases = cases_path(baseline, report.provider)
    if cases.exists():
        found = compare_pairs(
            report.scores,
            load_baseline(baseline),
            load_cases(cases),
            task.formulas,
            suite.gated_metrics,
        )
        if isinstance(found, Comparison):
            paired = found
        else:
            console.warn(f"without pairs: {found.reason}")
    drops = detectable_drops(metric_intervals(counts, task.formulas), suite.gated_metrics, paired)
    total = len(counts.rows)
    console.say(HEAD.format(drop=drop_pp, conversations=total))
    for name, one in drops.items():
        needed = conversations_needed(one, drop_pp, total)
        if needed is None or one.drop_pp is None:
            console.say(f"  {name:30} unknown: {one.reason}")
            continue
        kind = one.basis.partition(":")[0]
        console.say(
            f"  {name:30} {needed:>9,} conversations (now {one.drop_pp:.1f} points, {kind})"
        )
    return 0
