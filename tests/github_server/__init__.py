"""A small stateful GitHub on loopback, for tests of whatever speaks to GitHub.

Start at `fixtures.py` (the pytest fixture and an example) or at `server.py` (`GitHubServer`).
"""

from tests.github_server.faults import FaultKind
from tests.github_server.server import GitHubServer

__all__ = ["FaultKind", "GitHubServer"]
