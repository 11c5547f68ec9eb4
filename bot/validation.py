"""Pydantic's findings as one line: the path of the field, the fault, the value."""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.errors import BadInput

Model = TypeVar("Model", bound=BaseModel)

_SHOWN_VALUE_CHARS = 80


def describe(error: ValidationError) -> str:
    """The first fault as `path: message (got value)`, with the number of the others."""
    faults = error.errors(include_url=False, include_context=False)
    first = faults[0]
    place = ".".join(str(part) for part in first["loc"]) or "the whole"
    value = repr(first["input"])
    if len(value) > _SHOWN_VALUE_CHARS:
        value = value[:_SHOWN_VALUE_CHARS] + "…"
    message = first["msg"].removeprefix("Value error, ")
    others = f" and {len(faults) - 1} more faults" if len(faults) > 1 else ""
    return f"{place}: {message} (got {value}){others}"


def validate(model: type[Model], value: Any, where: str | Path, next_step: str = "") -> Model:
    """`value` as a `model`; raises BadInput that names the field and the value."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise BadInput(describe(error), where=where, next_step=next_step) from error
    except RecursionError as error:
        raise BadInput("is nested too deeply", where=where) from error
