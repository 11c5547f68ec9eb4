"""The dashboard with 20,000 archived runs, in the machine's own Chromium.

python -m tests.benchmarks.bench_dashboard

Prints the time from the data's arrival to the first charts, the frames while panning, the sizes.
"""

import gzip
import json
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from bot.cli import main
from tests.support.browser import chromium, served
from tests.support.histories import published_text, varied_runs

RUNS = 20_000
ARCHIVE = Path("web_data/archive/extraction-quality.jsonl")
DATA = Path("web_data/extraction-quality-benchmark-data.json")
PASSED = """() => {
  const [drawn] = performance.getEntriesByName("drawn-extraction_quality");
  const data = performance.getEntriesByType("resource").find((one) => one.name.endsWith("y.json"));
  return drawn && data ? drawn.startTime - data.responseEnd : null;
}"""
FRAMES = """async () => {
  const chart = document.querySelector(".uplot"); chart.focus();
  const press = (key) => chart.dispatchEvent(
    new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  for (let i = 0; i < 3; i++) press("+");
  const script = [], gaps = [];
  let last = null;
  for (let i = 0; i < 60; i++) {
    const now = await new Promise(requestAnimationFrame);
    if (last !== null) gaps.push(now - last);
    last = now;
    const start = performance.now();
    press(i % 20 < 10 ? "ArrowRight" : "ArrowLeft");
    await Promise.resolve();
    await Promise.resolve(); // uPlot draws in a microtask
    script.push(performance.now() - start);
  }
  return [script, gaps];
}"""


def bench() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        ARCHIVE.parent.mkdir(parents=True)
        runs = list(varied_runs(RUNS))
        DATA.write_text(published_text(runs[-50:]), encoding="utf-8")
        with ARCHIVE.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(run.model_dump(mode="json")) + "\n" for run in runs)
        start = time.perf_counter()
        main(["dashboard", "build", "--archive", "--out", "site"])
        print(f"build: {time.perf_counter() - start:.1f} s")
        data = Path("site/data/extraction_quality.json").read_bytes()
        print(f"data: {len(data) / 1e6:.2f} MB, {len(gzip.compress(data)) / 1e6:.2f} MB compressed")
        shell = [path for path in Path("site").iterdir() if path.is_file()]
        print(f"page: {sum(len(gzip.compress(p.read_bytes())) for p in shell):,} bytes compressed")
        with served(Path("site")) as address, chromium() as browser:
            drawn: list[float] = []
            script: list[float] = []
            gaps: list[float] = []
            for _ in range(5):
                page = browser.new_page(viewport={"width": 1200, "height": 900}, bypass_csp=True)
                page.goto(address)
                while (passed := page.evaluate(PASSED)) is None:
                    time.sleep(0.05)
                drawn.append(passed)
                found = page.evaluate(FRAMES)
                script, gaps = script + found[0], gaps + found[1]
                page.close()
        print(
            f"data's arrival → first chart: median {median(drawn):.0f} ms, worst {max(drawn):.0f}"
        )
        for what, times in (("script", script), ("from frame to frame", gaps)):
            worst = sorted(times)[int(len(times) * 0.95)]
            print(f"panning, {what}: median {median(times):.1f} ms, 95 % {worst:.1f}")


if __name__ == "__main__":
    bench()
