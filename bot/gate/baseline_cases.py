"""`baseline_cases/<provider>.jsonl`: the baseline's counts, a conversation a line.

It lies beside baseline_results.json and is written with it. The first line says what it belongs to:
`schema_version`, `provider`, `gold_sha256` (of the gold set's files) and `columns`; each other line
has a `conversation_id` and its `counts`. Standard library only.
"""

import json
import string
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.errors import BadInput
from bot.evaluation.conversation_counts import ConversationCounts
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes

FOLDER: Final = "baseline_cases"
SCHEMA_VERSION: Final = 1
_PLAIN: Final = frozenset(string.ascii_letters + string.digits + "-_.")


@dataclass(frozen=True, slots=True)
class BaselineCases:
    """The counts that a provider's block was computed from, on the gold set of that hash."""

    provider: str
    gold_sha256: str
    counts: ConversationCounts


def cases_path(baseline: Path, provider: str) -> Path:
    """Where a provider's cases lie. Its name is a report's word and must not lead elsewhere."""
    plain = "".join(
        char if char in _PLAIN else "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))
        for char in provider
    )
    if plain.startswith("."):
        plain = f"%2E{plain[1:]}"
    return baseline.parent / FOLDER / f"{plain}.jsonl"


def cases_text(cases: BaselineCases) -> str:
    """The file; sorted by id, so that a new measurement diffs cleanly."""
    head = {
        "schema_version": SCHEMA_VERSION,
        "provider": cases.provider,
        "gold_sha256": cases.gold_sha256,
        "columns": cases.counts.columns,
    }
    rows = (
        {"conversation_id": name, "counts": row} for name, row in sorted(cases.counts.rows.items())
    )
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in (head, *rows))


def parse_cases(data: bytes, where: Path) -> BaselineCases:
    """Raises BadInput that names the line."""
    lines = json_lines(data, where)
    _, head = next(lines, (1, None))
    if not isinstance(head, dict) or head.get("schema_version") != SCHEMA_VERSION:
        raise BadInput(
            f"schema_version: should be {SCHEMA_VERSION}",
            where=f"{where}:1",
            next_step="write it again with baseline set",
        )
    rows: dict[str, str] = {}
    for number, value in lines:
        name, row = _row(value)
        if name is None or row is None:
            raise BadInput("should hold conversation_id and counts", where=f"{where}:{number}")
        if name in rows:
            raise BadInput(f"conversation {name!r} is given twice", where=f"{where}:{number}")
        rows[name] = row
    counts = ConversationCounts.parse({"columns": head.get("columns"), "rows": rows}, where)
    provider, gold = head.get("provider"), head.get("gold_sha256")
    if not isinstance(provider, str) or not isinstance(gold, str):
        raise BadInput("should name a provider and a gold_sha256", where=f"{where}:1")
    return BaselineCases(provider, gold, counts)


def _row(value: object) -> tuple[str | None, str | None]:
    fields: Mapping[str, object] = value if isinstance(value, dict) else {}
    name, row = fields.get("conversation_id"), fields.get("counts")
    return (name if isinstance(name, str) else None), (row if isinstance(row, str) else None)


def load_cases(path: Path) -> BaselineCases:
    return parse_cases(read_bytes(path, MAX_LINES_BYTES), path)
