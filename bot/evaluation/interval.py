"""The interval of a metric, as a report holds it; computed by `bot.statistics.intervals`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a metric (fractions) lies with probability `level`; `n` conversations carry it."""

    low: float
    high: float
    level: float
    method: str
    n: int


@dataclass(frozen=True, slots=True)
class NoInterval:
    """Why there is no interval, in words."""

    reason: str


IntervalOrReason = Interval | NoInterval
