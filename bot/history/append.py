"""The append rules (CONTRACTS section 5), pure: a history and a run in, a history out."""

from dataclasses import dataclass, replace
from typing import Literal

from bot.history.model import History, StoredRun

Outcome = Literal["added", "replaced", "kept_newer"]


@dataclass(frozen=True, slots=True)
class Appended:
    """`outcome` is "kept_newer" when a newer run of the same key stands: nothing changed."""

    history: History
    outcome: Outcome


def append_run(history: History, run: StoredRun, max_runs: int) -> Appended:
    """`history` with `run` in its place, the newest `max_runs` kept.

    The same key again replaces the older entry only when its run number is greater or equal, so a
    late run never replaces a newer one.
    """
    same = [old for old in history.runs if old.entry.key == run.entry.key]
    if any(old.entry.run_number > run.entry.run_number for old in same):
        return Appended(history, "kept_newer")
    others = [old for old in history.runs if old.entry.key != run.entry.key]
    runs = sorted([run, *others], key=lambda stored: stored.entry.order, reverse=True)
    outcome: Outcome = "replaced" if same else "added"
    return Appended(replace(history, runs=tuple(runs[:max_runs])), outcome)
