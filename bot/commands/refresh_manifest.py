"""`refresh-manifest`: the manifest anew after an edit of a gold set, without asking a model."""

from datetime import UTC, datetime
from pathlib import Path

from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.cassettes import cassettes_data, load_cassettes, oracle_cassettes
from bot.evaluation.gold_set import CASSETTES, MANIFEST, GoldSet
from bot.evaluation.manifest import ORACLE_ALIGNED, Manifest, load_manifest, refreshed
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.report import utc_text
from bot.evaluation.stale_cassettes import RECORD_STALE, find_stale, listed, recorded_parameters
from bot.extraction.fingerprint import Contract
from bot.extraction.request import RequestPlan
from bot.files import to_json, write_all_atomic
from bot.settings import Settings, load_contract
from bot.suites import Suite


def run_refresh_manifest(
    directory: Path, suite: Suite, settings: Settings, now: datetime, console: Console
) -> int:
    """Rewrite hashes and counts; oracle-aligned cassettes too, from the expected memories.

    Recorded cassettes stay as they are, and are refused when an answer is stale: new hashes would
    hide it.
    """
    manifest = load_manifest(directory)
    task, contract = suite.load_task(), load_contract(settings.of(suite))
    gold_set = load_task_gold_set(directory, task)
    if manifest.cassette_kind == ORACLE_ALIGNED:
        recorded_at = now
        cassettes = cassettes_data(
            oracle_cassettes(
                gold_set.conversations, manifest.model, lambda c: task.to_answer(task.oracle(c))
            )
        )
        said = "oracle-aligned cassettes and the manifest written; they measure the harness, not "
        said += "the model"
    else:
        recorded_at, cassettes = _recorded(directory, manifest, gold_set, contract)
        said = "recorded cassettes are fresh; the manifest is written"
    facts = task.facts(gold_set.conversations)
    fresh = refreshed(manifest, gold_set, cassettes, contract.fingerprint, recorded_at, facts)
    values = fresh.model_dump(mode="json", exclude_none=True)
    text = to_json(values | {"recorded_at": utc_text(recorded_at)})
    write_all_atomic({directory / CASSETTES: cassettes, directory / MANIFEST: text})
    console.say(f"{directory}: {fresh.conversation_count} {said}")
    return 0


def _recorded(
    directory: Path, manifest: Manifest, gold_set: GoldSet, contract: Contract
) -> tuple[datetime, bytes]:
    """When the answers were recorded, and the cassettes' bytes; raises BadInput for a stale one."""
    rows, _ = load_cassettes(directory)
    plan = RequestPlan(manifest.model, contract, recorded_parameters(manifest))
    if stale := find_stale(gold_set, rows, manifest, plan):
        raise BadInput(
            f"{len(stale)} cassettes are stale, which new hashes would hide: {listed(stale)}",
            where=directory / MANIFEST,
            next_step=f"record them again: {RECORD_STALE}",
        )
    kept = cassettes_data(row for name, row in rows.items() if name in gold_set.ids)
    at = manifest.recorded_at
    moment = at if isinstance(at, datetime) else datetime(at.year, at.month, at.day, tzinfo=UTC)
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC), kept
