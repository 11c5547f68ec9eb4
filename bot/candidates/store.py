"""A folder of candidate records, one a file named `<id>.json` (CONTRACTS section 10).

Whatever else lies in the folder is reported and left alone: never read as a record, never migrated,
moved or deleted. Hidden files are nobody's business: a writer that was killed leaves one.
"""

import heapq
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bot.candidates.bounded import is_uuid7, uuid7_prefix
from bot.candidates.record import MAX_RECORD_BYTES, CandidateRecord, parse_record, record_to_json
from bot.errors import BadInput, one_line
from bot.files import read_bytes, write_new

NAMES_AT_ONCE: Final = 4_096
"""Names held in memory, about 1 MB. A larger folder is scanned again for the names that follow,
which adds a tenth to the time of reading 100,000 records."""

SUFFIX: Final = ".json"

_NO_FILE: Final = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a directory"}


@dataclass(frozen=True)
class CandidateFault:
    """A name in the folder that holds no valid record, and why, on one line."""

    name: str
    reason: str


def _check_regular(path: Path) -> None:
    """Reading a pipe would wait for its writer, and a link leads out of the folder."""
    try:
        mode = stat.S_IFMT(path.lstat().st_mode)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", where=path) from error
    if mode != stat.S_IFREG:
        raise BadInput(f"is {_NO_FILE.get(mode, 'a device or a pipe')}, not a file", where=path)


def load_candidate(path: Path) -> CandidateRecord:
    """The record in a file that must bear its id as its name.

    Raises BadInput for a name that is no id or another record's, a symbolic link, a directory, a
    file over the bound, and what breaks a rule of the schema.
    """
    if path.suffix != SUFFIX or not is_uuid7(path.stem):
        raise BadInput("is no record's file: its name is not <id>.json", where=path)
    _check_regular(path)
    record = parse_record(read_bytes(path, MAX_RECORD_BYTES), path)
    if record.id != path.stem:
        raise BadInput(f"its name is not its id, which is {record.id}", where=path)
    return record


class CandidateStore:
    """The records in `directory`; the folder is made when the first is added."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def path_of(self, candidate_id: str) -> Path:
        """Where a record lies; raises BadInput when `candidate_id` is no id (a path, say)."""
        if not is_uuid7(candidate_id):
            raise BadInput(f"{candidate_id!r} is no candidate's id, a UUIDv7 in lower case")
        return self.directory / f"{candidate_id}{SUFFIX}"

    def add(self, record: CandidateRecord) -> Path:
        """Write the record whole, or not at all; returns its path.

        Raises BadInput when its id is taken, also by a writer at the same moment, or when the disk
        refuses: a record that is there is never overwritten.
        """
        path = self.path_of(record.id)
        write_new(path, record_to_json(record))
        return path

    def read(self, candidate_id: str) -> CandidateRecord:
        """One record; raises BadInput when it is not there or not valid."""
        return load_candidate(self.path_of(candidate_id))

    def entries(
        self, after: str | None = None, since: datetime | None = None
    ) -> Iterator[CandidateRecord | CandidateFault]:
        """Every record and every fault, in order of their names, so of the records' creation.

        Only names that sort after the id `after`, and only from the ids of `since` on; a fault is
        left out by its name too. Memory is bounded, however many there are. Raises BadInput when
        the folder cannot be listed, or `after` is no id.
        """
        start = self.path_of(after).name if after is not None else ""
        if since is not None:
            start = max(start, uuid7_prefix(since))
        while names := self._next_names(start):
            yield from filter(None, map(self._entry, names))
            start = names[-1]

    def _next_names(self, after: str) -> list[str]:
        try:
            with os.scandir(self.directory) as scan:
                names = (entry.name for entry in scan if not entry.name.startswith("."))
                return heapq.nsmallest(NAMES_AT_ONCE, (name for name in names if name > after))
        except OSError as error:
            raise BadInput(f"cannot be listed: {error.strerror}", where=self.directory) from error

    def _entry(self, name: str) -> CandidateRecord | CandidateFault | None:
        """None for what was there a moment ago and is gone."""
        path = self.directory / name
        try:
            return load_candidate(path)
        except BadInput as error:
            return CandidateFault(name, one_line(error.what)) if os.path.lexists(path) else None
