"""Who is calling: GitHub Apps and their tokens, users, and rate limits."""

from __future__ import annotations

from datetime import timedelta

from tests.github_server import payloads
from tests.github_server.app_auth import app_of
from tests.github_server.payloads import timestamp
from tests.github_server.rate_limits import rate_limit_of
from tests.github_server.routing import route
from tests.github_server.state import Installation, Token, TokenKind
from tests.github_server.wire import Answer, Call, Refusal, not_found

INSTALLATION_TOKEN_LIFETIME = timedelta(hours=1)


@route("GET", "/app", as_app=True)
def get_app(call: Call) -> Answer:
    """The App that signed the JWT."""
    return Answer(200, payloads.app(call.urls, app_of(call)))


@route("GET", "/repos/{owner}/{repo}/installation", as_app=True)
def get_repository_installation(call: Call) -> Answer:
    """The App's installation on a repository, 404 when there is none."""
    app = app_of(call)
    full_name = f"{call.parameters['owner']}/{call.parameters['repo']}".lower()
    for one in call.state.installations.values():
        if one.app.id == app.id and full_name in {name.lower() for name in one.repositories}:
            owner = call.state.user(one.owner)
            return Answer(200, payloads.installation(call.urls, one, owner))
    raise not_found()


@route("POST", "/app/installations/{installation_id}/access_tokens", as_app=True)
def create_installation_token(call: Call) -> Answer:
    """A token for an hour, with the installation's permissions or fewer."""
    app = app_of(call)
    installation = call.state.installations.get(call.number("installation_id"))
    if installation is None or installation.app.id != app.id:
        raise not_found()
    body = call.body()
    permissions = dict(installation.permissions)
    if body.get("permissions"):
        permissions = {"metadata": "read", **body["permissions"]}
        held = Token("", TokenKind.APP, call.state.user("ghost"), dict(installation.permissions))
        if not all(held.allows(name, level) for name, level in permissions.items()):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
    expires = call.state.now() + INSTALLATION_TOKEN_LIFETIME
    token = call.state.add_token(
        Token(
            value=call.state.new_token_value("ghs"),
            kind=TokenKind.APP,
            user=call.state.user(f"{app.slug}[bot]", "Bot"),
            permissions=permissions,
            app=app,
            repositories=_repositories(installation, body.get("repositories")),
            expires_at=expires,
        )
    )
    shown = {
        "token": token.value,
        "expires_at": timestamp(expires),
        "permissions": payloads.granted(permissions),
        "repository_selection": "selected",
    }
    return Answer(201, shown)


@route("GET", "/user")
def get_authenticated_user(call: Call) -> Answer:
    """Refused for GITHUB_TOKEN and for installation tokens."""
    if call.bearer.kind is not TokenKind.PERSONAL:
        raise Refusal(403, "Resource not accessible by integration")
    return Answer(200, payloads.full_user(call.urls, call.state, call.actor, private=True))


@route("GET", "/users/{username}")
def get_user(call: Call) -> Answer:
    """A user or bot by login."""
    user = call.state.users.get(call.parameters["username"])
    if user is None:
        raise not_found()
    return Answer(200, payloads.full_user(call.urls, call.state, user, private=False))


@route("GET", "/rate_limit")
def get_rate_limit(call: Call) -> Answer:
    """Costs nothing itself."""
    core = rate_limit_of(call.bearer, call.state.timestamp()).as_json()
    free = {"limit": 30, "remaining": 30, "used": 0, "reset": core["reset"]}
    return Answer(200, {"resources": {"core": core, "search": free}, "rate": core})


def _repositories(installation: Installation, names: list[str] | None) -> frozenset[str]:
    if not names:
        return installation.repositories
    wanted = frozenset(f"{installation.owner}/{name}" for name in names)
    if not wanted <= installation.repositories:
        raise Refusal(422, "There is at least one repository that does not exist or is not"
                      " accessible to the parent installation.")  # fmt: skip
    return wanted
