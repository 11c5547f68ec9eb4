"""A model's raw answer → a prediction, or the kind of failure it is. Nothing is repaired."""

from typing import Any

from bot.errors import BadInput
from bot.evaluation.outcome import Failure
from bot.evaluation.task import Task
from bot.files import parse_json
from bot.validation import validate


def judge_answer(raw: str, task: Task, asked: frozenset[int] | None = None) -> Any | Failure:
    """`raw` is strictly the JSON of the task's answer, for the turns `asked` (None: unchecked)."""
    try:
        raw.encode("utf-8")
        value = parse_json(raw, "")
    except UnicodeEncodeError:
        return Failure("invalid_json", "holds a lone surrogate and is no valid text")
    except BadInput as error:
        is_fenced = raw.lstrip().startswith("```")
        why = (
            "the answer is wrapped in a Markdown fence, not bare JSON" if is_fenced else error.what
        )
        return Failure("invalid_json", why)
    try:
        answer = validate(task.answer, value, "")
    except BadInput as error:
        return Failure("schema_violation", error.what)
    return task.predict(answer, asked)
