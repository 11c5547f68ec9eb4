"""From a raw request to an answer: authentication, permissions, the route."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tests.github_server import routes as _routes  # noqa: F401  (fills the routing table)
from tests.github_server.rate_limits import rate_limit_of
from tests.github_server.routing import Route
from tests.github_server.state import Level, State, Token, TokenKind
from tests.github_server.wire import Answer, Call, Refusal, not_found

_REPOSITORY = "/repos/{owner}/{repo}"


def token_value(headers: Mapping[str, str]) -> str | None:
    """The token in an Authorization header (`Bearer` or `token`), if any."""
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() in ("bearer", "token") and value else None


def perform(route: Route | None, call: Call) -> Answer:
    """Carry out a call. The caller holds the state's lock."""
    try:
        if not call.headers.get("user-agent"):
            raise Refusal(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a"
                " User-Agent header.",
            )
        if route is None:
            raise not_found()
        if route.as_app:
            return route.handler(call)
        call.token = _authenticate(call.state, call.headers)
        if route.template != "/rate_limit":
            _count(call.token, call.state)
        if route.template.startswith(_REPOSITORY):
            _enter_repository(route, call)
        answer = route.handler(call)
    except Refusal as refusal:
        answer = refusal.answer
    if route is not None and route.needs.any_of:
        accepted = {"X-Accepted-GitHub-Permissions": route.needs.header()}
        answer = replace(answer, headers={**accepted, **answer.headers})
    return answer


def _authenticate(state: State, headers: Mapping[str, str]) -> Token:
    value = token_value(headers)
    token = state.tokens.get(value) if value is not None else None
    if token is None or (token.expires_at is not None and token.expires_at <= state.now()):
        raise Refusal(401, "Bad credentials")
    return token


def _count(token: Token, state: State) -> None:
    if token.rate_used >= token.rate_limit:
        limit = rate_limit_of(token, state.timestamp())
        message = f"API rate limit exceeded for {token.user.login}."
        raise Refusal(403, message, headers=limit.headers())
    token.rate_used += 1


def _enter_repository(route: Route, call: Call) -> None:
    repo = call.state.repository(f"{call.parameters['owner']}/{call.parameters['repo']}")
    if repo is None:
        raise not_found()
    token = call.bearer
    is_outside = token.repositories is not None and repo.full_name not in token.repositories
    if is_outside and repo.is_private:
        raise not_found()
    call.found_repository = repo
    level: Level = route.needs.level
    if level == "read" and not repo.is_private:
        # On a public repository every valid token may read.
        return
    if is_outside or not any(token.allows(name, level) for name in route.needs.any_of):
        who = "personal access token" if token.kind is TokenKind.PERSONAL else "integration"
        raise Refusal(403, f"Resource not accessible by {who}")
