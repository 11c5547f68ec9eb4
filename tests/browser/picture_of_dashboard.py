"""Pictures of the dashboard in light, dark and at a phone's width, to be looked at.

python -m tests.browser.picture_of_dashboard FOLDER
"""

import os
import sys
import tempfile
from pathlib import Path

from bot.cli import main
from tests.support.browser import chromium, served
from tests.support.histories import published_text, varied_runs

DATA = Path("web_data/extraction-quality-benchmark-data.json")


def take(folder: Path) -> None:
    folder = folder.resolve()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        DATA.parent.mkdir()
        DATA.write_text(published_text(list(varied_runs(50))))
        main(["dashboard", "build", "--out", "root/memory"])
        with served(Path("root")) as address, chromium() as browser:
            for name, scheme, width in (
                ("light", "light", 1200),
                ("dark", "dark", 1200),
                ("phone", "light", 380),
            ):
                page = browser.new_page(
                    color_scheme=scheme,  # type: ignore[arg-type]
                    viewport={"width": width, "height": 1250},
                )
                page.goto(f"{address}/memory/")
                page.wait_for_selector(".uplot")
                page.screenshot(path=str(folder / f"dashboard-{name}.png"))
            page = browser.new_page(
                java_script_enabled=False, viewport={"width": 1200, "height": 1250}
            )
            page.goto(f"{address}/memory/")
            page.screenshot(path=str(folder / "dashboard-no-script.png"))
            page = browser.new_page(viewport={"width": 1200, "height": 1250})
            page.goto(f"{address}/memory/")
            page.click("[data-runs] tbody tr:nth-child(2) th a")
            page.wait_for_selector("#run-page h2")
            page.screenshot(path=str(folder / "dashboard-run.png"))


if __name__ == "__main__":
    take(Path(sys.argv[1]))
