"""One comment of ours on a pull request, found again by its marker and its author.

GitHub has no conditional write for comments, so two jobs may create one each, or write over each
other. After a write the comments are read again: of two of ours the oldest stays and takes over
what the other held; what somebody wrote over is written once more. Bounded, and the same on both
sides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from bot.github.interface import Ambiguous, Comment, GitHub, GitHubRefused, GitHubUnreachable

MAX_ROUNDS: Final = 6
SETTLE_SECONDS: Final = 1.0
"""Longer than another job takes between its reading and its writing."""

Outcome = Literal["created", "updated", "unchanged"]


@dataclass(frozen=True, slots=True)
class StickyComment:
    """How our comment is told and changed.

    `edit` gets the body (None when there is none) and returns the new one; it is called again
    whenever the body has changed meanwhile, and must return a body it has nothing to add to as it
    is. `merge` gets the body that stays and that of a second comment of ours.
    """

    marker: str
    edit: Callable[[str | None], str]
    merge: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Upserted:
    comment: Comment
    outcome: Outcome


def ours(github: GitHub, issue: int, marker: str) -> list[Comment]:
    """Our comments, the oldest first: they start with the marker and we wrote them.

    A person who pastes the marker is somebody else: no person's login ends in "[bot]".
    """
    login = github.login()
    found = [
        comment
        for comment in github.comments(issue)
        if comment.body.startswith(marker)
        and comment.author == login
        and comment.is_bot == login.endswith("[bot]")
    ]
    return sorted(found, key=lambda comment: comment.id)


def _gone(error: GitHubRefused) -> bool:
    return error.status == 404


def _write(
    github: GitHub, issue: int, sticky: StickyComment, found: list[Comment]
) -> Outcome | None:
    """One write at most; None when what was read is out of date and must be read again."""
    if not found:
        try:
            github.create_comment(issue, sticky.edit(None))
        except Ambiguous:
            return None  # it may be there: look before a second try
        return "created"
    first, *others = found
    body = first.body
    for other in others:
        body = sticky.merge(body, other.body)
    body = sticky.edit(body)
    try:
        if body != first.body:
            github.edit_comment(first.id, body)
    except GitHubRefused as error:
        if _gone(error):
            return None
        raise
    for other in others:
        try:
            github.delete_comment(other.id)
        except GitHubRefused as error:
            if not _gone(error):
                raise
    return "updated" if body != first.body or others else "unchanged"


def upsert(
    github: GitHub, issue: int, sticky: StickyComment, sleep: Callable[[float], None]
) -> Upserted:
    """Create or update our comment; no write when it holds already what it should.

    Raises GitHubRefused where we may not write, GitHubUnreachable when others keep writing over it.
    """
    outcome: Outcome = "unchanged"
    found = ours(github, issue, sticky.marker)
    for _ in range(MAX_ROUNDS):
        written = _write(github, issue, sticky, found)
        if written == "unchanged":
            return Upserted(found[0], outcome)
        if written is not None and outcome != "created":
            outcome = written
        sleep(SETTLE_SECONDS)
        found = ours(github, issue, sticky.marker)
        if len(found) == 1 and sticky.edit(found[0].body) == found[0].body:
            return Upserted(found[0], outcome)
    raise GitHubUnreachable(
        "other jobs kept writing over our comment",
        where=f"GitHub issue {issue}",
        next_step="run the job again",
    )
