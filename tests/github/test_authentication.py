"""Who we are, and how we prove it, on the test GitHub."""

import logging
import traceback
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.cli import main
from bot.commands.connect import connect
from bot.errors import BadInput, BotError
from bot.github.interface import GitHubRefused
from bot.github.pygithub import AppCredentials, Credentials
from bot.github.retry import Retrier
from tests.github_server.scenario import (
    create_token,
    create_workflow_run,
    install_app,
    open_pull_request,
    zip_of,
)
from tests.github_server.server import GitHubServer
from tests.support.github_place import FakeTime, GitHubPlace, github_place


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    made = github_place(github_server)
    open_pull_request(github_server, made.repo, files={"a.txt": "a"})
    return made


def new_key() -> tuple[str, bytes]:
    """(private, public) as PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, public


def app_env(place: GitHubPlace, private: str, installation: int) -> dict[str, str]:
    return place.env(GITHUB_TOKEN="") | {
        "EXTRACTION_BOT_APP_ID": "424242",
        "EXTRACTION_BOT_PRIVATE_KEY": private,
        "EXTRACTION_BOT_INSTALLATION_ID": str(installation),
    }


def test_a_workflows_token_knows_its_author_without_asking_for_the_user(
    place: GitHubPlace,
) -> None:
    api = connect(place.env())
    comment = api.create_comment(1, "hello")
    assert api.login() == comment.author == "github-actions[bot]"
    assert comment.is_bot
    assert not place.server.asked("GET", "/user$", place.token.value)


def test_a_personal_tokens_author_is_its_user(place: GitHubPlace) -> None:
    token = create_token(place.server, "personal", login="ada")
    api = connect(place.env(GITHUB_TOKEN=token.value))
    assert api.login() == api.create_comment(1, "hello").author == "ada"


def test_a_personal_token_of_an_older_server_has_no_prefix(place: GitHubPlace) -> None:
    token = create_token(place.server, "personal", login="ada")
    place.server.state.tokens["0123456789abcdef0123"] = token
    assert connect(place.env(GITHUB_TOKEN="0123456789abcdef0123")).login() == "ada"


@pytest.mark.parametrize("skew", [-45, 0, 45])
def test_an_apps_author_is_its_slug_and_clocks_may_differ(place: GitHubPlace, skew: int) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    place.server.state.clock_skew_seconds = skew
    api = connect(app_env(place, private, installation.id))
    assert api.login() == api.create_comment(1, "hello").author == "memory-bench[bot]"


@pytest.mark.parametrize("kind", ["status", "close_before_change", "secondary_rate_limit"])
@pytest.mark.parametrize("path", ["/app$", "/access_tokens$"])
def test_an_apps_own_requests_are_repeated_too(place: GitHubPlace, path: str, kind: str) -> None:
    private, public = new_key()
    env = app_env(place, private, install_app(place.server, place.repo, public).id)
    place.server.faults.add(path=path, kind=kind)
    time = FakeTime()
    api = connect(env, retrier=Retrier(time.now, time.sleep))
    assert (api.login(), api.pull(1).number) == ("memory-bench[bot]", 1)
    assert len(time.slept) == 1


def test_an_app_on_an_enterprise_server_asks_below_its_base(place: GitHubPlace) -> None:
    private, public = new_key()
    env = app_env(place, private, install_app(place.server, place.repo, public).id)
    api = connect(env | {"GITHUB_API_URL": place.server.enterprise_url + "/"})
    assert (api.login(), api.pull(1).number) == ("memory-bench[bot]", 1)
    assert {request.base for request in place.server.requests} == {place.server.enterprise_url}


def test_a_key_that_was_folded_into_one_line_is_read(place: GitHubPlace) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    env = app_env(place, private.replace("\n", "\\n"), installation.id)
    assert connect(env).pull(1).number == 1


def test_an_app_with_another_key_is_refused_and_its_key_is_not_shown(place: GitHubPlace) -> None:
    private, _ = new_key()
    _, public = new_key()
    installation = install_app(place.server, place.repo, public)
    with pytest.raises(GitHubRefused) as caught:
        connect(app_env(place, private, installation.id)).pull(1)
    assert caught.value.exit_code == 3
    assert private[40:80] not in f"{caught.getrepr(style='long')}"


def test_a_login_can_be_named_for_a_token_that_another_app_made(place: GitHubPlace) -> None:
    assert connect(place.env(EXTRACTION_BOT_LOGIN="my-app[bot]")).login() == "my-app[bot]"


def test_a_flag_goes_before_the_environment(place: GitHubPlace) -> None:
    api = connect(place.env(GITHUB_TOKEN="wrong"), token=place.token.value)
    assert api.pull(1).number == 1


def test_the_line_break_of_a_pasted_token_is_no_part_of_it(place: GitHubPlace) -> None:
    assert connect(place.env(GITHUB_TOKEN=f" {place.token.value}\n")).pull(1).number == 1


@pytest.mark.parametrize("token", ["ghs_12…89", "ghs_é", "ghs a", "ghs_\x00"])
def test_what_can_be_no_token_is_bad_input_and_not_shown(place: GitHubPlace, token: str) -> None:
    with pytest.raises(BadInput) as caught:
        connect(place.env(), token=token)
    assert token not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["nonsense", "https://", "ftp://example.org", "http://u:hunter2@127.0.0.1:99999"]
)
def test_what_can_be_no_address_is_bad_input_and_not_shown(place: GitHubPlace, url: str) -> None:
    with pytest.raises(BadInput, match="GITHUB_API_URL") as caught:
        connect(place.env(GITHUB_API_URL=url))
    assert "hunter2" not in str(caught.value)


def test_a_bad_token_is_exit_code_3(place: GitHubPlace) -> None:
    with pytest.raises(GitHubRefused, match="401 Bad credentials") as caught:
        connect(place.env(GITHUB_TOKEN="ghs_wrong")).pull(1)
    assert caught.value.exit_code == 3
    assert "ghs_wrong" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"EXTRACTION_BOT_PRIVATE_KEY": ""},
        {"EXTRACTION_BOT_INSTALLATION_ID": ""},
        {"EXTRACTION_BOT_INSTALLATION_ID": "twelve"},
        {"EXTRACTION_BOT_APP_ID": "-1"},
    ],
)
def test_half_an_app_is_bad_input(place: GitHubPlace, change: dict[str, str]) -> None:
    with pytest.raises(BadInput):
        connect(app_env(place, "key", 1) | change)


def test_a_private_key_that_is_none_is_bad_input_and_not_shown(place: GitHubPlace) -> None:
    with pytest.raises(BadInput) as caught:
        connect(app_env(place, "-----BEGIN NONSENSE-----", 1)).pull(1)
    assert "NONSENSE" not in str(caught.value)


def test_secrets_have_no_representation() -> None:
    app = AppCredentials(1, "KEY", 2)
    assert "KEY" not in f"{app!r} {Credentials(token='TOKEN', app=app)!r} {app}"
    assert "TOKEN" not in repr(Credentials(token="TOKEN"))


def test_a_signed_address_is_in_no_message_log_or_traceback(
    place: GitHubPlace, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    zipped = zip_of({"a": "x" * 1_000})
    create_workflow_run(place.server, place.repo, artifacts={"data": zipped})
    (artifact,) = place.repo.artifacts
    place.api().download_artifact(artifact, tmp_path / "a.zip", 10_000)
    said = []
    for kind in ("status", "close_before_change", "too large"):
        if kind != "too large":
            place.server.faults.add(path="^/artifacts/", kind=kind, times=None)
        with pytest.raises(BotError) as caught:
            place.api().download_artifact(artifact, tmp_path / "a.zip", 10)
        said.append("".join(traceback.format_exception(caught.value)))
        place.server.faults.clear()
    assert "sig=" in str(place.server.storage_requests[0])
    assert "sig=" not in " ".join(said) + caplog.text


FAULTS = [
    {"kind": "status", "status": 401},
    {"kind": "status", "status": 403},
    {"kind": "status", "status": 404},
    {"kind": "status", "status": 422},
    {"kind": "status", "status": 502},
    {"kind": "status", "status": 307},
    {"kind": "close_before_change"},
    {"kind": "close_after_change"},
    {"kind": "secondary_rate_limit", "retry_after": 900},
    {"kind": "primary_rate_limit", "reset_in": 900},
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: "-".join(map(str, fault.values())))
@pytest.mark.parametrize(
    "call",
    [
        ("post-extraction-pr-comment", "/pulls/1$"),
        ("post-extraction-pr-comment", "/comments$"),
        ("post-extraction-pr-comment", "/access_tokens$"),
        ("set-status", "/statuses/"),
        ("set-status", "/access_tokens$"),
    ],
    ids="-".join,
)
def test_no_failure_of_a_command_shows_a_secret(
    place: GitHubPlace,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    call: tuple[str, str],
    fault: dict[str, Any],
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bot.github.retry.FIRST_BACKOFF_SECONDS", 0.001)
    monkeypatch.setattr("bot.github.sticky_comment.SETTLE_SECONDS", 0.001)
    command, path = call
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    env = app_env(place, private, installation.id)
    if path != "/access_tokens$":
        env = place.env()
    more = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(outputs)}
    for name, value in {**env, **more, "GITHUB_ACTIONS": "true"}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "policy.json").write_text('{"status": "fail", "reasons": ["changed"]}')
    arguments = ["--policy", "policy.json"]
    if command == "post-extraction-pr-comment":
        arguments += ["--pr-number", "1", "--extraction-benchmark-data", "none.json"]
    else:
        arguments += ["--sha", place.git("rev-parse", "feature").strip()]
    place.server.faults.add(path=path, times=None, **fault)
    assert main([command, *arguments]) in (0, 1, 3)
    said = capfd.readouterr()
    written = "".join(file.read_text() for file in (summary, outputs) if file.exists())
    everything = said.out + said.err + caplog.text + written
    secrets = [*place.server.state.tokens, *private.split("\n")[1:-2], "eyJ", "PRIVATE KEY"]
    assert [secret for secret in secrets if secret in everything] == []
    assert said.err.count("\n") <= 2


def test_a_fault_of_our_own_shows_no_secret_in_its_traceback(
    place: GitHubPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise KeyError("number")

    monkeypatch.setattr("bot.github.parse.pull", broken)
    with pytest.raises(KeyError) as caught:
        connect(place.env()).pull(1)
    assert place.token.value not in "".join(traceback.format_exception(caught.value))
