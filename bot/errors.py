"""One class an exit code (CONTRACTS section 11).

Every error is one line: what is wrong, where, and the next step. Texts may quote untrusted input:
control characters are shown as escapes, so no message can forge a second line or a command.
"""

from pathlib import Path


def one_line(text: str, max_chars: int = 600) -> str:
    """`text` without control characters (written as escapes), at most `max_chars` characters."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= max_chars else shown[: max_chars - 1] + "…"


class BotError(Exception):
    """An error that a user can cause; `exit_code` is the process's exit code."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | Path = "", next_step: str = "") -> None:
        self.what, self.where, self.next_step = what, str(where), next_step
        place = f"{where}: " if str(where) else ""
        advice = f" — {next_step}" if next_step else ""
        super().__init__(one_line(f"{place}{what}{advice}"))


class RuleSaysNo(BotError):
    """A rule was checked and does not hold: gate, policy, stale dispatch."""

    exit_code = 1


class BadInput(BotError):
    """A file, a flag or an environment variable cannot be used; nothing was written."""

    exit_code = 2


class Unreachable(BotError):
    """GitHub or a provider could not be reached, or refused."""

    exit_code = 3
