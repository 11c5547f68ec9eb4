"""GitHub Apps, users and rate limits on the test GitHub."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from github import Auth, Github, GithubException, GithubIntegration

from tests.github_server.clients import PlainClient, pygithub
from tests.github_server.scenario import create_token, install_app, open_pull_request
from tests.github_server.server import GitHubServer
from tests.github_server.state import Installation, Level, Repository

APP_ID = 424_242


def _key_pair() -> tuple[str, bytes]:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public


PRIVATE_KEY, PUBLIC_KEY = _key_pair()


@pytest.fixture
def installation(github_server: GitHubServer, repo: Repository) -> Installation:
    permissions: dict[str, Level] = {"pull_requests": "write", "contents": "read"}
    return install_app(github_server, repo, PUBLIC_KEY, permissions=permissions)


def signed(key: str = PRIVATE_KEY, **claims: Any) -> str:
    """A JWT as an App makes it, with claims replaced."""
    now = int(time.time())
    usual = {"iss": str(APP_ID), "iat": now - 60, "exp": now + 540}
    return jwt.encode({**usual, **claims}, key, algorithm="RS256")


def test_an_app_finds_its_installation_and_comments_as_its_bot(
    github_server: GitHubServer, repo: Repository, installation: Installation
) -> None:
    open_pull_request(github_server, repo)
    auth = Auth.AppAuth(APP_ID, PRIVATE_KEY)
    integration = GithubIntegration(
        auth=auth, base_url=github_server.url, seconds_between_requests=0, retry=None
    )
    assert integration.get_app().slug == "memory-bench"
    found = integration.get_repo_installation("octo-org", "memory")
    assert found.id == installation.id
    client = Github(
        auth=auth.get_installation_auth(found.id),
        base_url=github_server.url,
        seconds_between_requests=0,
        seconds_between_writes=0,
        retry=None,
    )
    comment = client.get_repo(repo.full_name).get_pull(1).create_issue_comment("hello")
    client.close()
    integration.close()
    assert (comment.user.login, comment.user.type) == ("memory-bench[bot]", "Bot")
    assert comment.raw_data["performed_via_github_app"]["id"] == APP_ID


Claims = Callable[[int], dict[str, Any]]


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        (lambda now: {"exp": now + 700}, "too far in the future"),
        (lambda now: {"exp": now - 1}, "representing the future time"),
        (lambda now: {"iat": now + 60}, "'Issued at'"),
        (lambda now: {"iat": None}, "'Issued at'"),
    ],
)
def test_a_jwt_with_wrong_times_is_401(
    github_server: GitHubServer, installation: Installation, claims: Claims, message: str
) -> None:
    client = PlainClient(github_server.url, signed(**claims(int(time.time()))))
    reply = client.ask("GET", "/app")
    client.close()
    assert reply.status == 401
    assert message in reply.message


def test_a_jwt_of_another_key_is_401_and_of_an_unknown_app_404(
    github_server: GitHubServer, installation: Installation
) -> None:
    other, _ = _key_pair()
    for encoded, status in (
        (signed(other), 401),
        ("a.b.c", 401),
        ("ghs_abc", 401),
        (signed(iss="1"), 404),
    ):
        client = PlainClient(github_server.url, encoded)
        assert client.ask("GET", "/app").status == status
        client.close()


def test_ten_minutes_ahead_is_too_far_for_a_server_whose_clock_is_behind(
    github_server: GitHubServer, installation: Installation
) -> None:
    github_server.state.clock_skew_seconds = -10
    client = PlainClient(github_server.url, signed(exp=int(time.time()) + 600))
    assert "too far in the future" in client.ask("GET", "/app").message
    client.close()


def test_an_installation_token_is_no_wider_than_the_installation(
    github_server: GitHubServer, installation: Installation
) -> None:
    client = PlainClient(github_server.url, signed())
    path = f"/app/installations/{installation.id}/access_tokens"
    narrow = client.ask("POST", path, {"permissions": {"contents": "read"}})
    assert narrow.json["permissions"] == {"metadata": "read", "contents": "read"}
    assert client.ask("POST", path, {"permissions": {"contents": "write"}}).status == 422
    assert client.ask("POST", path, {"repositories": ["other"]}).status == 422
    assert client.ask("POST", "/app/installations/1/access_tokens").status == 404
    client.close()


def test_an_installation_token_expires_after_an_hour(
    github_server: GitHubServer, repo: Repository, installation: Installation
) -> None:
    client = PlainClient(github_server.url, signed())
    path = f"/app/installations/{installation.id}/access_tokens"
    made = client.ask("POST", path).json
    client.token = made["token"]
    assert client.ask("GET", "/repos/octo-org/memory").status == 200
    assert datetime.fromisoformat(made["expires_at"]) > datetime.now(tz=UTC)
    github_server.state.clock_skew_seconds = 3_601
    assert client.ask("GET", "/repos/octo-org/memory").status == 401
    client.close()


def test_user_is_refused_for_bots_and_answered_for_people(
    github_server: GitHubServer, plain: PlainClient, installation: Installation
) -> None:
    reply = plain.ask("GET", "/user")
    assert (reply.status, reply.message) == (403, "Resource not accessible by integration")
    client = PlainClient(github_server.url, signed())
    made = client.ask("POST", f"/app/installations/{installation.id}/access_tokens").json
    client.token = made["token"]
    assert client.ask("GET", "/user").status == 403
    client.close()
    person = create_token(github_server, "personal", login="hubot")
    with pygithub(github_server, person) as github:
        assert github.get_user().login == "hubot"


def test_a_bot_is_found_by_its_login(github_server: GitHubServer, plain: PlainClient) -> None:
    shown = plain.ask("GET", "/users/github-actions%5Bbot%5D").json
    assert (shown["id"], shown["type"]) == (41_898_282, "Bot")
    assert plain.ask("GET", "/users/nobody").status == 404


def test_the_rate_limit_counts_down_and_asking_for_it_is_free(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    for _ in range(3):
        plain.ask("GET", "/rate_limit")
    plain.ask("GET", "/repos/octo-org/memory")
    core = plain.ask("GET", "/rate_limit").json["resources"]["core"]
    assert (core["limit"], core["used"], core["remaining"]) == (1_000, 1, 999)


def test_a_used_up_rate_limit_is_403_with_the_reset_time(
    github_server: GitHubServer, repo: Repository
) -> None:
    token = create_token(github_server)
    token.rate_used = token.rate_limit
    with pygithub(github_server, token) as client, pytest.raises(GithubException) as refused:
        client.get_repo(repo.full_name)
    headers = refused.value.headers
    assert headers is not None
    assert refused.value.status == 403
    assert headers["x-ratelimit-remaining"] == "0"
    assert int(headers["x-ratelimit-reset"]) > time.time()
