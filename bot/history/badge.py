"""The badge of a suite, for shields.io's endpoint (https://shields.io/badges/endpoint-badge)."""

from typing import Any, Final

from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.history.model import History

_COLOURS: Final = {"pass": "brightgreen", "fail": "red"}


def badge(history: History, title: str) -> dict[str, Any]:
    """Label, score and verdict of the newest run, in words and not by colour alone."""
    entry = history.newest
    if entry is None:
        return {
            "schemaVersion": 1,
            "label": title.lower(),
            "message": "no run yet",
            "color": "lightgrey",
        }
    recall = entry.metrics.get("recall_macro")
    score = "" if recall is None else f", recall {recall * 100:.1f}%"
    oracle = ", oracle cassettes" if entry.cassette_kind == ORACLE_ALIGNED else ""
    return {
        "schemaVersion": 1,
        "label": title.lower(),
        "message": f"{entry.status}{score}{oracle}",
        "color": _COLOURS[entry.status],
    }
