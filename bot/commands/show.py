"""`show`: the newest published run, how its metrics moved, what changed since the run before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.commands.plain_table import Table, plain_table
from bot.comment.provider_rows import UNDEFINED, percent, points, run_label
from bot.comment.trend import sparkline
from bot.console import Console
from bot.errors import one_line
from bot.gate.regression import Check
from bot.history.comparable import (
    MAX_TREND_RUNS,
    Change,
    comparable_runs,
    earlier_runs,
    entries_of,
    input_changes,
)
from bot.history.file import load_history
from bot.history.model import RunEntry
from bot.suites import Suite

NO_RUN: Final = "{path}: no run is published yet"
FIRST_RUN: Final = "the first run of this provider and kind of mode: nothing to compare with"
OTHER_GOLD_SET: Final = "the gold set changed: no metric is compared with the run before"

_HASH_CHARS: Final = 12
_MAX_TEXT_CHARS: Final = 100


def run_show(path: Path, suite: Suite, console: Console) -> int:
    """Print it; 0, whatever the verdict. Raises BadInput for a history that cannot be read."""
    published = entries_of(load_history(path, suite.name))
    if not published:
        console.say(NO_RUN.format(path=path))
        return 0
    run = published[0]
    before = next(iter(earlier_runs(run, published)), None)
    line = comparable_runs(run, published, MAX_TREND_RUNS - 1)
    console.say(f"{suite.title}: {run.status.upper()} — {name_of(run)} on {run.branch}")
    console.say(
        f"{run.provider} ({run.model}) [{run_label(run)}] mode {run.mode}, "
        f"{run.conversation_count} conversations of gold set {run.gold_set}"
    )
    console.print_raw(plain_table(_table(run, before, line, suite)))
    for sentence in _since(run, before):
        console.say(sentence)
    return 0


def name_of(run: RunEntry) -> str:
    """Which run it is, and when it was evaluated."""
    number = f"run {run.run_number}" if run.run_number else "local run"
    return f"{number} of {run.short_sha}, {run.evaluated_at:%Y-%m-%d %H:%M %Z}"


def _table(run: RunEntry, before: RunEntry | None, line: Sequence[RunEntry], suite: Suite) -> Table:
    checks = {check.metric: check for check in run.gate_summary.checks}
    headlines = [name for name, _ in suite.words.headlines]
    is_comparable = before is not None and before.gold_set == run.gold_set
    rows = [["metric", "now", "change (points)", "baseline", f"last {len(line)}", "gate"]]
    for metric in dict.fromkeys([*headlines, *suite.gated_metrics]):
        now = run.metrics.get(metric)
        then = before.metrics.get(metric) if before and is_comparable else None
        check = checks.get(metric)
        rows.append(
            [
                metric,
                percent(now),
                UNDEFINED if now is None or then is None else points((now - then) * 100),
                percent(check.baseline if check else None),
                sparkline([entry.metrics.get(metric) for entry in line]),
                _verdict(check),
            ]
        )
    return rows


def _verdict(check: Check | None) -> str:
    if check is None:
        return "not checked"
    if check.ok:
        return "ok"
    return "not computable" if check.value is None else f"over the limit of {check.limit:g}"


def _since(run: RunEntry, before: RunEntry | None) -> list[str]:
    if before is None:
        return [FIRST_RUN]
    changes = [Change("commit", before.short_sha, run.short_sha), *input_changes(before, run)]
    if before.model != run.model:
        changes.append(Change("model", before.model, run.model))
    sentences = [f"since {name_of(before)}:"]
    sentences += [f"  {change_in_words(change)}" for change in changes]
    if before.gold_set != run.gold_set:
        sentences.append(OTHER_GOLD_SET)
    return sentences


def change_in_words(change: Change) -> str:
    """ "prompt 0d3f… → 77ab…"; a hash is shortened."""
    length = _HASH_CHARS if change.what in ("prompt", "schema") else _MAX_TEXT_CHARS
    before, after = (one_line(text, length) for text in (change.before, change.after))
    return f"{change.what} {before} → {after}"
