"""Listing folders with different numbers of candidates: peak memory and time.

    python -m tests.benchmarks.bench_candidates

Figures to reach: 100 times as many records take less than 10 times the memory, and less than 3 MB
(the names alone would take 10); a page of 50 costs a scan of the names and reads 51 records.
"""

import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from bot.candidates.consolidation import CandidateFilter, candidate_views, take_page
from bot.candidates.record import CandidateRecord, record_to_json
from bot.candidates.store import CandidateStore
from tests.support.candidates import candidate, id_at

COUNTS = (1_000, 10_000, 100_000)
PAGE = 50


def fill(folder: Path, count: int) -> None:
    """Records that differ by their ids only, a millisecond apart."""
    start = 1_788_220_800_000
    first = candidate(id=id_at(start))
    data = record_to_json(first).decode()
    folder.mkdir()
    for number in range(count):
        name = id_at(start + number)
        (folder / f"{name}.json").write_text(data.replace(first.id, name))


def read_all(store: CandidateStore) -> int:
    return sum(isinstance(entry, CandidateRecord) for entry in store.entries())


def read_page(store: CandidateStore) -> int:
    records: Iterable[CandidateRecord] = (
        entry for entry in store.entries() if isinstance(entry, CandidateRecord)
    )
    return len(take_page(candidate_views(records, CandidateFilter()), PAGE).views)


def hold_all_names(store: CandidateStore) -> int:
    """What reading in bounded memory is compared with."""
    return len(sorted(path.name for path in store.directory.iterdir()))


def peak_bytes(work: Callable[[], object]) -> int:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        stores = {count: CandidateStore(Path(temporary) / str(count)) for count in COUNTS}
        for count, store in stores.items():
            fill(store.directory, count)
        read_all(stores[COUNTS[0]])  # what the first reading imports and compiles counts for none
        for name, work in (("all", read_all), ("page", read_page), ("names", hold_all_names)):
            base = 0
            for count, store in stores.items():
                taken = seconds(partial(work, store))
                peak = peak_bytes(partial(work, store))
                base = base or peak
                print(
                    f"{name:>5} of {count:>7,} records: peak {peak / 1e6:5.2f} MB "
                    f"{peak / base:5.1f} ×   {taken:6.2f} s"
                )


if __name__ == "__main__":
    main()
