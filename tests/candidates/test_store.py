"""A folder of records on a real disk: written whole and once, read in order of creation."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import pytest

from bot.candidates import store as store_module
from bot.candidates.record import MAX_RECORD_BYTES, CandidateRecord, new_id, record_to_json
from bot.candidates.store import CandidateFault, CandidateStore
from bot.errors import BadInput
from tests.support.candidates import candidate, encoded, fields, id_at, stage

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "staging"


@pytest.fixture
def store(folder: Path) -> CandidateStore:
    return CandidateStore(folder)


def names(store: CandidateStore) -> list[str]:
    """All that lies in the folder, hidden files too."""
    return sorted(path.name for path in store.directory.iterdir())


def ids(store: CandidateStore, after: str | None = None) -> list[str]:
    return [entry.id for entry in store.entries(after) if isinstance(entry, CandidateRecord)]


def faults(store: CandidateStore) -> dict[str, str]:
    return {
        entry.name: entry.reason for entry in store.entries() if isinstance(entry, CandidateFault)
    }


# Writing


def test_a_record_lies_in_a_file_named_by_its_id_and_is_read_back(store: CandidateStore) -> None:
    record = candidate()
    path = store.add(record)
    assert path == store.directory / f"{record.id}.json"
    assert path.read_bytes() == record_to_json(record)
    assert path.stat().st_mode & 0o777 == 0o644
    assert store.read(record.id) == record
    assert names(store) == [path.name]


def test_a_record_that_is_there_is_never_overwritten(store: CandidateStore) -> None:
    first = candidate()
    store.add(first)
    with pytest.raises(BadInput, match="exists already and is never overwritten"):
        store.add(candidate(id=first.id, claim="Another one."))
    assert store.read(first.id) == first
    assert len(names(store)) == 1


def test_a_link_that_leads_nowhere_is_not_written_through(store: CandidateStore) -> None:
    record = candidate()
    store.directory.mkdir()
    outside = store.directory.parent / "outside.json"
    (store.directory / f"{record.id}.json").symlink_to(outside)
    with pytest.raises(BadInput, match="exists already"):
        store.add(record)
    assert not outside.exists()


WRITER = """
import sys, time
from pathlib import Path
from bot.candidates.record import parse_record
from bot.candidates.store import CandidateStore
from bot.errors import BadInput
from tests.support.candidates import encoded, fields

folder, go, writer, *ids = sys.argv[1:]
records = [parse_record(encoded(fields(id=id, claim=f"By writer {writer}."))) for id in ids]
print("ready", flush=True)
while not Path(go).exists():
    time.sleep(0.001)
for record in records:
    try:
        CandidateStore(Path(folder)).add(record)
        print(record.id)
    except BadInput:
        pass
