"""File, then defaults → one frozen Settings. Flags are laid over it by the command line.

A repository's settings stand in `.github/extraction-bot.toml`, or in `[tool.extraction-bot]` of its
`pyproject.toml`; the first file wins whole.
"""

import importlib
import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from bot.errors import BadInput
from bot.evaluation.gold_set import BUILT_IN_GOLD_SET
from bot.evaluation.matching import DEFAULT_THRESHOLD
from bot.extraction.fingerprint import ContractFingerprint, prompt_sha256, schema_sha256
from bot.files import read_text
from bot.gate.staleness import DEFAULT_STALE_AFTER_DAYS
from bot.history.model import DEFAULT_MAX_RUNS
from bot.policy.oracle import DEFAULT_CONTRACT_PATHS
from bot.suites import EXTRACTION_QUALITY
from bot.validation import validate

CONFIG_FILE: Final = Path(".github/extraction-bot.toml")
_IMPORT_STRING: Final = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"

ImportString = Annotated[str, Field(pattern=_IMPORT_STRING)]


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


def _imported(import_string: str) -> Any:
    """The object at `package.module:NAME`, looked for in the current folder first."""
    module_name, _, name = import_string.partition(":")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(importlib.import_module(module_name), name)
    except Exception as error:
        raise BadInput(
            f"cannot be imported: {type(error).__name__}: {error}",
            where=import_string,
            next_step="name it as package.module:NAME, importable from the repository's root",
        ) from error


def contract_of(settings: Settings) -> ContractFingerprint:
    """The fingerprints of the configured prompt and schema; raises BadInput."""
    prompt, schema = _imported(settings.prompt), _imported(settings.output_schema)
    if not isinstance(prompt, str):
        raise BadInput("the prompt is no text", where=settings.prompt)
    if not callable(getattr(schema, "model_json_schema", None)):
        raise BadInput("the schema is no pydantic model", where=settings.output_schema)
    return ContractFingerprint(prompt_sha256(prompt), schema_sha256(schema))
