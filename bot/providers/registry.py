"""The providers by name, and what each needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import BadInput
from bot.evaluation.gold_set import MANIFEST
from bot.evaluation.manifest import load_manifest
from bot.evaluation.outcome import Outcome, OutcomeTally
from bot.evaluation.pipeline import GoldSource
from bot.evaluation.provider import Provider
from bot.evaluation.report import LIVE_MODES, Mode
from bot.evaluation.scores import Enforcement
from bot.extraction.request import Parameters, RequestPlan
from bot.providers.chat_api import SchemaParameter
from bot.providers.keyword import KeywordProvider
from bot.providers.limits import LiveLimits
from bot.providers.prices import PriceTable
from bot.providers.replay import ReplayProvider

if TYPE_CHECKING:
    from bot.providers.live import LiveProvider

OPENAI_BASE_URL: Final = "https://api.openai.com/v1"
VLLM_BASE_URL: Final = "http://127.0.0.1:8000/v1"
DEFAULT_TIMEOUT_SECONDS: Final = 120.0
DEFAULT_MAX_ATTEMPTS: Final = 5
DEFAULT_FIRST_WAIT_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """How a server is asked; a key has no repr. None leaves it to the provider's default."""

    base_url: str | None = None
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)
    journal: Path = Path("live-journal.jsonl")
    resume: bool = False
    limits: LiveLimits = LiveLimits()
    parameters: Parameters = Parameters()
    schema_parameter: SchemaParameter = "response_format"
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    first_wait_seconds: float = DEFAULT_FIRST_WAIT_SECONDS
    prices: PriceTable = field(default_factory=dict)
    on_outcome: Callable[[Outcome, OutcomeTally], None] | None = None
    on_step_down: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """`spec` is a provider's name, `python:package.module:function` or `file:PATH`; None takes the
    mode's own. `label` is what the report calls it, and so the baseline's block."""

    spec: str | None
    mode: Mode
    label: str | None = None
    live: LiveOptions = LiveOptions()

    @property
    def name(self) -> str:
        return self.spec or ("vllm" if self.mode == "vllm" else "openai")


Factory = Callable[[ProviderChoice, GoldSource], Provider]


def _openai(choice: ProviderChoice, source: GoldSource) -> Provider:
    if choice.mode in LIVE_MODES:
        return create_live(choice, source)
    recording = source.recording()
    manifest = recording.manifest
    return ReplayProvider(
        choice.label or "openai", manifest.model, manifest.cassette_kind, recording.predictions
    )


def _vllm(choice: ProviderChoice, source: GoldSource) -> Provider:
    if choice.mode not in LIVE_MODES:
        raise BadInput(
            "provider 'vllm' has no cassettes to replay",
            where="--provider",
            next_step="call a server with --mode vllm",
        )
    return create_live(choice, source)


def _keyword(choice: ProviderChoice, source: GoldSource) -> Provider:
    if choice.mode in LIVE_MODES:
        raise BadInput(
            f"provider 'keyword' calls no model, and mode {choice.mode!r} does",
            where="--mode",
            next_step="use --mode cassette",
        )
    return KeywordProvider(source.task)


def _python(choice: ProviderChoice, source: GoldSource) -> Provider:
    from bot.providers.own_code import FunctionProvider, load_function

    import_string = choice.name.partition(":")[2]
    return FunctionProvider(
        task=source.task,
        name=choice.label or choice.name,
        model=choice.live.model or import_string,
        function=load_function(import_string),
        max_failures=choice.live.limits.max_failures,
    )


def _file(choice: ProviderChoice, source: GoldSource) -> Provider:
    from bot.providers.predictions_file import PredictionsProvider, load_predictions

    path = Path(choice.name.partition(":")[2])
    provider = PredictionsProvider(
        task=source.task,
        name=choice.label or choice.name,
        model=choice.live.model or path.name,
        path=path,
        predicted=load_predictions(path),
        max_failures=choice.live.limits.max_failures,
    )
    provider.check_ids(source.gold_set.ids)
    return provider


PROVIDERS: Final[Mapping[str, Factory]] = {"openai": _openai, "vllm": _vllm, "keyword": _keyword}
SCHEMES: Final[Mapping[str, Factory]] = {"python": _python, "file": _file}
"""The providers that are named with what follows a colon."""

_DEFAULT_BASE_URLS: Final = {"openai": OPENAI_BASE_URL, "vllm": VLLM_BASE_URL}
_ENFORCEMENT: Final[Mapping[str, Enforcement]] = {"openai": "ci", "vllm": "manual"}


def create_provider(choice: ProviderChoice, source: GoldSource) -> Provider:
    """Raises BadInput for an unknown name, and for one that does not go with the mode."""
    scheme, colon, _ = choice.name.partition(":")
    factory = SCHEMES.get(scheme) if colon else PROVIDERS.get(choice.name)
    if factory is None:
        raise BadInput(
            f"unknown provider {choice.name!r}",
            where="--provider",
            next_step=f"use one of: {', '.join(PROVIDERS)}, python:package.module:function, "
            "file:PATH",
        )
    if choice.mode == "vllm" and choice.name == "openai":
        raise BadInput(
            "provider 'openai' does not go with mode 'vllm'",
            where="--provider",
            next_step="use --mode live for OpenAI, or leave --provider out",
        )
    return factory(choice, source)


def request_plan(choice: ProviderChoice, source: GoldSource) -> RequestPlan:
    """What a live run asks; the model is the one given, else for OpenAI the recorded one.

    Raises BadInput when there is no model.
    """
    model = choice.live.model
    directory = source.gold_set.directory
    if model is None and choice.name == "openai" and (directory / MANIFEST).exists():
        model = load_manifest(directory).model
    if not model:
        raise BadInput(
            "no model is named",
            where="--model",
            next_step="give the name the server knows, or set EXTRACTION_EVAL_MODEL",
        )
    return RequestPlan(model, source.contract, choice.live.parameters)


def create_live(choice: ProviderChoice, source: GoldSource) -> "LiveProvider":
    """Raises BadInput when the model, the address or the key cannot be used."""
    from bot.providers.chat_client import OPENAI_HOST, RetryPolicy, Server
    from bot.providers.journal import Journal
    from bot.providers.live import LiveProvider

    if choice.name not in _DEFAULT_BASE_URLS:
        raise BadInput(
            f"only a server's answers can be recorded, not those of {choice.name!r}",
            where="--provider",
            next_step="leave --mode record out",
        )
    options = choice.live
    server = Server(
        base_url=options.base_url or _DEFAULT_BASE_URLS[choice.name],
        api_key=options.api_key,
        schema_parameter=options.schema_parameter,
        timeout=options.timeout_seconds,
        retry=RetryPolicy(max_attempts=options.max_attempts, first_wait=options.first_wait_seconds),
    )
    if server.host == OPENAI_HOST and not options.api_key:
        raise BadInput(
            "OpenAI asks for a key and there is none",
            where="OPENAI_API_KEY",
            next_step="set it, or replay the cassettes with --mode cassette",
        )
    return LiveProvider(
        name=choice.label or choice.name,
        enforcement=_ENFORCEMENT[choice.name],
        server=server,
        task=source.task,
        plan=request_plan(choice, source),
        journal=Journal(options.journal, options.resume),
        limits=options.limits,
        prices=options.prices,
        asks_failures_again=choice.mode == "record",
        on_outcome=options.on_outcome,
        on_step_down=options.on_step_down,
    )
