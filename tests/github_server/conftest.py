"""The server's own tests: a server, a repository with full rights, and both clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient, pygithub
from tests.github_server.fixtures import github_server
from tests.github_server.scenario import create_repository, create_token
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository, Token

__all__ = ["github_server"]


@pytest.fixture
def repo(github_server: GitHubServer) -> Repository:
    """`octo-org/memory` with a README on `main`."""
    return create_repository(github_server)


@pytest.fixture
def token(github_server: GitHubServer, repo: Repository) -> Token:
    """A GITHUB_TOKEN that may write everything."""
    return create_token(github_server, repository=repo)


@pytest.fixture
def remote(github_server: GitHubServer, repo: Repository, token: Token) -> Iterator[PyRepository]:
    """The repository as PyGithub sees it, fetched already."""
    with pygithub(github_server, token) as client:
        yield client.get_repo(repo.full_name)


@pytest.fixture
def plain(github_server: GitHubServer, token: Token) -> Iterator[PlainClient]:
    """Plain HTTP with the same token."""
    client = PlainClient(github_server.url, token.value)
    yield client
    client.close()
