"""Pictures of the dashboard in light, dark and at a phone's width, to be looked at.

python -m tests.browser.picture_of_dashboard FOLDER
"""

import functools
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bot.cli import main
from tests.support.histories import published_text, varied_runs

DATA = Path("web_data/extraction-quality-benchmark-data.json")
CHROMIUM = "/usr/bin/chromium"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def served(root: Path) -> Iterator[str]:
    """A file server; the site lies below a sub-path, as on GitHub Pages."""
    handler = functools.partial(Quiet, directory=str(root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


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
                    viewport={"width": width, "height": 900},
                )
                page.goto(f"{address}/memory/")
                page.wait_for_selector(".uplot")
                page.screenshot(path=str(folder / f"dashboard-{name}.png"), full_page=True)
            page = browser.new_page(
                java_script_enabled=False, viewport={"width": 1200, "height": 900}
            )
            page.goto(f"{address}/memory/")
            page.screenshot(path=str(folder / "dashboard-no-script.png"), full_page=True)
            page = browser.new_page(viewport={"width": 1200, "height": 900})
            page.goto(f"{address}/memory/")
            page.click("[data-runs] tbody tr:nth-child(2) th a")
            page.wait_for_selector("#run-page h2")
            page.screenshot(path=str(folder / "dashboard-run.png"))


if __name__ == "__main__":
    take(Path(sys.argv[1]))
