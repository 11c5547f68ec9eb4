"""What `doctor` says of one thing: a level, what it found, and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.errors import BotError
from bot.verdict import Verdict

Level = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` names the thing looked at; only an `ok` needs no next step."""

    level: Level
    about: str
    what: str
    next_step: str = ""

    @classmethod
    def of(cls, about: str, error: BotError) -> "Finding":
        where = f"{error.where}: " if error.where else ""
        return cls("error", about, f"{where}{error.what}", error.next_step or "correct it")

    @property
    def line(self) -> str:
        advice = f" — {self.next_step}" if self.next_step else ""
        return f"{self.about}: {self.what}{advice}"


def judge_findings(findings: Sequence[Finding]) -> Verdict:
    """A fail when one is an error; warnings are advice."""
    errors = tuple(finding.line for finding in findings if finding.level == "error")
    return Verdict("fail" if errors else "pass", errors)
