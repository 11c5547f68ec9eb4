"""Requests to GitHub that a publisher needs, alone and among 32 on one branch.

    python -m tests.benchmarks.bench_publishers

Figure to reach: at most 12 alone. Counted on the test GitHub; the pauses are real, so it takes
about half a minute.
"""

import threading
import time
from pathlib import Path

from bot.commands.publish_remote import RemoteRequest, run_publish_remote
from bot.history.model import StoredRun
from bot.settings import Settings
from bot.suites import EXTRACTION_QUALITY
from tests.github_server.server import GitHubServer
from tests.support.github_place import (
    DATA,
    DATA_BRANCH,
    GitHubPlace,
    github_place,
    history_with,
    silent,
)
from tests.support.runs import EPOCH, run_entry

PUBLISHERS = 32


def publish(place: GitHubPlace, number: int) -> None:
    request = RemoteRequest(Path(DATA), DATA_BRANCH, EPOCH, "main")
    run = StoredRun.of(run_entry(number))
    console = silent(place.env())
    run_publish_remote(run, request, EXTRACTION_QUALITY, Settings(), place.api(), console)


def main() -> None:
    with GitHubServer() as server:
        place = github_place(server, {DATA: history_with(run_entry(1))})
        publish(place, 2)
        print(f"the first publisher, alone: {place.calls()} requests")
        before = place.calls()
        publish(place, 3)
        print(f"the next one, alone: {place.calls() - before} requests")
    with GitHubServer() as server:
        place = github_place(server, {DATA: history_with(run_entry(1))})
        jobs = [
            threading.Thread(target=publish, args=(place, number))
            for number in range(2, 2 + PUBLISHERS)
        ]
        started = time.monotonic()
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        seconds = time.monotonic() - started
        kept = len(place.published())
        print(
            f"{PUBLISHERS} publishers at once: {place.calls()} requests, "
            f"{place.calls() / PUBLISHERS:.1f} each, {seconds:.0f} s, {kept - 1} runs kept"
        )


if __name__ == "__main__":
    main()
