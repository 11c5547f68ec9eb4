"""Small gold sets on disk, made for a test."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bot.commands.refresh_manifest import run_refresh_manifest
from bot.console import Console
from bot.evaluation.expected_memories import EXPECTED
from bot.evaluation.gold_set import BASELINE, CASSETTES, CONVERSATIONS, MANIFEST
from bot.evaluation.pipeline import EvaluationPlan, evaluate
from bot.evaluation.task import ScoringRules
from bot.evaluation.tasks.memories import MEMORIES
from bot.files import to_json
from bot.providers.registry import ProviderChoice, create_provider
from bot.settings import Settings, load_contract
from bot.suites import EXTRACTION_QUALITY

NOW = datetime(2026, 9, 15, 12, 0, tzinfo=UTC)


def memory(
    content: str, *labels: str, until: str | None = None, since: str | None = None
) -> dict[str, Any]:
    """An expected memory as JSON; `labels` default to factual."""
    return {
        "content": content,
        "categories": [{"label": label, "confidence": 0.9} for label in labels or ("factual",)],
        "confidence": 0.9,
        "valid_from": since,
        "valid_until": until,
    }


@dataclass(frozen=True)
class Said:
    """One user turn and what is expected of it."""

    text: str
    memories: tuple[dict[str, Any], ...] = ()


SMALL = {
    "deploys": [
        Said(
            "We deploy on Fridays. I prefer tabs.",
            (
                memory("The team deploys on Fridays", "behavioral"),
                memory("User prefers tabs to spaces", "preference"),
            ),
        )
    ],
    "flag": [
        Said(
            "The flag is on until 30 September 2026.",
            (
                memory(
                    "The checkout flag is on until 30 September 2026",
                    "factual",
                    "episodic",
                    until="2026-09-30T23:59:59Z",
                ),
            ),
        ),
        Said("Thanks a lot!"),
    ],
    "key": [
        Said(
            "Rotate the key, then restart the workers.",
            (memory("Rotate the key, then restart the workers", "procedural"),),
        )
    ],
}


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_gold_set(directory: Path, said: dict[str, list[Said]] | None = None) -> Path:
    """A whole oracle-aligned gold set whose baseline is what it scores; returns `directory`."""
    said = SMALL if said is None else said
    directory.mkdir(parents=True, exist_ok=True)
    conversations, expected = [], []
    for name, turns in said.items():
        conversations.append(
            {
                "conversation_id": name,
                "turns": [
                    {"turn_index": i, "role": "user", "content": turn.text}
                    for i, turn in enumerate(turns)
                ],
            }
        )
        expected += [
            {
                "conversation_id": name,
                "turn_index": i,
                "expected": list(turn.memories),
                "temporal_kinds": [
                    "supersession" if m["valid_until"] else "indefinite" for m in turn.memories
                ],
            }
            for i, turn in enumerate(turns)
        ]
    (directory / CONVERSATIONS).write_text(json_lines(conversations), encoding="utf-8")
    (directory / EXPECTED).write_text(json_lines(expected), encoding="utf-8")
    (directory / MANIFEST).write_text(
        json.dumps(
            {
                "gold_set": "small",
                "model": "gpt-4o-mini",
                "recorded_at": "2026-09-03T21:10:26Z",
                "conversation_count": len(said),
                "cassette_count": len(said),
                "cassette_kind": "oracle_aligned_expected_json",
                "notes": "",
            }
        ),
        encoding="utf-8",
    )
    run_refresh_manifest(directory, EXTRACTION_QUALITY, Settings(), NOW, quiet_console())
    blocks = {name: block_of(directory, name) for name in ("openai", "keyword")}
    write_baseline(directory / BASELINE, blocks)
    return directory


def block_of(directory: Path, provider: str) -> dict[str, Any]:
    """The baseline block that `provider` earns on the gold set in `directory`."""
    plan = EvaluationPlan(
        task=MEMORIES,
        gold_set=directory,
        mode="cassette",
        create_provider=partial(create_provider, ProviderChoice(provider, "cassette")),
        contract=load_contract(Settings().of(EXTRACTION_QUALITY)),
        rules=ScoringRules(),
    )
    report, _ = evaluate(plan, NOW)
    return {
        "model": report.model,
        "enforcement": "ci",
        "source": "cassette",
        "last_refreshed": "2026-09-03",
        "notes": "",
        "metrics": {name: report.metrics[name] for name in report.gated_metrics},
    }


def write_baseline(path: Path, blocks: dict[str, dict[str, Any]], limit: float = 3.0) -> Path:
    path.write_text(
        to_json(
            {
                "schema_version": 1,
                "gold_set": "small",
                "policy": {"max_regression_pp": limit},
                "providers": blocks,
            }
        ),
        encoding="utf-8",
    )
    return path


def quiet_console() -> Console:
    """A console that nobody listens to."""
    import io

    return Console(out=io.StringIO(), err=io.StringIO())


def edit_jsonl(path: Path, edit: Any) -> None:
    """Apply `edit` to each row of a JSON Lines file; a row that becomes None is dropped."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in (edit(row) for row in rows) if row is not None]
    path.write_text(json_lines(kept), encoding="utf-8")


__all__ = [
    "CASSETTES",
    "CONVERSATIONS",
    "EXPECTED",
    "MANIFEST",
    "NOW",
    "SMALL",
    "Said",
    "block_of",
    "edit_jsonl",
    "memory",
    "quiet_console",
    "write_baseline",
    "write_gold_set",
]
