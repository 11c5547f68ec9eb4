"""`refresh-manifest`: cassettes and manifest anew, after an edit of an oracle-aligned gold set."""

from datetime import datetime
from pathlib import Path

from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.cassettes import oracle_cassettes
from bot.evaluation.gold_set import CASSETTES, MANIFEST, load_gold_set
from bot.evaluation.manifest import ORACLE_ALIGNED, load_manifest, refreshed
from bot.evaluation.report import utc_text
from bot.extraction.fingerprint import canonical_json
from bot.files import to_json, write_atomic
from bot.settings import Settings, contract_of


def run_refresh_manifest(
    directory: Path, settings: Settings, now: datetime, console: Console
) -> int:
    """Rewrite cassettes from the expected memories, and the manifest's hashes and counts.

    Refuses a set that a model was recorded for: new hashes would hide that it is stale.
    """
    manifest = load_manifest(directory)
    if manifest.cassette_kind != ORACLE_ALIGNED:
        raise BadInput(
            f"cassettes are {manifest.cassette_kind}: only a new recording makes them fresh",
            where=directory / MANIFEST,
            next_step="record them again",
        )
    gold_set = load_gold_set(directory)
    rows = oracle_cassettes(gold_set.conversations, manifest.model)
    cassettes = "".join(canonical_json(row.model_dump()) + "\n" for row in rows).encode()
    fresh = refreshed(manifest, gold_set, cassettes, contract_of(settings), now)
    text = to_json(
        fresh.model_dump(mode="json", exclude_none=True) | {"recorded_at": utc_text(now)}
    )
    write_atomic(directory / CASSETTES, cassettes)
    write_atomic(directory / MANIFEST, text)
    console.say(
        f"{directory}: {fresh.conversation_count} oracle-aligned cassettes and the manifest "
        "written; they measure the harness, not the model"
    )
    return 0
