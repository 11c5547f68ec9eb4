"""The journal of a live run: what was answered is kept, so that no answer is paid for twice.

One JSON object a line, written as soon as an answer is there. It survives a kill of the process; a
line that was cut off is asked for again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import BadInput
from bot.evaluation.outcome import FailureKind, Outcome, Usage
from bot.files import MAX_LINES_BYTES, read_bytes

ASKED_AGAIN: Final[frozenset[FailureKind]] = frozenset({"timeout", "unavailable"})
"""Failures of a moment: `--resume` asks again."""


class JournalLine(BaseModel):
    """An answer as it came; `raw` is the model's text, judged anew when it is read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    conversation_id: str
    request_sha256: str
    raw: str | None = None
    failure: FailureKind | None = None
    detail: str = ""
    usage: Usage | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    attempts: int
    finish_reason: str | None = None
    served_model: str | None = None
    answered_at: str


def to_line(outcome: Outcome) -> str:
    """Raises ValidationError for an outcome without a request."""
    failure = outcome.failure
    line = JournalLine(
        conversation_id=outcome.conversation_id,
        request_sha256=outcome.request_sha256 or "",
        raw=outcome.raw,
        failure=failure.kind if failure else None,
        detail=failure.detail if failure else "",
        usage=outcome.usage,
        cost_usd=outcome.cost_usd,
        latency_ms=outcome.latency_ms,
        attempts=outcome.attempts,
        finish_reason=outcome.finish_reason,
        served_model=outcome.served_model,
        answered_at=outcome.answered_at or "",
    )
    return json.dumps(line.model_dump(mode="json", exclude_none=True)) + "\n"


@dataclass(slots=True)
class Journal:
    """The file at `path`; use it as a context manager. Without `resume` a file with answers is
    refused, so that nobody throws paid answers away by repeating a command."""

    path: Path
    resume: bool = False
    _file: TextIO | None = None

    def __enter__(self) -> Self:
        if not self.resume and self.path.exists() and self.path.stat().st_size:
            raise BadInput(
                "holds the answers of a run that did not finish",
                where=self.path,
                next_step="add --resume to go on with it, or delete the file to begin anew",
            )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._end_last_line()
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", where=self.path) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()
            if not self.path.stat().st_size:
                self.path.unlink()

    def _end_last_line(self) -> None:
        """So that a line that was cut off does not spoil the next one."""
        if self.path.exists() and self.path.stat().st_size:
            with self.path.open("rb+") as file:
                file.seek(-1, 2)
                if file.read(1) != b"\n":
                    file.write(b"\n")

    def write(self, outcome: Outcome) -> None:
        assert self._file is not None
        try:
            self._file.write(to_line(outcome))
            self._file.flush()
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", where=self.path) from error

    def lines(self) -> Iterator[JournalLine]:
        """What was answered before; lines that are none are passed over."""
        if not self.resume or not self.path.exists():
            return
        for line in read_bytes(self.path, MAX_LINES_BYTES).splitlines():
            try:
                yield JournalLine.model_validate_json(line)
            except ValidationError:
                continue

    def finish(self) -> None:
        """The run is done and written: the journal has served."""
        self.path.unlink(missing_ok=True)
