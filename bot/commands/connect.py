"""From flags and environment to a connection with one repository."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from bot.errors import BadInput
from bot.github.pygithub import DEFAULT_API_URL, AppCredentials, Credentials, PyGithubApi
from bot.github.retry import Retrier

APP_ID: Final = "EXTRACTION_BOT_APP_ID"
PRIVATE_KEY: Final = "EXTRACTION_BOT_PRIVATE_KEY"
INSTALLATION_ID: Final = "EXTRACTION_BOT_INSTALLATION_ID"
LOGIN: Final = "EXTRACTION_BOT_LOGIN"


def _whole_number(env: Mapping[str, str], name: str) -> int:
    value = env.get(name, "")
    if not (value.isascii() and value.isdigit()):
        raise BadInput("is no whole number", where=name)
    return int(value)


def _checked_token(token: str) -> str:
    """Without the line break of a pasted secret; what is left must fit into a header."""
    token = token.strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise BadInput("holds characters that are in no token", where="the GitHub token")
    return token


def _checked_url(url: str) -> str:
    """Raises BadInput for what is no address; it is not shown, as it may hold a password."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise BadInput("is no address that begins with https://", where="GITHUB_API_URL")
    return url


def credentials_from(env: Mapping[str, str], token: str | None) -> Credentials:
    """A token given, an App's installation, or GITHUB_TOKEN and GH_TOKEN, in this order.

    A token that another App made looks like GITHUB_TOKEN: EXTRACTION_BOT_LOGIN says whose it is.
    Raises BadInput for an App of which a part is missing, and for a token that can be none.
    """
    login = env.get(LOGIN, "")
    if token:
        return Credentials(token=_checked_token(token), login=login)
    if env.get(APP_ID):
        if not env.get(PRIVATE_KEY):
            raise BadInput("is missing beside the App's id", where=PRIVATE_KEY)
        key = env[PRIVATE_KEY].replace("\\n", "\n")  # where a secret had to be one line
        app = AppCredentials(_whole_number(env, APP_ID), key, _whole_number(env, INSTALLATION_ID))
        return Credentials(app=app, login=login)
    token = env.get("GITHUB_TOKEN") or env.get("GH_TOKEN") or ""
    return Credentials(token=_checked_token(token), login=login)


def connect(
    env: Mapping[str, str],
    token: str | None = None,
    repository: str | None = None,
    retrier: Retrier | None = None,
) -> PyGithubApi:
    """`repository` is OWNER/NAME, GITHUB_REPOSITORY by default; the API is GITHUB_API_URL's.

    Raises BadInput when something is missing.
    """
    name = repository or env.get("GITHUB_REPOSITORY")
    if not name:
        raise BadInput(
            "no repository is named",
            where="--github-repository",
            next_step="give OWNER/NAME, or set GITHUB_REPOSITORY",
        )
    return PyGithubApi(
        name,
        credentials_from(env, token),
        _checked_url(env.get("GITHUB_API_URL") or DEFAULT_API_URL),
        retrier,
    )
