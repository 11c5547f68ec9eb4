"""One comment of ours on a pull request, found again by its marker and its author.

GitHub has no conditional write for comments, so two jobs may create one each, or write over each
other. After a write the comments are read again: of two of ours the oldest stays and takes over
what the other held; what somebody wrote over is written once more. Nothing is written from a
reading that a failure or a rate limit made old. Bounded, and the same on both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from bot.github.interface import Ambiguous, Comment, GitHub, GitHubRefused, GitHubUnreachable

MAX_ROUNDS: Final = 12
"""So many jobs may write at the very same moments: each round settles one of them."""
MAX_FAILURES: Final = 5
SETTLE_SECONDS: Final = 1.0
"""Longer than another job takes between its reading and its writing; doubled with each failure."""

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
    marked = [one for one in github.comments(issue) if one.body.startswith(marker)]
    return sorted((one for one in marked if github.wrote(one)), key=lambda comment: comment.id)


def _edit(github: GitHub, first: Comment, body: str, gone: set[int]) -> Comment | None:
    """None when it is not there any more.

    `gone` holds the ids that were answered 404: a comment listed in spite of it is refused.
    """
    try:
        return github.edit_comment(first.id, body)
    except GitHubRefused as error:
        if error.status != 404 or first.id in gone:
            raise
        gone.add(first.id)
        return None


def _delete(github: GitHub, comment: Comment) -> None:
    try:
        github.delete_comment(comment.id)
    except GitHubRefused as error:
        if error.status != 404:
            raise


def _write(
    github: GitHub, issue: int, sticky: StickyComment, found: list[Comment], gone: set[int]
) -> Upserted | None:
    """One write at most, and the deletion of what was merged; None when it must be read again."""
    if not found:
        return Upserted(github.create_comment(issue, sticky.edit(None)), "created")
    first, *others = found
    body = first.body
    for other in others:
        body = sticky.merge(body, other.body)
    body = sticky.edit(body)
    is_changed = body != first.body
    kept = _edit(github, first, body, gone) if is_changed else first
    if kept is None:
        return None
    for other in others:
        _delete(github, other)
    return Upserted(kept, "updated" if is_changed or others else "unchanged")


def upsert(
    github: GitHub, issue: int, sticky: StickyComment, sleep: Callable[[float], None]
) -> Upserted:
    """Create or update our comment; no write when it holds already what it should.

    Raises GitHubRefused where we may not write, GitHubUnreachable when GitHub keeps failing or
    others keep writing over it.
    """
    last: Upserted | None = None
    outcome: Outcome = "unchanged"
    gone: set[int] = set()
    failures = 0
    found = ours(github, issue, sticky.marker)
    for _ in range(MAX_ROUNDS):
        lost: Ambiguous | None = None
        if found or last is None:  # a list that lacks what we have written lags behind: wait
            if not found or outcome == "unchanged":
                outcome = "updated" if found else "created"
            try:
                written = _write(github, issue, sticky, found, gone)
                if written is not None and written.outcome == "unchanged":
                    return Upserted(written.comment, outcome if last or failures else "unchanged")
                last = written or last
            except Ambiguous as error:
                lost = error  # it may be done: look before a second try
                failures += 1
        sleep(SETTLE_SECONDS * (1 << failures))
        found = ours(github, issue, sticky.marker)
        if len(found) == 1 and _holds(sticky, found[0], last):
            return Upserted(found[0], outcome)
        if lost is not None and failures == MAX_FAILURES:
            raise GitHubUnreachable(
                f"{lost.what}, after {failures} attempts",
                where=lost.where,
                next_step="run the job again later",
            )
    if last is not None and not found:
        return last
    raise GitHubUnreachable(
        "other jobs kept writing over our comment",
        where=f"GitHub issue {issue}",
        next_step="run the job again",
    )


def _holds(sticky: StickyComment, comment: Comment, last: Upserted | None) -> bool:
    """Is it as we have written it, or has nothing to be added?"""
    if last is not None and (comment.id, comment.body) == (last.comment.id, last.comment.body):
        return True
    return sticky.edit(comment.body) == comment.body
