"""What the statistics say, as a report and a gate result hold it. Standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

LEVEL: Final = 0.95
"""Of every interval; 1 - LEVEL is also the error rate of the tests of one comparison together."""

ALPHA: Final = 0.05
RESAMPLES: Final = 2_000
SEED: Final = 241_100_640
"""Any number would do; a fixed one gives the same report for the same answers."""

LEAST_CONVERSATIONS: Final = 10
"""With fewer conversations that carry a metric their resamples are too much alike to tell."""

Change = Literal["dropped", "improved", "no change seen", "inconclusive"]


@dataclass(frozen=True, slots=True)
class MetricChange:
    """One metric on the same conversations before and after; points are (current - baseline) * 100.

    `n` conversations carry it, `differing` of them count otherwise than before. `low_pp` and
    `high_pp` bound the difference with probability `level`, each metric for itself; `p` is
    two-sided, `p_holm` corrected over the gated metrics. None where it could not be computed, which
    `reason` then explains.
    """

    metric: str
    n: int
    differing: int
    difference_pp: float | None
    low_pp: float | None
    high_pp: float | None
    level: float
    method: str
    test: str
    p: float | None
    p_holm: float | None
    change: Change
    reason: str = ""

    def is_significant(self, alpha: float = ALPHA) -> bool:
        """Whether the change is beyond chance after correction, in whichever direction."""
        return self.p_holm is not None and self.p_holm < alpha


@dataclass(frozen=True, slots=True)
class Comparison:
    """All gated metrics of two measurements of the same `conversations`."""

    conversations: int
    resamples: int
    seed: int
    alpha: float
    metrics: Mapping[str, MetricChange]


@dataclass(frozen=True, slots=True)
class NotPaired:
    """Why two measurements could not be compared pair by pair, in words."""

    reason: str
