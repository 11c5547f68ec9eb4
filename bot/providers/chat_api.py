"""The chat completions API that OpenAI, vLLM and others speak, as pure functions.

A `Dialect` says how a server wants the same question written. It starts with what is best and steps
down when the server refuses: JSON Schema, then JSON mode (first with the schema beside it), then
plain text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast, get_args

from pydantic import ValidationError

from bot.errors import one_line
from bot.evaluation.outcome import Failure, Usage
from bot.extraction.request import RequestPlan
from bot.extraction.turns import Turn, frame_turns

AnswerFormat = Literal["json_schema", "json_object_schema", "json_object", "text"]
"""From the strictest down; the second is llama.cpp's way to give JSON mode a schema."""
SchemaParameter = Literal["response_format", "guided_json", "structured_outputs"]
"""Where a server takes the JSON Schema: OpenAI's field, vLLM's older one, vLLM's newer one."""
TokenParameter = Literal["max_tokens", "max_completion_tokens"]
"""OpenAI's newer models know only the second, many servers only the first."""
SCHEMA_PARAMETERS: Final[tuple[SchemaParameter, ...]] = get_args(SchemaParameter)
_FORMATS: Final[tuple[AnswerFormat, ...]] = get_args(AnswerFormat)

MAX_SHOWN_CHARS: Final = 200

# the server speaks of a parameter of ours
_FORMAT_WORDS: Final = re.compile(
    r"response_format|json_schema|guided_json|structured.?output|json_object|grammar|\bschema\b",
    re.IGNORECASE,
)
_FORMAT_PARAMETERS: Final = re.compile(r"\b(?:response_format|guided_json|structured_outputs)\b")
_TOO_LONG: Final = re.compile(r"context.length|too (?:large|long)", re.IGNORECASE)
_OMITTABLE: Final = ("temperature", "seed")

# what must never be shown: keys, organisation and project ids
_SECRETS: Final = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_*-]{6,}|\b(?:org|proj|user)-[A-Za-z0-9]{8,}"
    r"|\bbearer\s+\S+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the question is written for one server."""

    answer_format: AnswerFormat = "json_schema"
    schema_parameter: SchemaParameter = "response_format"
    token_parameter: TokenParameter = "max_tokens"
    is_token_switched: bool = False
    omitted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Completion:
    """A server's answer: the model's text as it came, and what the server says of it."""

    text: str | None
    refusal: str | None
    finish_reason: str | None
    usage: Usage | None
    model: str | None

    @property
    def failure(self) -> Failure | None:
        """A refusal, or an answer that was cut off or is not there at all."""
        if self.refusal or self.finish_reason == "content_filter":
            return Failure("refusal", self.refusal or "stopped by the server's content filter")
        if self.finish_reason == "length":
            return Failure("truncated", "the answer reached the limit of output tokens")
        return Failure("invalid_json", "is empty") if not self.text else None


def request_body(plan: RequestPlan, turns: Sequence[Turn], dialect: Dialect) -> dict[str, Any]:
    """The body of `POST /chat/completions`; raises BadInput for turns over a batch's bounds."""
    parameters = plan.parameters
    sampling = {"temperature": parameters.temperature, "seed": parameters.seed}
    return {
        "model": plan.model,
        "messages": [
            {"role": "system", "content": plan.contract.prompt},
            {"role": "user", "content": frame_turns(turns)},
        ],
        **{name: value for name, value in sampling.items() if name not in dialect.omitted},
        dialect.token_parameter: parameters.max_output_tokens,
        **_answer_format(plan, dialect),
    }


def _answer_format(plan: RequestPlan, dialect: Dialect) -> dict[str, Any]:
    if dialect.answer_format == "text":
        return {}
    if dialect.answer_format == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = plan.answer_schema
    if dialect.answer_format == "json_object_schema":
        return {"response_format": {"type": "json_object", "schema": schema}}
    if dialect.schema_parameter == "guided_json":
        return {"guided_json": schema}
    if dialect.schema_parameter == "structured_outputs":
        return {"structured_outputs": {"json": schema}}
    named = {"name": "extraction", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


@dataclass(frozen=True, slots=True)
class ServerError:
    """What a refusal's body says; every text may be anything."""

    message: str = ""
    code: str = ""
    parameter: str = ""

    @property
    def shown(self) -> str:
        """One short line without anything that looks like a key or an organisation id."""
        return one_line(_SECRETS.sub("[hidden]", self.message or self.code), MAX_SHOWN_CHARS)


def parse_error(payload: object) -> ServerError:
    """The error object of OpenAI's and of the usual others' answers."""
    error = payload.get("error", payload) if isinstance(payload, Mapping) else None
    if isinstance(error, str):
        return ServerError(error)
    if not isinstance(error, Mapping):
        return ServerError()
    message = error.get("message") or error.get("detail") or ""
    return ServerError(
        message=message if isinstance(message, str) else str(message)[:2_000],
        code=str(error.get("code") or error.get("type") or "")[:100],
        parameter=str(error.get("param") or "")[:100],
    )


def names_answer_format(error: ServerError) -> bool:
    """Whether the server speaks of the parameter that asks for structured output."""
    return bool(_FORMAT_PARAMETERS.search(error.parameter or error.message))


def step_down(dialect: Dialect, error: ServerError) -> Dialect | None:
    """The dialect to try next when a server refused a request; None when it is not about that."""
    about = error.parameter or error.message
    if _TOO_LONG.search(error.message) or error.code == "context_length_exceeded":
        return None  # names max_tokens too, and no other way of asking would help
    if dialect.token_parameter in about and not dialect.is_token_switched:
        other: TokenParameter = (
            "max_tokens"
            if dialect.token_parameter == "max_completion_tokens"
            else "max_completion_tokens"
        )
        return replace(dialect, token_parameter=other, is_token_switched=True)
    for name in _OMITTABLE:
        if name not in dialect.omitted and re.search(rf"\b{name}\b", about):
            return replace(dialect, omitted=dialect.omitted | {name})
    place = _FORMATS.index(dialect.answer_format)
    if _FORMAT_WORDS.search(about) and place + 1 < len(_FORMATS):
        return replace(dialect, answer_format=_FORMATS[place + 1])
    return None


def parse_completion(payload: object) -> Completion | None:
    """The first choice of an answer; None when `payload` is no chat completion at all."""
    if not isinstance(payload, Mapping):
        return None
    choices = payload.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        return None
    return Completion(
        text=_text(message.get("content")),
        refusal=_text(message.get("refusal")),
        finish_reason=_text(choice.get("finish_reason")),
        usage=_usage(payload.get("usage")),
        model=one_line(cast(str, payload["model"]), MAX_SHOWN_CHARS)
        if _text(payload.get("model"))
        else None,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _usage(value: object) -> Usage | None:
    try:
        return Usage.model_validate(value)
    except ValidationError:
        return None
