"""A live evaluation against the loopback server, for the tests of several commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.conftest import Bot, Done
from tests.model_server.server import ModelServer

CONFIG = Path(".github/extraction-bot.toml")
QUICK = "[live]\nfirst_wait_seconds = 0.01\ntimeout_seconds = 5\n"
LATEST = Path("out/latest.json")
JOURNAL = Path("out/live-journal.jsonl")
KEY = "sk-test-abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def server(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Running; the environment names it, and the configuration waits shortly."""
    configure(QUICK)
    with ModelServer(place / "gold").running() as running:
        monkeypatch.setenv("EXTRACTION_EVAL_BASE_URL", running.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield running


def configure(text: str) -> None:
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(text)


def evaluate(bot: Bot, *arguments: str, mode: str = "live") -> Done:
    return bot("evaluate", "--gold-set", "gold", "--mode", mode, "--out", str(LATEST), *arguments)
