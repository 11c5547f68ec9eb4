"""Signed addresses of the artifact storage, which takes no Authorization header."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import urlencode

_KEY = b"the test GitHub's storage key"


def sign(path: str, expires: int) -> str:
    """A query that opens `path` until `expires` (seconds since the epoch)."""
    return urlencode({"se": expires, "sp": "r", "sig": _signature(path, str(expires))})


def is_signed(path: str, query: Mapping[str, str], now: float) -> bool:
    """Is this query's signature good for the path, and not past its time?"""
    expires = query.get("se", "")
    good = hmac.compare_digest(query.get("sig", ""), _signature(path, expires))
    return good and now <= int(expires)


def _signature(path: str, expires: str) -> str:
    return hmac.new(_KEY, f"{path}\n{expires}".encode(), hashlib.sha256).hexdigest()
