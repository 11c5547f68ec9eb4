"""What bounds a run, and when it has seen enough failures."""

from dataclasses import dataclass
from typing import Final

from bot.errors import Unreachable
from bot.evaluation.outcome import OutcomeTally

DEFAULT_CONCURRENCY: Final = 8


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """None is no bound. `max_failures` failures are borne, one more stops the run."""

    concurrency: int = DEFAULT_CONCURRENCY
    max_cost_usd: float | None = None
    max_failures: int | None = None


def check_failures(tally: OutcomeTally, most: int | None, where: str, next_step: str = "") -> None:
    """Raises Unreachable when there are more than `most` failures; None is no bound."""
    failures = tally.failures.total()
    if most is None or failures <= most:
        return
    last = tally.failed[-1]
    raise Unreachable(
        f"{failures} failures in {tally.asked} conversations, more than --max-failures {most}; "
        f"the last: {last.conversation_id}: {last.detail or last.kind}",
        where=where,
        next_step=next_step,
    )
