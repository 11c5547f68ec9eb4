"""File, then defaults → one frozen Settings. Flags are laid over it by the command line.

A repository's settings stand in `.github/extraction-bot.toml`, or in `[tool.extraction-bot]` of its
`pyproject.toml`; the first file wins whole.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import BadInput
from bot.evaluation.gold_set import BUILT_IN_GOLD_SET
from bot.evaluation.matching import DEFAULT_THRESHOLD
from bot.extraction.fingerprint import Contract, ContractFingerprint
from bot.extraction.request import DEFAULT_MAX_OUTPUT_TOKENS, DEFAULT_SEED
from bot.files import read_text
from bot.gate.staleness import DEFAULT_STALE_AFTER_DAYS
from bot.history.model import DEFAULT_MAX_RUNS
from bot.imports import import_object
from bot.policy.oracle import DEFAULT_CONTRACT_PATHS
from bot.providers.chat_api import SchemaParameter
from bot.providers.limits import DEFAULT_CONCURRENCY
from bot.providers.prices import Price
from bot.providers.registry import (
    DEFAULT_FIRST_WAIT_SECONDS,
    DEFAULT_MAX_ATTEMPTS,
    DEFAULT_TIMEOUT_SECONDS,
)
from bot.suites import EXTRACTION_QUALITY
from bot.validation import validate

CONFIG_FILE: Final = Path(".github/extraction-bot.toml")
_IMPORT_STRING: Final = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"

ImportString = Annotated[str, Field(pattern=_IMPORT_STRING)]


class LiveSettings(BaseModel):
    """How servers are asked. An address or a key is never configured here: a pull request could
    change it, and so send the key elsewhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrency: Annotated[int, Field(strict=True, ge=1, le=256)] = DEFAULT_CONCURRENCY
    timeout_seconds: Annotated[float, Field(gt=0, le=3_600)] = DEFAULT_TIMEOUT_SECONDS
    max_attempts: Annotated[int, Field(strict=True, ge=1, le=20)] = DEFAULT_MAX_ATTEMPTS
    first_wait_seconds: Annotated[float, Field(gt=0, le=60)] = DEFAULT_FIRST_WAIT_SECONDS
    max_output_tokens: Annotated[int, Field(strict=True, ge=1)] = DEFAULT_MAX_OUTPUT_TOKENS
    seed: Annotated[int, Field(strict=True)] = DEFAULT_SEED
    structured_output: SchemaParameter = "response_format"


class Settings(BaseModel):
    """What a repository may configure; paths are relative to its root."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gold_set: Path = BUILT_IN_GOLD_SET
    data: Path = EXTRACTION_QUALITY.data_file
    out: Path = Path("out")
    templates: Path | None = None
    workflows: Path = Path(".github/workflows")
    workflow_path: str = ".github/workflows/extraction-eval.yml"
    workflow_name: str = "extraction-eval"
    data_branch: str = "chore/bench-data-publish"
    prompt: ImportString = "bot.extraction.prompt_v2:EXTRACTION_SYSTEM_PROMPT_BATCH"
    output_schema: Annotated[ImportString, Field(alias="schema")] = (
        "bot.extraction.schema:BatchExtractionResult"
    )
    contract_paths: Annotated[tuple[str, ...], Field(min_length=1)] = DEFAULT_CONTRACT_PATHS
    stale_after_days: Annotated[int, Field(strict=True, ge=0)] = DEFAULT_STALE_AFTER_DAYS
    max_runs: Annotated[int, Field(strict=True, ge=1, le=10_000)] = DEFAULT_MAX_RUNS
    similarity_threshold: Annotated[float, Field(gt=0, le=1)] = DEFAULT_THRESHOLD
    allow_contradictions: bool = False
    live: LiveSettings = LiveSettings()
    prices: dict[str, Price] = {}


def load_settings(root: Path) -> Settings:
    """The settings of the repository at `root`; raises BadInput for a key it does not know."""
    own, pyproject = root / CONFIG_FILE, root / "pyproject.toml"
    if own.exists():
        return validate(Settings, _toml(own), own)
    if pyproject.exists():
        table = _toml(pyproject).get("tool", {}).get("extraction-bot", {})
        return validate(Settings, table, f"{pyproject} [tool.extraction-bot]")
    return Settings()


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"is not TOML ({error})", where=path) from error


def load_contract(settings: Settings) -> Contract:
    """The configured prompt and schema; raises BadInput."""
    prompt, schema = import_object(settings.prompt), import_object(settings.output_schema)
    if not isinstance(prompt, str):
        raise BadInput("the prompt is no text", where=settings.prompt)
    if not callable(getattr(schema, "model_json_schema", None)):
        raise BadInput("the schema is no pydantic model", where=settings.output_schema)
    return Contract(prompt, schema.model_json_schema())


def contract_of(settings: Settings) -> ContractFingerprint:
    """The fingerprints of the configured prompt and schema; raises BadInput."""
    return load_contract(settings).fingerprint
