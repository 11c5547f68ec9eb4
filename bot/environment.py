"""Which commit, branch and run this is: flags, then GitHub's variables, then git, then defaults.

On a pull request GITHUB_SHA is a merge commit that nobody sees: the head commit and the head branch
of the event are taken instead (CONTRACTS section 5).
"""

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.errors import BadInput
from bot.files import read_bytes
from bot.history.identity import (
    MAX_BRANCH_CHARS,
    MAX_RUN_NUMBER,
    MAX_URL_CHARS,
    RunIdentity,
)

DEFAULT_SERVER_URL: Final = "https://github.com"
UNKNOWN_SHA: Final = "0" * 40
LOCAL_BRANCH: Final = "local"
_SHA: Final = re.compile(r"[0-9a-f]{7,64}")
_GIT_TIMEOUT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None where it says nothing."""

    sha: str | None = None
    branch: str | None = None
    run_number: int | None = None
    run_url: str | None = None


def server_url(env: Mapping[str, str]) -> str:
    return env.get("GITHUB_SERVER_URL") or DEFAULT_SERVER_URL


def read_event(env: Mapping[str, str]) -> dict[str, Any]:
    """The event file's JSON; an absent or unusable one is no event."""
    path = env.get("GITHUB_EVENT_PATH")
    if not path:
        return {}
    try:
        event = json.loads(read_bytes(Path(path)))
    except (BadInput, ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def pull_request_head(env: Mapping[str, str]) -> tuple[str, str] | None:
    """(sha, branch) of the pull request's head, when the event is a pull request's."""
    pull = read_event(env).get("pull_request")
    head = pull.get("head") if isinstance(pull, dict) else None
    if not isinstance(head, dict):
        return None
    sha, ref = head.get("sha"), head.get("ref")
    return (sha, ref) if isinstance(sha, str) and isinstance(ref, str) else None


def _git(cwd: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
            ["git", *arguments],  # noqa: S607
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=_GIT_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def _run_url(env: Mapping[str, str]) -> str:
    repository, run_id = env.get("GITHUB_REPOSITORY"), env.get("GITHUB_RUN_ID")
    if not repository or not run_id:
        return ""
    return f"{server_url(env).rstrip('/')}/{repository}/actions/runs/{run_id}"


def _run_number(text: str | None) -> int:
    if not text:
        return 0
    if not text.isascii() or not text.isdigit():
        raise BadInput(f"GITHUB_RUN_NUMBER is {text!r}, not a whole number")
    return int(text)


def _commit(text: str) -> str:
    sha = text.strip().lower()
    if not _SHA.fullmatch(sha):
        raise BadInput(
            f"{text!r} is no commit hash",
            where="--sha",
            next_step="give 7 to 64 hexadecimal digits",
        )
    return sha


def _text(text: str, what: str, max_chars: int) -> str:
    """What can stand in a published file; raises BadInput."""
    if len(text) > max_chars or any("\ud800" <= char <= "\udfff" for char in text):
        raise BadInput(f"is longer than {max_chars:,} characters, or no UTF-8", where=what)
    return text


def identify_run(overrides: Overrides, env: Mapping[str, str], cwd: Path) -> RunIdentity:
    """Raises BadInput for a sha or a number that is none, and for texts that no file can hold."""
    head_sha, head_branch = pull_request_head(env) or (None, None)
    sha = overrides.sha or head_sha or env.get("GITHUB_SHA") or _git(cwd, "rev-parse", "HEAD")
    branch = (
        overrides.branch
        or head_branch
        or env.get("GITHUB_HEAD_REF")
        or env.get("GITHUB_REF_NAME")
        or _git(cwd, "symbolic-ref", "--short", "HEAD")
    )
    number = overrides.run_number
    number = _run_number(env.get("GITHUB_RUN_NUMBER")) if number is None else number
    if number > MAX_RUN_NUMBER:
        raise BadInput(f"is over {MAX_RUN_NUMBER:,}", where="the run's number")
    url = overrides.run_url if overrides.run_url is not None else _run_url(env)
    return RunIdentity(
        sha=_commit(sha or UNKNOWN_SHA),
        branch=_text(branch or LOCAL_BRANCH, "the branch", MAX_BRANCH_CHARS),
        run_number=number,
        run_url=_text(url, "the run's address", MAX_URL_CHARS),
    )
