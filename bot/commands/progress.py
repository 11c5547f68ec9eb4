"""How far a live run is: a bar on a terminal, a plain line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from bot.comment.provider_rows import cost_in_words
from bot.console import Console
from bot.evaluation.outcome import Outcome, OutcomeTally
from bot.evaluation.report import LIVE_MODES
from bot.providers.registry import ProviderChoice

SECONDS_BETWEEN_LINES: Final = 10.0

OnOutcome = Callable[[Outcome, OutcomeTally], None]


def _state(tally: OutcomeTally) -> str:
    cost = cost_in_words(tally.cost_usd if tally.is_cost_known else None)
    return f"{tally.failures.total()} failures, cost {cost}"


@contextmanager
def watching(choice: ProviderChoice, console: Console) -> Iterator[ProviderChoice]:
    """`choice`, telling its progress while the block runs; nothing for one that calls no server."""
    if choice.mode not in LIVE_MODES:
        yield choice
        return
    try:
        if console.is_terminal:
            with _bar(console) as on_outcome:
                yield _told(choice, on_outcome, console)
        else:
            yield _told(choice, _lines(console), console)
    except KeyboardInterrupt:
        console.warn(f"what was answered is kept in {choice.live.journal}: --resume goes on")
        raise


def _told(choice: ProviderChoice, on_outcome: OnOutcome, console: Console) -> ProviderChoice:
    def tell(reason: str) -> None:
        console.warn(f"the server refused a part of the request: {reason}")

    return replace(choice, live=replace(choice.live, on_outcome=on_outcome, on_step_down=tell))


@contextmanager
def _bar(console: Console) -> Iterator[OnOutcome]:
    """A bar without an end when `total` is not known is still a sign of life."""
    from rich.console import Console as Terminal
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    terminal = Terminal(file=console.err, highlight=False, markup=False)
    with Progress(*columns, TimeElapsedColumn(), console=terminal, transient=True) as progress:
        task = progress.add_task("asking", total=None)

        def on_outcome(outcome: Outcome, tally: OutcomeTally) -> None:
            progress.update(
                task, completed=tally.asked, total=tally.to_ask, description=_state(tally)
            )

        yield on_outcome


def _lines(console: Console) -> OnOutcome:
    told_at = time.monotonic()

    def on_outcome(outcome: Outcome, tally: OutcomeTally) -> None:
        nonlocal told_at
        is_last = tally.asked == tally.to_ask
        if is_last or time.monotonic() - told_at >= SECONDS_BETWEEN_LINES:
            told_at = time.monotonic()
            console.note(f"answered {tally.asked} of {tally.to_ask or '?'}: {_state(tally)}")

    return on_outcome
