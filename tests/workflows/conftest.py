"""This project on a test GitHub, once a test."""

import pytest

from tests.github_server.server import GitHubServer
from tests.support.github_place import GitHubPlace
from tests.workflows.act import project_place


@pytest.fixture
def project(github_server: GitHubServer) -> GitHubPlace:
    return project_place(github_server)
