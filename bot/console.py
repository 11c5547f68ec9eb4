"""What a command says: to a terminal, and to GitHub Actions where it runs there."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TextIO

from bot.errors import BotError, one_line
from bot.verdict import Verdict

MAX_SUMMARY_BYTES: Final = 1_000_000
"""GitHub drops a step summary over 1 MiB whole."""


def _command_data(text: str) -> str:
    """Escaped as the data of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


@dataclass(frozen=True)
class Console:
    """`env` is the process environment: it says whether and where GitHub Actions listens."""

    env: Mapping[str, str] = field(default_factory=dict)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    @property
    def in_actions(self) -> bool:
        return self.env.get("GITHUB_ACTIONS") == "true"

    @property
    def is_terminal(self) -> bool:
        """Whether someone watches: a moving line would fill a log otherwise."""
        return self.err.isatty() and not self.in_actions

    def note(self, text: str) -> None:
        """One line on the way or beside a document, on standard error only."""
        print(one_line(text, 2_000), file=self.err, flush=True)

    def say(self, text: str) -> None:
        """One line for a person; untrusted text cannot break it."""
        print(one_line(text, 2_000), file=self.out)

    def print_raw(self, text: str) -> None:
        """A document that was asked for, as it is."""
        print(text, file=self.out, end="" if text.endswith("\n") else "\n")

    def warn(self, text: str) -> None:
        self._tell("warning", one_line(text, 2_000))

    def error(self, text: str) -> None:
        self._tell("error", one_line(text, 2_000))

    def tell(self, what: str, verdict: Verdict) -> None:
        """A verdict and its reasons; each reason is an error when it fails."""
        self.say(f"{what}: {verdict.status}")
        for reason in verdict.reasons:
            if verdict.ok:
                self.say(f"  {reason}")
            else:
                self.error(reason)

    def fail(self, error: BotError) -> int:
        """Print the error's one line; returns its exit code."""
        self.error(str(error))
        return error.exit_code

    def _tell(self, level: str, line: str) -> None:
        print(f"{level}: {line}", file=self.err)
        if self.in_actions:
            print(f"::{level}::{_command_data(line)}", file=self.out)

    def add_summary(self, markdown: str) -> None:
        """Append to the job summary, when there is one; too long a text is replaced by a note."""
        path = self.env.get("GITHUB_STEP_SUMMARY")
        if not path:
            return
        too_long = len(markdown.encode()) > MAX_SUMMARY_BYTES
        text = "The summary is too long; see the artifact." if too_long else markdown
        self._append(Path(path), text.rstrip("\n") + "\n")

    def set_outputs(self, outputs: Mapping[str, str]) -> None:
        """Set step outputs, one line each."""
        if path := self.env.get("GITHUB_OUTPUT"):
            lines = (f"{name}={one_line(value, 2_000)}\n" for name, value in outputs.items())
            self._append(Path(path), "".join(lines))

    def _append(self, path: Path, text: str) -> None:
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            self.warn(f"{path}: cannot be written: {error.strerror}")
