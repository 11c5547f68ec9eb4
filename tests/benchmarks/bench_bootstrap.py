"""2,000 resamples of 1,000 conversations, all metrics; and what a gate that tests pairs takes.

    python -m tests.benchmarks.bench_bootstrap

Figure to reach: under 2 s.
"""

import time

import numpy as np

from bot.evaluation.metrics import FORMULAS
from bot.evaluation.scores import GATED_METRICS
from bot.statistics.comparison import compare
from bot.statistics.intervals import metric_intervals
from tests.benchmarks.bench_false_alarms import World, draw_gold, measure

SIZES = (171, 1_000, 10_000)


def main() -> None:
    for conversations in SIZES:
        random = np.random.default_rng(conversations)
        gold = draw_gold(random, conversations)
        old, new = (measure(random, gold, World(), 0.0) for _ in range(2))
        started = time.perf_counter()
        intervals = metric_intervals(new, FORMULAS)
        middle = time.perf_counter()
        compare(old, new, FORMULAS, GATED_METRICS, 3.0)
        ended = time.perf_counter()
        print(
            f"{conversations:>7,} conversations: intervals of {len(intervals)} metrics "
            f"{middle - started:.2f} s, paired comparison {ended - middle:.2f} s"
        )


if __name__ == "__main__":
    main()
