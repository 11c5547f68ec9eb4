"""The answers of an evaluation, beside its report: what was said, right and wrong.

`latest.json` has `latest.answers.jsonl`, a conversation a line in the form that the provider
`file:PATH` reads. The report holds the file's hash, so that no other answers pass for its own.
"""

import hashlib
import json
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bot.evaluation.task import Prediction, Task
from bot.files import write_stream_atomic

_IN_MEMORY_BYTES: Final = 4 * 1024 * 1024


def answers_path(report: Path) -> Path:
    """Where the answers of the report at this path are."""
    return report.with_suffix(".answers.jsonl")


class AnswersFile:
    """Takes one prediction after the other; nothing is at its place before `write`.

    Use it as a context manager. `latest` is where the report will be.
    """

    def __init__(self, task: Task, latest: Path) -> None:
        self.latest = latest
        self._task = task
        self._hash = hashlib.sha256()
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, conversation_id: str, prediction: Prediction) -> None:
        row = {"conversation_id": conversation_id, **self._task.to_answer(prediction)}
        line = (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8")
        self._hash.update(line)
        self._file.write(line)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def write(self) -> None:
        """Put the file beside the report; raises BadInput."""
        write_stream_atomic(answers_path(self.latest), self._file)
