"""A site of many runs, served below a sub-path, and a browser."""

import base64
import hashlib
import io
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bot.cli import main
from bot.history.model import RunEntry
from tests.support.browser import chromium, find_chromium, served
from tests.support.histories import published_text, varied_runs
from tests.support.needs import missing

DATA = Path("web_data/extraction-quality-benchmark-data.json")
AXE = "4.14.1"
AXE_SHA512 = (
    "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)
BuildSite = Callable[..., Path]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """While it is open its event loop runs: no longer than these tests."""
    if find_chromium() is None:
        missing("chromium")
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core's script, from npm, its hash checked."""
    npm = shutil.which("npm")
    if npm is None:
        missing("npm")
    folder = tmp_path_factory.mktemp("axe")
    words = [str(npm), "pack", "--silent", "--ignore-scripts", f"axe-core@{AXE}"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    data = next(folder.glob("*.tgz")).read_bytes()
    assert base64.b64encode(hashlib.sha512(data).digest()).decode() == AXE_SHA512
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        reader = tar.extractfile("package/axe.min.js")
        assert reader is not None
        return reader.read().decode()


@pytest.fixture
def build_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildSite:
    """Builds the site of these runs into `root/memory`."""
    monkeypatch.chdir(tmp_path)

    def build(runs: list[RunEntry], *more: str) -> Path:
        if runs:
            DATA.parent.mkdir(exist_ok=True)
            DATA.write_text(published_text(runs), encoding="utf-8")
        assert main(["dashboard", "build", "--out", "root/memory", *more]) == 0
        return tmp_path / "root"

    return build


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site of fifty runs."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        DATA.parent.mkdir()
        DATA.write_text(published_text(list(varied_runs(50))), encoding="utf-8")
        assert main(["dashboard", "build", "--out", "root/memory"]) == 0
    with served(folder / "root") as address:
        yield f"{address}/memory/"
