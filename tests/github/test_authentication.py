"""Who we are, and how we prove it, on the test GitHub."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.commands.connect import connect
from bot.errors import BadInput
from bot.github.interface import GitHubRefused
from bot.github.pygithub import AppCredentials, Credentials
from tests.github_server.scenario import create_token, install_app, open_pull_request
from tests.github_server.server import GitHubServer
from tests.support.github_place import GitHubPlace, github_place


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


@pytest.mark.parametrize("skew", [-45, 0, 45])
def test_an_apps_author_is_its_slug_and_clocks_may_differ(place: GitHubPlace, skew: int) -> None:
    private, public = new_key()
    installation = install_app(place.server, place.repo, public)
    place.server.state.clock_skew_seconds = skew
    api = connect(app_env(place, private, installation.id))
    comment = api.create_comment(1, "hello")
    assert api.login() == comment.author == "memory-bench[bot]"


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
