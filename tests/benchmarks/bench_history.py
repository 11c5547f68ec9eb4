"""Appending to a history with 50 runs beside archives of different length.

    python -m tests.benchmarks.bench_history

Figure to reach: the time does not depend on the archive's length.
"""

import statistics
import tempfile
import time
from pathlib import Path

from bot.history.file import append_to_archive, archive_line, publish_locally
from bot.history.model import StoredRun
from bot.suites import EXTRACTION_QUALITY
from tests.support.runs import CLOCK, run_entry

LENGTHS = (100, 10_000, 100_000)
ROUNDS = 30


def main() -> None:
    times: dict[int, list[float]] = {length: [] for length in LENGTHS}
    with tempfile.TemporaryDirectory() as folder:
        places = {}
        for length in LENGTHS:
            files = EXTRACTION_QUALITY.history_files(Path(folder) / str(length) / "data.json")
            for number in range(50):
                publish_locally(files, run_entry(number), 50, CLOCK)
            line = archive_line(StoredRun.of(run_entry(0)))
            with files.archive.open("a", encoding="utf-8") as archive:
                archive.writelines(line for _ in range(length - 50))
            append_to_archive(files.archive, [])
            places[length] = files
        for number in range(50, 50 + ROUNDS):
            for length, files in places.items():
                started = time.perf_counter()
                publish_locally(files, run_entry(number), 50, CLOCK)
                times[length].append(time.perf_counter() - started)
    base = statistics.median(times[LENGTHS[0]])
    for length, taken in times.items():
        middle = statistics.median(taken)
        print(f"archive of {length:>8,} lines: {middle * 1000:6.1f} ms   {middle / base:4.2f} ×")


if __name__ == "__main__":
    main()
