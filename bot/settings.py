"""File, then defaults → one frozen Settings. Flags are laid over it by the command line.

A repository's settings stand in the file that EXTRACTION_BOT_CONFIG names, else in
`.github/extraction-bot.toml`, else in `[tool.extraction-bot]` of its `pyproject.toml`; the first
file wins whole.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bot.errors import BadInput
from bot.evaluation.matching import DEFAULT_THRESHOLD
from bot.extraction.fingerprint import Contract
from bot.extraction.request import DEFAULT_MAX_OUTPUT_TOKENS, DEFAULT_SEED
from bot.files import decode, read_bytes
from bot.gate.staleness import DEFAULT_STALE_AFTER_DAYS
from bot.history.model import DEFAULT_MAX_RUNS
from bot.imports import import_object
from bot.providers.chat_api import SchemaParameter
from bot.providers.limits import DEFAULT_CONCURRENCY
from bot.providers.prices import Price
from bot.providers.registry import (
    DEFAULT_FIRST_WAIT_SECONDS,
    DEFAULT_MAX_ATTEMPTS,
    DEFAULT_TIMEOUT_SECONDS,
)
from bot.suites import EXTRACTION_QUALITY, SUITES, Suite
from bot.validation import validate

CONFIG_VARIABLE: Final = "EXTRACTION_BOT_CONFIG"
CONFIG_FILE: Final = Path(".github/extraction-bot.toml")
PYPROJECT: Final = Path("pyproject.toml")
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


class SuiteSettings(BaseModel):
    """What a repository may configure for one suite; None leaves it to the suite's default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gold_set: Path | None = None
    data: Path | None = None
    out: Path | None = None
    prompt: ImportString | None = None
    output_schema: Annotated[ImportString | None, Field(alias="schema")] = None
    contract_paths: Annotated[tuple[str, ...], Field(min_length=1)] | None = None


@dataclass(frozen=True, slots=True)
class SuitePlace:
    """Where a suite's files are and what its contract is, defaults filled in."""

    gold_set: Path
    data: Path
    out: Path
    prompt: str
    output_schema: str
    contract_paths: tuple[str, ...]


class Settings(SuiteSettings):
    """What a repository may configure; paths are relative to its root.

    The keys of a suite stand on top for the suite of memories, and under `suites.NAME` for another.
    """

    templates: Path | None = None
    workflows: Path = Path(".github/workflows")
    workflow_path: str = ".github/workflows/extraction-eval.yml"
    workflow_name: str = "extraction-eval"
    data_branch: str = "chore/bench-data-publish"
    stale_after_days: Annotated[int, Field(strict=True, ge=0)] = DEFAULT_STALE_AFTER_DAYS
    max_runs: Annotated[int, Field(strict=True, ge=1, le=10_000)] = DEFAULT_MAX_RUNS
    similarity_threshold: Annotated[float, Field(gt=0, le=1)] = DEFAULT_THRESHOLD
    allow_contradictions: bool = False
    live: LiveSettings = LiveSettings()
    prices: dict[str, Price] = {}
    suites: dict[str, SuiteSettings] = {}

    @field_validator("suites")
    @classmethod
    def _suites_known(cls, value: dict[str, SuiteSettings]) -> dict[str, SuiteSettings]:
        others = [name for name in SUITES if name != EXTRACTION_QUALITY.name]
        for name in value:
            if name not in others:
                raise ValueError(f"{name!r} is no suite with settings of its own: {others}")
        return value

    def of(self, suite: Suite) -> SuitePlace:
        """The place of `suite`: what is configured for it, else its defaults."""
        own = self if suite.name == EXTRACTION_QUALITY.name else self.suites.get(suite.name)
        chosen = own or SuiteSettings()
        return SuitePlace(
            gold_set=chosen.gold_set or suite.gold_set,
            data=chosen.data or suite.data_file,
            out=chosen.out or suite.out,
            prompt=chosen.prompt or suite.prompt,
            output_schema=chosen.output_schema or suite.schema,
            contract_paths=chosen.contract_paths or suite.contract_paths,
        )


ReadFile = Callable[[Path], bytes | None]
"""A file of the repository by its path in it; None when there is none."""


def find_settings(read: ReadFile, config: str = "") -> Settings:
    """The settings of the repository that `read` reads; `config` is the path of a file to take.

    Raises BadInput for a key that is not known, and for a `config` that is not there.
    """
    paths = [Path(config)] if config else [CONFIG_FILE, PYPROJECT]
    for path in paths:
        data = read(path)
        if data is None:
            continue
        table = _toml(data, path)
        if path.name != PYPROJECT.name:
            return validate(Settings, table, path)
        own = table.get("tool", {}).get("extraction-bot", {})
        return validate(Settings, own, f"{path} [tool.extraction-bot]")
    if config:
        raise BadInput("there is no such file", where=config, next_step=f"see {CONFIG_VARIABLE}")
    return Settings()


def load_settings(root: Path, config: str = "") -> Settings:
    """The settings of the repository whose files are at `root`; raises as `find_settings`."""

    def read(path: Path) -> bytes | None:
        return read_bytes(root / path) if (root / path).exists() else None

    return find_settings(read, config)


def _toml(data: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(decode(data, path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"is not TOML ({error})", where=path) from error


def load_contract(place: SuitePlace) -> Contract:
    """The suite's prompt and schema; raises BadInput."""
    prompt, schema = import_object(place.prompt), import_object(place.output_schema)
    if not isinstance(prompt, str):
        raise BadInput("the prompt is no text", where=place.prompt)
    if not callable(getattr(schema, "model_json_schema", None)):
        raise BadInput("the schema is no pydantic model", where=place.output_schema)
    return Contract(prompt, schema.model_json_schema())
