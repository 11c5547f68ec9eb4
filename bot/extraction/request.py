"""What is asked of a model for one conversation, and the hash that names the question.

A recorded answer stays good as long as its question is the same: model, prompt, schema, parameters
and turns (CONTRACTS section 2, `request_sha256`). How a server wants the question written is not
part of it (`bot.providers.chat_api`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from bot.extraction.fingerprint import Contract, canonical_json, sha256_hex
from bot.extraction.turns import Turn, frame_turns

DEFAULT_SEED: Final = 7
DEFAULT_MAX_OUTPUT_TOKENS: Final = 4_096  # ten memories of usual length for each of four turns

# What structured-output engines share; the others (default, title, minLength, …) make some refuse
# the whole schema. What is left out here is still checked when the answer is read.
_KEPT_KEYWORDS: Final = frozenset(
    {"type", "items", "enum", "const", "anyOf", "$ref", "minItems", "maxItems", "minimum"}
    | {"maximum", "format", "required", "additionalProperties"}
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """Of sampling: as little chance as a server allows."""

    temperature: float = 0.0
    seed: int = DEFAULT_SEED
    max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS


@dataclass(frozen=True)
class RequestPlan:
    """What all questions of a run have in common."""

    model: str
    contract: Contract
    parameters: Parameters = Parameters()

    @cached_property
    def answer_schema(self) -> dict[str, Any]:
        """The contract's schema as servers take it."""
        return strict_answer_schema(self.contract.json_schema)

    def request_sha256(self, turns: Sequence[Turn]) -> str:
        """Of the canonical JSON of model, prompt, schema, parameters and the turns as sent.

        Raises BadInput for turns over the bounds of a batch.
        """
        identity = {
            "model": self.model,
            "prompt": self.contract.prompt,
            "schema": self.contract.json_schema,
            "parameters": asdict(self.parameters),
            "turns": frame_turns(turns),
        }
        return sha256_hex(canonical_json(identity).encode("utf-8"))


def strict_answer_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` for a server's structured output: every property required, no keyword refused.

    An optional property stays nullable, so a model can still leave it open.
    """
    strict: dict[str, Any] = _strict(schema)
    return strict


def _strict(value: Any) -> Any:
    if isinstance(value, list):
        return [_strict(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    kept = {name: _strict(item) for name, item in value.items() if name in _KEPT_KEYWORDS}
    if "prefixItems" in value:  # a pair, as a list of two; its length is kept
        kept["items"] = _strict(value["prefixItems"][0])
    if "properties" in value:
        kept["properties"] = {name: _strict(item) for name, item in value["properties"].items()}
        kept["required"] = list(value["properties"])
        kept["additionalProperties"] = False
    if "$defs" in value:
        kept["$defs"] = {name: _strict(item) for name, item in value["$defs"].items()}
    return kept
