"""`dashboard build` and `dashboard serve`: the static site from the published files."""

import contextlib
import functools
import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import unquote

from bot.console import Console
from bot.dashboard.build import site_files
from bot.dashboard.data_files import report_key
from bot.dashboard.page import SuitePage
from bot.dashboard.series import all_runs
from bot.dashboard.uplot import find_uplot
from bot.errors import BadInput
from bot.evaluation.report import load_report
from bot.files import check_folders, write_atomic
from bot.history.file import load_history, read_archive
from bot.history.model import RunEntry, StoredRun
from bot.settings import Settings
from bot.suites import SUITES, Suite

OWN_HOSTS: Final = ("127.0.0.1", "localhost")
OWN_FILE: Final = "index.html"
NOT_OURS: Final = "holds files, and no dashboard of ours"


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """`archive` reads every run ever published; `reports` give runs their cases."""

    out: Path
    archive: bool = False
    reports: tuple[Path, ...] = ()


def run_dashboard_build(
    request: BuildRequest, settings: Settings, now: datetime, console: Console
) -> int:
    """0 when the site stands. Raises BadInput for a history or a report that cannot be read."""
    if request.out.is_dir() and any(request.out.iterdir()):
        if not (request.out / OWN_FILE).exists():
            raise BadInput(NOT_OURS, where=request.out, next_step="give --out an empty folder")
    elif request.out.exists() and not request.out.is_dir():
        raise BadInput("is no folder", where=request.out)
    suites = [_suite_page(suite, request, settings, console) for suite in SUITES.values()]
    shown = [suite for suite in suites if suite.runs] or suites[:1]
    reports = {report_key(report): report for report in map(load_report, request.reports)}
    uplot, why = find_uplot()
    if why:
        console.warn(f"the charts are pictures without zoom: {why}")
    count = 0
    for path, data in site_files(shown, reports, uplot, why, now):
        write_atomic(request.out / path, data)
        count += 1
    runs = ", ".join(f"{len(suite.runs):,} runs of {suite.name}" for suite in shown)
    console.say(f"{request.out}: {count} files, {runs}")
    return 0


def _suite_page(
    suite: Suite, request: BuildRequest, settings: Settings, console: Console
) -> SuitePage:
    files = suite.history_files(settings.of(suite).data)
    published = [run.entry for run in load_history(files.data, suite.name).runs]
    archived = list(_archived(files.archive, console)) if request.archive else []
    return SuitePage(suite.name, suite.words, all_runs(published, archived))


def _archived(path: Path, console: Console) -> Iterator[RunEntry]:
    check_folders(path)
    if not path.exists():
        console.warn(f"{path}: there is no archive, so the published runs are all")
        return
    for line in read_archive(path):
        if isinstance(line, StoredRun):
            yield line.entry
        else:
            console.warn(f"{path}:{line.line_number}: {line.message}; skipped")


def run_dashboard_serve(
    request: BuildRequest | None,
    settings: Settings,
    port: int,
    now: datetime,
    console: Console,
    site: Path | None = None,
) -> int:
    """Serve on loopback until Ctrl-C; builds into a temporary folder when no `site` is given."""
    with tempfile.TemporaryDirectory() as folder:
        place = site or Path(folder) / "site"
        if request is not None:
            run_dashboard_build(
                BuildRequest(place, request.archive, request.reports), settings, now, console
            )
        try:
            server = _Server(("127.0.0.1", port), functools.partial(_Quiet, directory=str(place)))
        except OSError as error:
            raise BadInput(f"cannot listen: {error.strerror}", where=f"port {port}") from error
        with server:
            console.note(f"http://127.0.0.1:{server.server_port}/ — Ctrl-C ends it")
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
    return 0


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Quiet(SimpleHTTPRequestHandler):
    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Only under a name of this machine: another page's script could read the data else."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        if host not in OWN_HOSTS:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        if "\0" in unquote(self.path):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass
