"""Start-up of whole processes, as a ratio to a bare `python -c "import pydantic"`.

    python -m tests.benchmarks.bench_startup

The commands are run in turn, many times over, so that a busy machine slows all of them alike; the
ratio of the medians is printed. Figure to reach: at most 2.5 for `--help` and for `gate`.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bot.evaluation.gold_set import BASELINE
from tests.support.gold import write_gold_set

ROUNDS = 25


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        gold = write_gold_set(Path(folder) / "gold")
        latest = str(Path(folder) / "latest.json")
        bot = [sys.executable, "-m", "bot"]
        subprocess.run(
            [*bot, "evaluate", "--gold-set", str(gold), "--out", latest],
            check=True,
            capture_output=True,
        )
        gate = ["gate", "--latest", latest, "--baseline", str(gold / BASELINE), "--out"]
        commands = {
            "import pydantic": [sys.executable, "-c", "import pydantic"],
            "extraction-bot --help": [*bot, "--help"],
            "extraction-bot gate": [*bot, *gate, str(Path(folder) / "gate.json")],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(seconds(command))
    base = statistics.median(times["import pydantic"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:24} {middle * 1000:7.1f} ms   {middle / base:5.2f} × import pydantic")


if __name__ == "__main__":
    main()
