"""What no test may touch explodes, with a message that says what was forgotten."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.github_server.fixtures import github_server

__all__ = ["github_server"]

# The same examples every time: a test that fails once in a hundred runs helps nobody in CI. To look
# for new ones: pytest --hypothesis-profile=explore
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=5_000, deadline=None)
settings.load_profile("same")

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_READ_FROM_ENVIRONMENT = ("GITHUB_", "GH_", "EXTRACTION_EVAL_", "OPENAI_", "ACTIONS_", "RUNNER_")


@pytest.fixture(autouse=True)
def _closed_world(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No variable of a real CI or key, no home folder, no address beyond loopback."""
    for name in list(os.environ):
        if name.startswith(_READ_FROM_ENVIRONMENT):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.getbasetemp() / "no-such-home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    connect = socket.socket.connect

    def connect_to_loopback(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "localhost"
        if host not in _LOOPBACK:
            pytest.fail(f"a test connects to {host}: use a server on loopback")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_to_loopback)


@pytest.fixture
def existing() -> Path:
    """Files as existing repositories hold them."""
    return Path(__file__).parent / "fixtures" / "existing"
