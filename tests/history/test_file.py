"""The history on a real disk: kept whole, archived, locked, never half-written."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.errors import BadInput
from bot.history.file import (
    ArchiveFault,
    append_to_archive,
    load_history,
    publish_locally,
    read_archive,
)
from bot.history.model import RunEntry, StoredRun, history_json_schema
from bot.history.paths import HistoryFiles
from bot.suites import EXTRACTION_QUALITY
from tests.support.runs import CLOCK, run_entry

ROOT = Path(__file__).parent.parent.parent
NAME = "extraction_quality"


@pytest.fixture
def files(tmp_path: Path) -> HistoryFiles:
    return EXTRACTION_QUALITY.history_files(tmp_path / "web_data" / "data.json")


def publish(files: HistoryFiles, *entries: RunEntry, max_runs: int = 50) -> None:
    for entry in entries:
        publish_locally(files, entry, max_runs, CLOCK)


def published(files: HistoryFiles) -> dict[str, Any]:
    raw: dict[str, Any] = json.loads(files.data.read_text(encoding="utf-8"))
    return raw


def archived(files: HistoryFiles) -> list[int]:
    lines = list(read_archive(files.archive))
    assert not [line for line in lines if isinstance(line, ArchiveFault)]
    return [line.entry.run_number for line in lines if isinstance(line, StoredRun)]


def test_the_first_run_makes_file_archive_and_schema(files: HistoryFiles) -> None:
    publish(files, run_entry(1))
    assert published(files)["schema_version"] == 2
    assert archived(files) == [1]
    jsonschema.validate(published(files), json.loads(files.schema.read_text(encoding="utf-8")))


def test_a_version_1_file_is_kept_whole_and_raised(files: HistoryFiles, existing: Path) -> None:
    old = json.loads((existing / "extraction-quality-benchmark-data.v1.json").read_text())
    files.data.parent.mkdir()
    files.data.write_text(json.dumps(old))
    publish(files, run_entry(4))
    raw = published(files)
    assert raw["schema_version"] == 2
    assert raw["runs"][1:] == old["runs"]
    assert archived(files) == [1, 2, 3, 4]


def test_unknown_fields_are_kept_wherever_they_are_nested(files: HistoryFiles) -> None:
    publish(files, run_entry(1))
    raw = published(files)
    raw["dashboard"] = {"pinned": ["a"]}
    raw["runs"][0]["cost_usd"] = 1.25
    raw["runs"][0]["gate_summary"]["judge"] = "v9"
    check = {"name": "openai.recall_macro regression (pp)", "value": 0.0, "limit": 3.0, "ok": True}
    newer = {"current": 1.0, "baseline": 1.0, "tolerance": 1e-9}
    raw["runs"][0]["gate_summary"]["checks"] = [check | newer]
    raw["runs"][0]["counts"] = None
    raw["runs"][0]["providers"] = []
    files.data.write_text(json.dumps(raw))
    publish(files, run_entry(2))
    again = published(files)
    assert again["dashboard"] == {"pinned": ["a"]}
    assert again["runs"][1] == raw["runs"][0]


def test_what_falls_off_the_published_file_is_in_the_archive(files: HistoryFiles) -> None:
    publish(files, *map(run_entry, range(1, 8)), max_runs=3)
    assert [run["run_number"] for run in published(files)["runs"]] == [7, 6, 5]
    assert archived(files) == [1, 2, 3, 4, 5, 6, 7]


def test_a_lost_archive_is_begun_again_with_all_that_is_published(files: HistoryFiles) -> None:
    publish(files, run_entry(1), run_entry(2))
    files.archive.unlink()
    publish(files, run_entry(3))
    assert archived(files) == [1, 2, 3]


def test_a_run_that_never_replaces_a_newer_one_is_archived_all_the_same(
    files: HistoryFiles,
) -> None:
    publish(files, run_entry(5, sha="a" * 40), run_entry(4, sha="a" * 40))
    assert [run["run_number"] for run in published(files)["runs"]] == [5]
    assert archived(files) == [5, 4]


def with_run(**changes: Any) -> bytes:
    """A version 1 file whose only run has these changes."""
    return json.dumps(V1 | {"runs": [RUN | changes]}).encode()


V1 = {"schema_version": 1, "benchmark": NAME, "runs": []}
RUN = run_entry(1).model_dump(mode="json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"   \n", "is empty"),
        (b'{"schema_version": 2, "benchmark": "extraction_qu', "is not JSON"),
        (b"[]", "no JSON object"),
        (b'{"runs": []}', "schema_version None is unknown"),
        (json.dumps(V1 | {"schema_version": 3}).encode(), "newer than 2"),
        (json.dumps(V1 | {"schema_version": "1"}).encode(), "is unknown"),
        (json.dumps(V1 | {"schema_version": True}).encode(), "is unknown"),
        (json.dumps(V1 | {"benchmark": "ranking"}).encode(), "holds benchmark 'ranking'"),
        (json.dumps({"schema_version": 1, "benchmark": NAME}).encode(), "runs: Field required"),
        (b'{"schema_version": 1, "schema_version": 1, "runs": []}', "given twice"),
        (with_run(sha="xyz"), r"runs\.0\.sha"),
        (
            json.dumps(V1 | {"runs": [RUN | {"short_sha": "fffffff"}]}).encode(),
            r"runs\.0: short_sha",
        ),
        (with_run(run_number=-1), r"runs\.0\.run_number"),
        (with_run(timestamp="2026-09-05"), "UTC offset"),
        (with_run(metrics={"a": 1.5}), r"metrics\.a"),
        (with_run(metrics={"a": "1"}), r"metrics\.a"),
        (with_run(metrics={"a": float("nan")}), "NaN"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_and_left_untouched(
    files: HistoryFiles, content: bytes, message: str
) -> None:
    files.data.parent.mkdir()
    files.data.write_bytes(content)
    with pytest.raises(BadInput, match=message) as caught:
        publish(files, run_entry(1))
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)
    assert files.data.read_bytes() == content
    assert not files.archive.exists()


def test_a_directory_in_the_files_place_is_an_error(files: HistoryFiles) -> None:
    files.data.mkdir(parents=True)
    with pytest.raises(BadInput, match="is a directory"):
        publish(files, run_entry(1))


def test_a_dangling_link_in_the_files_place_is_no_first_run(files: HistoryFiles) -> None:
    files.data.parent.mkdir()
    files.data.symlink_to("nowhere.json")
    with pytest.raises(BadInput, match="not found"):
        publish(files, run_entry(1))


def test_a_file_of_200_megabytes_is_refused_without_being_read_whole(files: HistoryFiles) -> None:
    files.data.parent.mkdir()
    with files.data.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    started = time.monotonic()
    with pytest.raises(BadInput, match="is larger than"):
        load_history(files.data, NAME)
    assert time.monotonic() - started < 30


def test_an_archive_that_cannot_be_written_leaves_the_history_as_it_was(
    files: HistoryFiles,
) -> None:
    publish(files, run_entry(1))
    before = files.data.read_bytes()
    files.archive.unlink()
    files.archive.mkdir()
    with pytest.raises(BadInput, match="cannot be written"):
        publish(files, run_entry(2))
    assert files.data.read_bytes() == before


def test_a_torn_last_line_of_the_archive_does_not_swallow_the_next_run(
    files: HistoryFiles,
) -> None:
    append_to_archive(files.archive, [StoredRun.of(run_entry(1)), StoredRun.of(run_entry(2))])
    whole = files.archive.read_bytes()
    files.archive.write_bytes(whole[:-100])
    append_to_archive(files.archive, [StoredRun.of(run_entry(3))])
    assert archived(files) == [1, 3]


def test_a_last_line_without_its_line_break_is_kept(files: HistoryFiles) -> None:
    append_to_archive(files.archive, [StoredRun.of(run_entry(1))])
    files.archive.write_bytes(files.archive.read_bytes().rstrip(b"\n"))
    append_to_archive(files.archive, [StoredRun.of(run_entry(2))])
    assert archived(files) == [1, 2]


def test_a_faulty_line_of_the_archive_is_reported_with_its_number(files: HistoryFiles) -> None:
    append_to_archive(files.archive, [StoredRun.of(run_entry(1))])
    with files.archive.open("a") as file:
        file.write('{"sha": 1}\nnonsense\n')
    append_to_archive(files.archive, [StoredRun.of(run_entry(2))])
    faults = [line for line in read_archive(files.archive) if isinstance(line, ArchiveFault)]
    assert [fault.line_number for fault in faults] == [2, 3]


def test_the_committed_schema_is_the_one_generated_from_the_models() -> None:
    committed = ROOT / "web_data" / "extraction-quality-benchmark-data.schema.json"
    assert json.loads(committed.read_text(encoding="utf-8")) == history_json_schema(NAME)


def test_the_schema_accepts_version_1_and_refuses_what_the_models_refuse(existing: Path) -> None:
    schema = history_json_schema(NAME)
    old = json.loads((existing / "extraction-quality-benchmark-data.v1.json").read_text())
    jsonschema.validate(old, schema)
    old["runs"][0]["metrics"]["recall_macro"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(old, schema)


WRITER = """
    import sys
    from pathlib import Path
    from bot.history.file import publish_locally
    from bot.suites import EXTRACTION_QUALITY
    from tests.support.runs import CLOCK, run_entry

    files = EXTRACTION_QUALITY.history_files(Path(sys.argv[1]))
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        publish_locally(files, run_entry(number), 50, CLOCK)
"""


def start_writer(files: HistoryFiles, first: int, last: int) -> subprocess.Popen[bytes]:
    code = textwrap.dedent(WRITER)
    arguments = [sys.executable, "-c", code, str(files.data), str(first), str(last)]
    return subprocess.Popen(arguments, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})


def test_two_writers_at_once_lose_nothing(files: HistoryFiles) -> None:
    writers = [start_writer(files, 1, 16), start_writer(files, 16, 31)]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    assert [run["run_number"] for run in published(files)["runs"]] == list(range(30, 0, -1))
    assert sorted(archived(files)) == list(range(1, 31))


def test_a_writer_killed_at_any_moment_leaves_a_whole_file(files: HistoryFiles) -> None:
    publish(files, *map(run_entry, range(1, 51)))
    for attempt in range(6):
        newest = published(files)["runs"][0]["run_number"]
        writer = start_writer(files, newest + 1, newest + 100_000)
        while published(files)["runs"][0]["run_number"] == newest:
            time.sleep(0.01)
        time.sleep(0.013 * attempt)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        newest = published(files)["runs"][0]["run_number"]
        assert len(published(files)["runs"]) == 50
        publish(files, run_entry(newest + 1))  # the lock of the dead is no obstacle
        assert set(archived(files)) >= set(range(1, newest + 2))
