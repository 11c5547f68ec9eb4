"""The built wheel, installed into an empty environment outside the checkout."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the hatchling of the test environment, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel; its dependencies are those of the test environment."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], check=True
    )
    (site_packages,) = folder.glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_wheel_holds_templates_and_gold_set_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "bot/_templates/comment.md.j2" in names
    assert "bot/_templates/parts/verdict.md.j2" in names
    assert "bot/_templates/dashboard/page.html.j2" in names
    assert "bot/_templates/init/extraction-eval.yml" in names
    assert "bot/dashboard/static/dashboard.js" in names
    assert ("bot/dashboard/_uplot/uPlot.iife.min.js" in names) is (shutil.which("npm") is not None)
    assert "bot/evaluation/gold_set/v1/conversations.jsonl" in names
    assert not [name for name in names if name.startswith(("tests/", "web_data/", "templates/"))]


def test_the_main_job_runs_from_the_installed_wheel(environment: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [environment / "bin" / "extraction-bot", "run"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "LANG": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    where = subprocess.run(
        [environment / "bin" / "python", "-c", "import bot; print(bot.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(environment) in where.stdout
    data = json.loads(
        (tmp_path / "web_data" / "extraction-quality-benchmark-data.json").read_text()
    )
    assert data["runs"][0]["status"] == "pass"
    assert (tmp_path / "out" / "comment.md").exists()
