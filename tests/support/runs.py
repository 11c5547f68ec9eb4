"""Run entries made for a test."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.evaluation.scores import GATED_METRICS
from bot.history.badge import Clock
from bot.history.model import RunEntry

EPOCH = datetime(2026, 9, 1, tzinfo=UTC)
CLOCK = Clock(EPOCH)


def run_entry(number: int = 1, **changes: Any) -> RunEntry:
    """A passed run whose sha, time and address follow from its number unless given."""
    sha = changes.pop("sha", f"{number:040x}")
    fields: dict[str, Any] = {
        "sha": sha,
        "short_sha": sha[:7],
        "timestamp": (EPOCH + timedelta(minutes=number)).isoformat(),
        "branch": "main",
        "run_number": number,
        "run_url": f"https://github.com/example/harness/actions/runs/{9000 + number}",
        "gold_set": "v1",
        "conversation_count": 125,
        "provider": "openai",
        "enforcement": "ci",
        "mode": "cassette",
        "model": "gpt-4o-mini",
        "metrics": dict.fromkeys(GATED_METRICS, 1.0),
        "status": "pass",
        "gate_summary": {"status": "pass", "checks": []},
    }
    return RunEntry.model_validate(fields | changes)
