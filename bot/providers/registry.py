"""The providers by name, and what each needs of a gold set."""

from collections.abc import Callable, Mapping
from typing import Final

from bot.errors import BadInput
from bot.evaluation.cassettes import Answers
from bot.evaluation.manifest import Manifest
from bot.evaluation.provider import Provider
from bot.providers.keyword import KeywordProvider
from bot.providers.replay import ReplayProvider

Factory = Callable[[Manifest, Mapping[str, Answers]], Provider]


def _openai(manifest: Manifest, answers: Mapping[str, Answers]) -> Provider:
    return ReplayProvider("openai", manifest.model, manifest.cassette_kind, answers)


def _keyword(manifest: Manifest, answers: Mapping[str, Answers]) -> Provider:
    return KeywordProvider()


PROVIDERS: Final[Mapping[str, Factory]] = {"openai": _openai, "keyword": _keyword}


def create_provider(name: str, manifest: Manifest, answers: Mapping[str, Answers]) -> Provider:
    """Raises BadInput for an unknown name."""
    factory = PROVIDERS.get(name)
    if factory is None:
        raise BadInput(
            f"unknown provider {name!r}",
            where="--provider",
            next_step=f"use one of: {', '.join(PROVIDERS)}",
        )
    return factory(manifest, answers)
