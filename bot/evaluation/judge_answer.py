"""A model's raw answer → memories by turn, or the kind of failure it is. Nothing is repaired."""

from bot.errors import BadInput
from bot.evaluation.cassettes import Answers
from bot.evaluation.outcome import Failure
from bot.extraction.schema import BatchExtractionResult
from bot.files import parse_json
from bot.validation import validate


def judge_answer(raw: str, asked: frozenset[int]) -> Answers | Failure:
    """`raw` is strictly the JSON of a `BatchExtractionResult` for exactly the turns `asked`."""
    try:
        raw.encode("utf-8")
        value = parse_json(raw, "")
    except UnicodeEncodeError:
        return Failure("invalid_json", "holds a lone surrogate and is no valid text")
    except BadInput as error:
        fence = "is wrapped in a Markdown fence" if raw.lstrip().startswith("```") else error.what
        return Failure("invalid_json", fence)
    try:
        result = validate(BatchExtractionResult, value, "")
    except BadInput as error:
        return Failure("schema_violation", error.what)
    answered = {turn.turn_index for turn in result.turns}
    if answered != asked:
        return Failure(
            "wrong_turns", f"answered for turns {_listed(answered)}, asked for {_listed(asked)}"
        )
    return {turn.turn_index: turn.memories for turn in result.turns}


def _listed(turns: set[int] | frozenset[int]) -> str:
    shown = ", ".join(str(turn) for turn in sorted(turns)[:10])
    return (shown or "none") + (", …" if len(turns) > 10 else "")
