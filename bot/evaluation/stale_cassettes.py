"""Which recorded answers no longer answer today's question (CONTRACTS section 2).

A cassette with `request_sha256` is stale alone; one without it is as fresh as its whole file.
"""

from collections.abc import Mapping
from typing import Any, Final

from bot.errors import BadInput
from bot.evaluation.cassettes import CassetteRow
from bot.evaluation.gold_set import CASSETTES, GoldSet
from bot.evaluation.manifest import LIVE_RECORDED, Manifest
from bot.extraction.fingerprint import Contract, sha256_hex
from bot.extraction.request import Parameters, RequestPlan

MAX_LISTED: Final = 5

NEVER_RECORDED: Final = "never recorded"
OTHER_PROMPT: Final = "the prompt changed"
OTHER_SCHEMA: Final = "the schema changed"
OTHER_MODEL: Final = "recorded from {model}"
OTHER_PARAMETERS: Final = "recorded with other parameters"
OTHER_TURNS: Final = "its turns changed"
NO_QUESTION: Final = "recorded without request_sha256, and the files changed since"

RECORD_STALE: Final = "extraction-bot evaluate --mode record --stale --out out/latest.json"


def recorded_parameters(manifest: Manifest) -> Parameters:
    """Those that the manifest names, else the defaults; raises BadInput for others."""
    raw: Any = (manifest.model_extra or {}).get("parameters", {})
    try:
        return Parameters(**raw)
    except TypeError as error:
        raise BadInput(f"parameters: {error}", where="the cassette manifest") from error


def find_stale(
    gold_set: GoldSet,
    cassettes: Mapping[str, CassetteRow],
    manifest: Manifest,
    plan: RequestPlan,
) -> dict[str, str]:
    """Conversation id → why its cassette does not answer the question of `plan`, in file order."""
    fingerprint = plan.contract.fingerprint
    is_same_file = (
        manifest.conversations_sha256 == sha256_hex(gold_set.conversations_data)
        and manifest.prompt_sha256 == fingerprint.prompt_sha256
        and manifest.schema_sha256 == fingerprint.schema_sha256
    )
    reasons = (
        (manifest.model != plan.model, OTHER_MODEL.format(model=manifest.model)),
        (manifest.prompt_sha256 != fingerprint.prompt_sha256, OTHER_PROMPT),
        (manifest.schema_sha256 != fingerprint.schema_sha256, OTHER_SCHEMA),
        (recorded_parameters(manifest) != plan.parameters, OTHER_PARAMETERS),
    )
    why = next((sentence for applies, sentence in reasons if applies), OTHER_TURNS)
    stale = {}
    for conversation in gold_set.conversations:
        name = conversation.conversation_id
        row = cassettes.get(name)
        if row is None:
            stale[name] = NEVER_RECORDED
        elif row.request_sha256 is None:
            if not is_same_file or row.model != plan.model:
                stale[name] = NO_QUESTION
        elif row.request_sha256 != plan.request_sha256(conversation.turns):
            stale[name] = why
    return stale


def listed(stale: Mapping[str, str]) -> str:
    """ "chess-club (its turns changed), … and 3 more"."""
    shown = [f"{name} ({why})" for name, why in list(stale.items())[:MAX_LISTED]]
    more = len(stale) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def check_questions(
    gold_set: GoldSet,
    cassettes: Mapping[str, CassetteRow],
    manifest: Manifest,
    contract: Contract,
    *,
    allow_drift: bool,
) -> None:
    """Raises BadInput that lists the stale cassettes of a recording that names its questions.

    `allow_drift` lets another prompt or schema pass, which the caller warns of.
    """
    names_questions = any(row.request_sha256 for row in cassettes.values())
    if manifest.cassette_kind != LIVE_RECORDED or not names_questions:
        return
    plan = RequestPlan(manifest.model, contract, recorded_parameters(manifest))
    stale = find_stale(gold_set, cassettes, manifest, plan)
    if allow_drift:
        let_through = (OTHER_PROMPT, OTHER_SCHEMA)
        stale = {name: why for name, why in stale.items() if why not in let_through}
    if stale:
        raise BadInput(
            f"{len(stale)} of {len(gold_set.conversations)} cassettes are stale: {listed(stale)}",
            where=gold_set.directory / CASSETTES,
            next_step=f"record them again: {RECORD_STALE}",
        )
