"""The pytest fixture. Make it known once, in `tests/conftest.py`:

from tests.github_server.fixtures import github_server  # noqa: F401
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.github_server.server import GitHubServer


@pytest.fixture
def github_server() -> Iterator[GitHubServer]:
    """A running test GitHub, empty. The test fails at its end when a request or an answer broke
    GitHub's description of its API, or when the server itself failed; a test that provokes a
    violation takes it out of `contract_violations`."""
    with GitHubServer() as server:
        yield server
    fail_on_violations(server)


def fail_on_violations(server: GitHubServer) -> None:
    """Fail the running test when the server has something to complain about."""
    if server.contract_violations:
        lines = "\n".join(server.contract_violations)
        pytest.fail(f"GitHub's API description was broken:\n{lines}", pytrace=False)
    if server.internal_errors:
        pytest.fail("the test GitHub failed:\n" + "\n".join(server.internal_errors), pytrace=False)
