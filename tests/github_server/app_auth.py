"""An App's JWT, verified as GitHub verifies it."""

from __future__ import annotations

import jwt

from tests.github_server.state import App
from tests.github_server.wire import Call, Refusal

MAX_JWT_SECONDS = 600
IAT_TOLERANCE_SECONDS = 5
"""GitHub's page tells Apps to set `iat` a minute back, because it allows next to no drift."""


def app_of(call: Call) -> App:
    """The App whose JWT the request carries.

    Raises GitHub's 401 for a bad signature, an `iat` in the future, an `exp` in the past or more
    than ten minutes ahead of the server's clock; 404 for an unknown App.
    """
    scheme, _, encoded = call.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or encoded.count(".") != 2:
        raise Refusal(401, "A JSON web token could not be decoded")
    try:
        claims = jwt.decode(encoded, options={"verify_signature": False})
    except jwt.PyJWTError:
        raise Refusal(401, "A JSON web token could not be decoded") from None
    app = _find(call, str(claims.get("iss", "")))
    try:
        jwt.decode(
            encoded,
            app.public_key_pem,
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except jwt.PyJWTError:
        raise Refusal(401, "A JSON web token could not be decoded") from None
    _check_times(claims.get("iat"), claims.get("exp"), call.state.timestamp())
    return app


def _find(call: Call, issuer: str) -> App:
    for app in call.state.apps.values():
        if issuer in (str(app.id), app.client_id):
            return app
    raise Refusal(404, "Integration not found")


def _check_times(issued: object, expires: object, now: float) -> None:
    if not isinstance(issued, int | float) or issued > now + IAT_TOLERANCE_SECONDS:
        raise Refusal(
            401,
            "'Issued at' claim ('iat') must be an Integer representing the time that the"
            " assertion was issued",
        )
    if not isinstance(expires, int | float) or expires <= now:
        raise Refusal(
            401,
            "'Expiration time' claim ('exp') must be a numeric value representing the future time"
            " at which the assertion expires",
        )
    if expires > now + MAX_JWT_SECONDS:
        raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")
