"""Which runs may stand beside each other, and what changed from one to the next; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bot.history.model import History, RunEntry

MAX_TREND_RUNS: Final = 20
"""What a small chart and a sparkline can show."""

_INPUTS: Final = (
    ("gold_set", "gold set"),
    ("prompt_sha256", "prompt"),
    ("schema_sha256", "schema"),
    ("cassette_kind", "cassettes"),
)
"""What the numbers depend on besides the code: where one changes, a line has a break."""


@dataclass(frozen=True, slots=True)
class Change:
    """`what` is a word of ours; `before` and `after` are untrusted."""

    what: str
    before: str
    after: str


def entries_of(history: History) -> tuple[RunEntry, ...]:
    return tuple(stored.entry for stored in history.runs)


def same_line(entry: RunEntry, other: RunEntry) -> bool:
    """Whether both are of one provider and kind of mode: a replay never continues a live run."""
    return entry.key[1:] == other.key[1:]


def earlier_runs(run: RunEntry, published: Iterable[RunEntry]) -> list[RunEntry]:
    """The runs of `run`'s line that were evaluated before it, in the order of `published`.

    One a commit: `run` may be published itself, and replaces an older run of its commit.
    """
    seen = {run.sha}
    found = []
    for entry in published:
        is_earlier = entry.evaluated_at <= run.evaluated_at
        if same_line(entry, run) and is_earlier and entry.sha not in seen:
            seen.add(entry.sha)
            found.append(entry)
    return found


def comparable_runs(
    run: RunEntry, published: Iterable[RunEntry], max_runs: int = MAX_TREND_RUNS
) -> list[RunEntry]:
    """The newest `max_runs` earlier runs of its line and gold set, then `run`: oldest first."""
    same = [entry for entry in earlier_runs(run, published) if entry.gold_set == run.gold_set]
    return [*reversed(same[:max_runs]), run]


def input_changes(older: RunEntry, newer: RunEntry) -> list[Change]:
    """The inputs that differ; one that either of the two does not record is not known to."""
    pairs = [(word, getattr(older, field), getattr(newer, field)) for field, word in _INPUTS]
    return [Change(word, a, b) for word, a, b in pairs if a and b and a != b]


def inputs_changed(runs: Sequence[RunEntry]) -> list[str]:
    """The words of what changed anywhere between neighbours, each once."""
    pairs = pairwise(runs)
    changes = [change.what for older, newer in pairs for change in input_changes(older, newer)]
    return list(dict.fromkeys(changes))
