"""A folder with a small gold set, and the command line run in it."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from tests.support.gold import write_gold_set


@dataclass(frozen=True)
class Done:
    """What a command line did."""

    code: int
    out: str
    err: str


Bot = Callable[..., Done]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: no repository, with a gold set in `gold/`."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    write_gold_set(folder / "gold")
    return folder


@pytest.fixture
def bot(place: Path, capsys: pytest.CaptureFixture[str]) -> Bot:
    """Runs `extraction-bot` with these arguments, in `place`."""

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(list(arguments))
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def git(folder: Path, *arguments: str) -> str:
    """A real git, with an author of its own."""
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