"""


def test_of_writers_at_once_one_wins_and_its_record_is_whole(
    store: CandidateStore, tmp_path: Path
) -> None:
    wanted, go = [new_id() for _ in range(50)], tmp_path / "go"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store.directory), str(go), str(number), *wanted],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    go.touch()
    wins = [writer.communicate()[0].split() for writer in writers]
    assert sorted(chain.from_iterable(wins)) == sorted(wanted)
    for number, won in enumerate(wins):
        for candidate_id in won:
            assert store.read(candidate_id).claim == f"By writer {number}."
    assert faults(store) == {}
    assert len(names(store)) == len(wanted)


def test_a_writer_that_is_killed_leaves_no_record_and_no_fault(
    store: CandidateStore, tmp_path: Path
) -> None:
    stage(store.directory, before := candidate())
    killed = "import os; os.fsync = lambda _: os.kill(os.getpid(), 9)\n" + WRITER
    (tmp_path / "go").touch()
    arguments = [str(store.directory), str(tmp_path / "go"), "1", new_id()]
    done = subprocess.run(
        [sys.executable, "-c", killed, *arguments], cwd=ROOT, check=False, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL
    assert len(names(store)) == 2
    assert list(store.entries()) == [before]


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "staging"):
        with pytest.raises(BadInput, match="cannot be written: "):
            CandidateStore(folder).add(candidate())


# Reading


def test_records_come_in_order_of_their_creation(store: CandidateStore) -> None:
    records = [candidate() for _ in range(20)]
    stage(store.directory, *records[::-1])
    assert list(store.entries()) == records
    assert ids(store, after=records[4].id) == [record.id for record in records[5:]]


def test_a_folder_of_more_names_than_are_held_is_read_whole_and_once(
    store: CandidateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "NAMES_AT_ONCE", 4)
    for count in (3, 4, 5, 13):
        records = [candidate() for _ in range(count)]
        folder = store.directory / str(count)
        stage(folder, *records)
        assert list(CandidateStore(folder).entries()) == records


def test_records_of_a_time_are_found_by_their_ids(store: CandidateStore) -> None:
    instants = [datetime(2026, month, 1, tzinfo=UTC) for month in (1, 2, 3)]
    records = [candidate(id=id_at(round(at.timestamp() * 1000))) for at in instants]
    stage(store.directory, *records)
    assert list(store.entries(since=instants[1])) == records[1:]
    assert list(store.entries(since=datetime(1900, 1, 1, tzinfo=UTC))) == records
    assert list(store.entries(after=records[2].id, since=instants[0])) == []


def test_what_is_no_record_is_reported_with_its_reason_and_left_where_it_is(
    store: CandidateStore, tmp_path: Path
) -> None:
    good, other = candidate(), candidate()
    stage(store.directory, good)
    whole = record_to_json(other)
    (tmp_path / "elsewhere.json").write_bytes(whole)

    def name() -> str:
        return f"{new_id()}.json"

    half, renamed, old, large = name(), name(), name(), name()
    linked, folder, pipe = f"{other.id}.json", name(), name()
    (store.directory / half).write_bytes(whole[:200])
    (store.directory / renamed).write_bytes(whole)
    (store.directory / old).write_bytes(b'{"decisions": [], "requests": []}')
    (store.directory / large).write_bytes(b" " * (MAX_RECORD_BYTES + 1))
    (store.directory / linked).symlink_to(tmp_path / "elsewhere.json")
    (store.directory / folder).mkdir()
    os.mkfifo(store.directory / pipe)
    (store.directory / "notes.md").write_text("mine")
    (store.directory / f"copy of {good.id}.json").write_bytes(whole)
    (store.directory / f"{new_id().upper()}.json").write_bytes(whole)
    (store.directory / f".{name()}.x1y2").write_bytes(b"{")
    before = names(store)

    found = faults(store)
    assert found.pop(half).startswith("is not JSON")
    assert found.pop(renamed) == f"its name is not its id, which is {other.id}"
    assert found.pop(old).startswith("the whole: is a batch payload (holds decisions, requests)")
    assert found.pop(large) == "is larger than 16,384 bytes, the bound for such a file"
    assert found.pop(linked) == "is a symbolic link, not a file"
    assert found.pop(folder) == "is a directory, not a file"
    assert found.pop(pipe) == "is a device or a pipe, not a file"
    assert len(found) == 3
    assert set(found.values()) == {"is no record's file: its name is not <id>.json"}
    assert ids(store) == [good.id]
    assert names(store) == before


def test_a_fault_cannot_forge_a_second_line(store: CandidateStore) -> None:
    unsafe = fields(**{"a\n::error::b": 1})
    store.directory.mkdir()
    (store.directory / f"{unsafe['id']}.json").write_bytes(encoded(unsafe))
    (reason,) = faults(store).values()
    assert reason.startswith("a\\n::error::b: Extra inputs are not permitted")


@pytest.mark.parametrize("unsafe", ["../secret", "a/b", "..", "", "x.json", "C:\\x", "\0"])
def test_an_id_that_is_a_path_is_refused(store: CandidateStore, unsafe: str) -> None:
    for use in (store.read, lambda text: list(store.entries(after=text))):
        with pytest.raises(BadInput, match="is no candidate's id"):
            use(unsafe)


def test_a_record_that_is_not_there_and_a_folder_that_is_not_there_are_said(
    store: CandidateStore,
) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        store.read(new_id())
    with pytest.raises(BadInput, match="cannot be listed: No such file"):
        list(store.entries())


def test_a_record_that_is_taken_away_during_the_listing_is_no_fault(store: CandidateStore) -> None:
    records = [candidate() for _ in range(3)]
    stage(store.directory, *records)
    entries = store.entries()
    assert next(entries) == records[0]
    (store.directory / f"{records[1].id}.json").unlink()
    assert list(entries) == [records[2]]
