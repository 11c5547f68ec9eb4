"""Reads `gate-result.json` back; hostile input when it comes from an artifact."""

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.errors import BadInput
from bot.files import read_json
from bot.gate.regression import GateResult
from bot.validation import describe


def load_gate_result(path: Path) -> GateResult:
    """Raises BadInput, also for a pass that a check of its own contradicts."""
    try:
        result = TypeAdapter(GateResult).validate_python(read_json(path))
    except ValidationError as error:
        raise BadInput(describe(error), where=path) from error
    if result.status == "pass" and not (result.checks and all(c.ok for c in result.checks)):
        raise BadInput("status is pass, but not every check holds", where=path)
    return result
