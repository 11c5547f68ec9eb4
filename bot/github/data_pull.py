"""The one open pull request of a data branch, created or updated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.github.interface import Ambiguous, GitHub, GitHubRefused, GitHubUnreachable, PullRequest

MAX_ROUNDS: Final = 5


@dataclass(frozen=True, slots=True)
class DataPull:
    """`body` gets the present body (None when there is no pull request) and returns the new one."""

    branch: str
    base: str
    title: str
    body: Callable[[str | None], str]
    labels: Sequence[str]


def open_pulls(github: GitHub, branch: str) -> list[PullRequest]:
    owner = github.repository.partition("/")[0]
    return github.pulls(f"{owner}:{branch}")


def ensure_pull(github: GitHub, wanted: DataPull, *, is_live: bool) -> PullRequest:
    """The open pull request with this body; raises GitHubUnreachable when it cannot be settled."""
    for attempt in range(MAX_ROUNDS):
        found = open_pulls(github, wanted.branch) if is_live or attempt else []
        if found:
            first = found[0]
            body = wanted.body(first.body)
            if (body, wanted.title) == (first.body, first.title):
                return first
            edited = github.edit_pull(first.number, wanted.title, body)
            if edited.state == "open":
                return edited
            continue  # merged under us: what we wrote wants a new one
        try:
            made = github.create_pull(wanted.title, wanted.body(None), wanted.branch, wanted.base)
        except Ambiguous:
            continue  # it may be there: look before a second try
        except GitHubRefused as error:
            if error.status != 422:
                raise
            continue  # another publisher was faster
        github.add_labels(made.number, wanted.labels)
        return made
    raise GitHubUnreachable(
        "the data pull request could not be settled",
        where=wanted.branch,
        next_step="run the job again",
    )
