"""`bootstrap.py`, as a workflow's step calls it before anything is installed."""

import ast
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.support.github_place import ROOT

CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
"""The machine's, so that uv downloads nothing twice."""
UV = Path(sys.executable).parent / "uv"


class Step:
    """A runner: its temporary folder, a current folder, and the programs that it has."""

    def __init__(self, folder: Path, root: Path = ROOT, *, has_uv: bool = True) -> None:
        self.root = root
        self.temporary, self.cwd, self.bin = (folder / name for name in ("temp", "cwd", "bin"))
        for made in (self.temporary, self.cwd, self.bin):
            made.mkdir(parents=True)
        if has_uv:
            (self.bin / "uv").symlink_to(UV)

    def run(self, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
        own = {"RUNNER_TEMP": self.temporary, "PATH": self.bin, "XDG_CACHE_HOME": CACHE}
        return subprocess.run(
            [sys.executable, "-I", str(self.root / "bot" / "bootstrap.py"), *words],
            cwd=self.cwd,
            env={**os.environ, **{name: str(value) for name, value in own.items()}, **env},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def environments(self) -> list[Path]:
        return list(self.temporary.iterdir())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Step:
    """After the first step of a job."""
    step = Step(tmp_path_factory.mktemp("runner"))
    done = step.run("schema")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["title"]
    return step


def test_it_installs_the_lock_with_uv_into_the_runners_temporary_folder(installed: Step) -> None:
    (environment,) = installed.environments()
    assert re.fullmatch("extraction-bot-[0-9a-f]{16}", environment.name)
    settings = (environment / "pyvenv.cfg").read_text()
    assert re.search(r"^uv = ", settings, re.MULTILINE)
    (site,) = environment.glob("lib/python*/site-packages")
    locked = re.findall(r"^pydantic==(\S+)", (ROOT / "requirements/run.txt").read_text(), re.M)
    assert (site / f"pydantic-{locked[0]}.dist-info").is_dir()


def test_a_later_step_installs_nothing(installed: Step) -> None:
    (before,) = installed.environments()
    inode = before.stat().st_ino
    (installed.bin / "uv").rename(installed.bin / "uv-is-gone")
    try:
        done = installed.run("--help", UV_OFFLINE="1", PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    finally:
        (installed.bin / "uv-is-gone").rename(installed.bin / "uv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Commands:" in done.stdout
    (after,) = installed.environments()
    assert (after, after.stat().st_ino) == (before, inode)


def test_the_bots_arguments_and_exit_code_are_handed_over(installed: Step) -> None:
    done = installed.run("validate", "no such file")
    assert done.returncode == 2
    assert done.stderr.startswith("error: no such file: file not found")


def test_modules_in_the_current_folder_are_not_taken_for_ours(installed: Step) -> None:
    hostile = f"open({str(installed.cwd / 'owned')!r}, 'w')\nraise SystemExit(9)\n"
    (installed.cwd / "bot").mkdir()
    for name in ("bot/__init__.py", "bot/__main__.py", "subprocess.py", "typer.py", "json.py"):
        (installed.cwd / name).write_text(hostile)
    done = installed.run("schema")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["title"]
    assert not (installed.cwd / "owned").exists()


def test_without_uv_pip_installs_the_same(tmp_path: Path) -> None:
    step = Step(tmp_path, has_uv=False)
    done = step.run("schema")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["title"]
    (environment,) = step.environments()
    assert (environment / "bin" / "pip").exists()


@pytest.mark.parametrize("has_uv", [True, False])
def test_a_package_that_is_not_the_locked_one_is_exit_code_3_and_leaves_nothing(
    tmp_path: Path, has_uv: bool
) -> None:
    root = tmp_path / "checkout"
    for name in ("bot", "templates", "requirements"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    lock = root / "requirements" / "run.txt"
    (requirement,) = re.findall(r"^typer==\S+", lock.read_text(), re.MULTILINE)
    lock.write_text(f"{requirement} --hash=sha256:{'0' * 64}\n")
    step = Step(tmp_path / "runner", root, has_uv=has_uv)
    done = step.run("schema", GITHUB_ACTIONS="true")
    assert done.returncode == 3
    program = "uv" if has_uv else "python"
    sentence = f"{program} could not install run.txt; see above"
    assert done.stderr.splitlines()[-1] == f"error: {sentence}"
    assert re.search("hash", done.stderr, re.IGNORECASE)  # the reason, above
    assert done.stdout.splitlines()[-1] == f"::error::{sentence}"
    assert step.environments() == []


@pytest.fixture
def bootstrap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "bot" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_python_that_is_too_old_is_told_so_in_one_line(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.StringIO()
    old = SimpleNamespace(version_info=(3, 10, 14), version="3.10.14 (main)", stderr=said)
    monkeypatch.setattr(bootstrap, "sys", old)
    assert bootstrap.main() == 2
    assert said.getvalue() == "error: Python 3.10.14 is older than 3.11: add setup-python\n"


def test_a_python_that_is_too_old_can_read_the_program() -> None:
    source = (ROOT / "bot" / "bootstrap.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))
    wanted = re.search(r'^requires-python = ">=(\d+)\.(\d+)"', _pyproject(), re.MULTILINE)
    assert wanted is not None
    assert f"MINIMUM = ({wanted[1]}, {wanted[2]})" in source


def _pyproject() -> str:
    return (ROOT / "pyproject.toml").read_text(encoding="utf-8")
