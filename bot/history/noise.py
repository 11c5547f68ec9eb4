"""The A/A noise floor: how far live scores lie apart when nothing was changed. Pure.

Learned from runs of equal prompt, schema, gold set and model: two scores drawn from the same are
apart by sqrt(2) times the standard deviation; 1.96 of that covers 95 %.
"""

import math
from collections.abc import Iterable
from statistics import stdev
from typing import Final

from bot.history.comparable import same_line
from bot.history.model import RunEntry

MIN_RUNS: Final = 5
"""Under five the standard deviation itself is a guess."""

COVERAGE: Final = 1.96
_SAME: Final = ("prompt_sha256", "schema_sha256", "gold_set", "model", "conversation_count")


def same_experiment(run: RunEntry, archived: Iterable[RunEntry]) -> list[RunEntry]:
    """The archive's other live runs that measured the same; a replay has no noise.

    A run without a recorded prompt or schema proves nothing.
    """
    known = run.prompt_sha256 is not None and run.schema_sha256 is not None
    if not known or run.key[2] != "live":
        return []
    return [
        one
        for one in archived
        if same_line(one, run)
        and (one.sha, one.timestamp) != (run.sha, run.timestamp)
        and all(getattr(one, field) == getattr(run, field) for field in _SAME)
    ]


def noise_floor_pp(run: RunEntry, archived: Iterable[RunEntry]) -> tuple[int, dict[str, float]]:
    """How many runs, and by metric the difference in points that 95 % of A/A pairs stay under.

    Empty with fewer than MIN_RUNS runs; a metric that is undefined in one of them is left out.
    """
    same = same_experiment(run, archived)
    if len(same) < MIN_RUNS:
        return len(same), {}
    floors = {}
    for name in run.metrics:
        values = [one.metrics[name] for one in same if name in one.metrics]
        if len(values) == len(same):
            floors[name] = COVERAGE * math.sqrt(2) * stdev(values) * 100
    return len(same), floors
