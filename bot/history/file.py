"""The history on disk: read whole, written atomically under a lock, every run archived.

The archive gets a run before the published file does, so what falls off the published file is
there already, and an append never has to read the archive.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from pydantic import ValidationError

from bot.errors import BadInput
from bot.files import check_folders, decode, locked, parse_json, read_bytes, to_json, write_atomic
from bot.history.append import Appended, append_run
from bot.history.badge import Clock, badge_files
from bot.history.model import (
    CURRENT_VERSION,
    History,
    HistoryFile,
    RunEntry,
    StoredRun,
    history_json_schema,
)
from bot.history.paths import HistoryFiles
from bot.history.upgrade import upgrade, version_of
from bot.validation import describe, validate

MAX_ARCHIVE_LINE_BYTES: Final = 1024 * 1024
_RESTORE: Final = "restore it from version control; nothing was written"


def parse_history(data: bytes, benchmark: str, where: str | Path) -> tuple[History, int]:
    """A published file's bytes as a history, and the version it had; raises BadInput."""
    raw = parse_json(decode(data, where), where)
    version = version_of(raw, where)
    file = validate(HistoryFile, raw, where, _RESTORE)
    if file.benchmark != benchmark:
        raise BadInput(f"holds benchmark {file.benchmark!r}, not {benchmark!r}", where=where)
    upgraded = upgrade(raw, version)
    runs = tuple(StoredRun(e, r) for e, r in zip(file.runs, upgraded["runs"], strict=True))
    header = {name: value for name, value in upgraded.items() if name != "runs"}
    return History(benchmark, runs, header), version


def _read(path: Path, benchmark: str) -> tuple[History, int]:
    if not path.exists() and not path.is_symlink():
        check_folders(path)
        return History(benchmark), CURRENT_VERSION
    return parse_history(read_bytes(path), benchmark, path)


def load_history(path: Path, benchmark: str) -> History:
    """An absent file is a first run; a file that cannot be read is an error, never an empty one."""
    return _read(path, benchmark)[0]


def history_text(history: History) -> str:
    """The published file's text."""
    header = dict(history.header or {}) | {
        "schema_version": CURRENT_VERSION,
        "benchmark": history.benchmark,
    }
    return to_json({**header, "runs": [dict(run.raw) for run in history.runs]})


def archive_line(run: StoredRun) -> str:
    return json.dumps(dict(run.raw), ensure_ascii=False, allow_nan=False) + "\n"


def _end_last_line(file: IO[bytes]) -> None:
    """Make the archive end in a whole line: a writer may have been killed within its last one.

    A last line that is whole but for its line break gets it. A torn one never was acknowledged and
    its run is not in the published file: it is cut off.
    """
    size = file.seek(0, os.SEEK_END)
    tail_start = max(0, size - MAX_ARCHIVE_LINE_BYTES)
    file.seek(tail_start)
    tail = file.read()
    if not tail or tail.endswith(b"\n"):
        return
    line_start = tail.rfind(b"\n") + 1
    try:
        json.loads(tail[line_start:])
    except ValueError:
        file.truncate(tail_start + line_start)
    else:
        file.write(b"\n")


def append_to_archive(path: Path, runs: list[StoredRun]) -> None:
    """Append one line a run, synced to disk; the time taken does not depend on the length."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            _end_last_line(file)
            file.write("".join(archive_line(run) for run in runs).encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror}", where=path) from error


@dataclass(frozen=True, slots=True)
class ArchiveFault:
    """A line of the archive that is no run."""

    line_number: int
    message: str


def read_archive(path: Path) -> Iterator[StoredRun | ArchiveFault]:
    """Line by line, in constant memory. A key that comes again supersedes by its run number.

    Raises BadInput for a file that cannot be read at all.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield _archived(line, number, path)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from error


def _archived(line: bytes, number: int, path: Path) -> StoredRun | ArchiveFault:
    try:
        raw: Any = parse_json(decode(line, path), f"{path}:{number}")
        return StoredRun(RunEntry.model_validate(raw), raw)
    except BadInput as error:
        return ArchiveFault(number, error.what)
    except ValidationError as error:
        return ArchiveFault(number, describe(error))


def publish_locally(files: HistoryFiles, entry: RunEntry, max_runs: int, clock: Clock) -> Appended:
    """Add `entry` to the published file and to its archive, and write JSON Schema and badges.

    Raises BadInput, with everything left as it was, when the history cannot be read.
    """
    run = StoredRun.of(entry)
    with locked(files.data):
        history, version = _read(files.data, files.benchmark)
        appended = append_run(history, run, max_runs)
        if appended.outcome == "kept_newer":
            append_to_archive(files.archive, [run])
            return appended
        is_archived = version == CURRENT_VERSION and files.archive.exists()
        unarchived = [] if is_archived else list(reversed(history.runs))
        append_to_archive(files.archive, [*unarchived, run])
        write_atomic(files.schema, to_json(history_json_schema(files.benchmark)))
        for path, text in badge_files(appended.history, files, clock).items():
            write_atomic(path, text)
        write_atomic(files.data, history_text(appended.history))
    return appended
