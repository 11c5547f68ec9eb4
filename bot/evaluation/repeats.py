"""What a report holds of `--repeats`; computed by `bot.statistics.repeats`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """`mean` is a fraction; the two standard deviations are in percentage points.

    `between_repeats_pp` is the model's own; `between_conversations_pp` what another choice of
    conversations would add, without it.
    """

    mean: float
    between_repeats_pp: float
    between_conversations_pp: float | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """`metrics` are the spread by metric; `cost_usd` is of all repeats, None when unknown."""

    count: int
    cost_usd: float | None
    metrics: dict[str, RepeatSpread]
