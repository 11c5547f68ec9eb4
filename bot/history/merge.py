"""Merges published files row by row, pure: what main and the data branch hold, and one run.

A file is never replaced whole by another (CONTRACTS section 9): rows of both sides stay, whichever
of them a squash merge, a second publisher or an interrupted one has left behind.
"""

from collections.abc import Iterable
from dataclasses import replace

from bot.files import json_lines
from bot.history.append import append_run
from bot.history.file import archive_line, parse_history
from bot.history.model import History, RunEntry, StoredRun
from bot.validation import validate


def read_published(data: bytes | None, benchmark: str, where: str) -> History:
    """None, a file that does not exist (404), is a first run; raises BadInput for a bad one."""
    return History(benchmark) if data is None else parse_history(data, benchmark, where)[0]


def read_archive_lines(data: bytes | None, where: str) -> list[StoredRun]:
    """The runs of an archive; raises BadInput for a line that is none: nothing may be lost."""
    if data is None:
        return []
    return [
        StoredRun(validate(RunEntry, raw, f"{where}:{number}"), raw)
        for number, raw in json_lines(data, where)
    ]


def merge_histories(ours: History, theirs: History, max_runs: int) -> History:
    """The rows of both, the rules of an append applied to each."""
    merged = replace(ours, header={**(theirs.header or {}), **(ours.header or {})})
    for run in reversed(theirs.runs):
        merged = append_run(merged, run, max_runs).history
    return merged


def merge_archives(*archives: Iterable[StoredRun]) -> list[StoredRun]:
    """Each line once, in the order of first appearance."""
    lines: dict[str, StoredRun] = {}
    for archive in archives:
        for run in archive:
            lines.setdefault(archive_line(run), run)
    return list(lines.values())


def add_run(
    history: History, archive: list[StoredRun], run: StoredRun, max_runs: int
) -> tuple[History, bytes]:
    """(history, archive) with `run` added; what was published is archived too."""
    appended = append_run(history, run, max_runs)
    lines = merge_archives(archive, reversed(history.runs), [run])
    text = "".join(archive_line(line) for line in lines)
    return appended.history, text.encode()


def holds(history: History, archive: Iterable[StoredRun], run: StoredRun) -> bool:
    """Whether `run`, or a newer one of the same key, is published or archived already."""
    return any(
        known.entry.key == run.entry.key and known.entry.run_number >= run.entry.run_number
        for known in (*history.runs, *archive)
    )
