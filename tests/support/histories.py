"""Histories with something to see in them, made by a fixed rule."""

import json
import random
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from bot.evaluation.scores import GATED_METRICS
from bot.history.model import RunEntry
from tests.support.runs import EPOCH, run_entry

HOSTILE_BRANCH = "<img src=x onerror=alert(1)>"
LABELS = ("factual", "preference", "behavioral", "episodic", "procedural")


def varied_runs(count: int, seed: int = 7) -> Iterator[RunEntry]:
    """Runs twice a day: scores wander, run 21 has another prompt, every 17th fails."""
    draw = random.Random(seed)
    scores = {name: 0.72 + 0.2 * draw.random() for name in GATED_METRICS}
    for number in range(1, count + 1):
        scores = {n: min(1.0, max(0.3, v + draw.gauss(0, 0.006))) for n, v in scores.items()}
        now = dict(scores)
        fails = number % 17 == 0
        if fails:
            now["recall_macro"] -= 0.09
        now |= {f"f1_{label}": _f1(now, label) for label in LABELS}
        yield run_entry(
            number,
            timestamp=(EPOCH + timedelta(hours=12 * number)).isoformat(),
            branch=HOSTILE_BRANCH if number == count - 1 else "main",
            metrics=now,
            prompt_sha256=("a" if number < 21 else "b") * 64,
            status="fail" if fails else "pass",
            gate_summary=_gate(now, scores, fails),
            providers=[_provider(now, "fail" if fails else "pass"), MANUAL],
        )


def _f1(scores: dict[str, float], label: str) -> float:
    p, r = scores[f"precision_{label}"], scores[f"recall_{label}"]
    return 2 * p * r / (p + r)


def _gate(now: dict[str, float], base: dict[str, float], fails: bool) -> dict[str, Any]:
    checks = [
        {
            "name": f"openai.{name} regression (pp)",
            "value": round((base[name] - now[name]) * 100, 6),
            "limit": 3.0,
            "ok": (base[name] - now[name]) * 100 <= 3.0,
            "current": now[name],
            "baseline": base[name],
        }
        for name in GATED_METRICS
    ]
    return {"status": "fail" if fails else "pass", "checks": checks}


def _provider(metrics: dict[str, float], status: str) -> dict[str, Any]:
    return {
        "provider": "openai",
        "model": "gpt-4o-mini",
        "enforcement": "ci",
        "source": "cassette",
        "last_refreshed": "2026-09-01",
        "status": status,
        "staleness": {"state": "fresh", "age_days": 0},
        "metrics": {name: metrics[name] for name in GATED_METRICS},
    }


MANUAL = {
    "provider": "vllm",
    "model": "Qwen2.5-14B-Instruct",
    "enforcement": "manual",
    "source": "manual",
    "last_refreshed": "2026-03-01",
    "status": None,
    "staleness": {
        "state": "stale",
        "reasons": ["last refreshed 184 days ago, over the limit of 30 days"],
        "age_days": 184,
    },
    "metrics": {"precision_macro": 0.61, "recall_macro": 0.44},
}


def published_text(runs: list[RunEntry]) -> str:
    """A published file, newest first."""
    rows = [run.model_dump(mode="json") for run in reversed(runs)]
    file = {"schema_version": 2, "benchmark": "extraction_quality", "runs": rows}
    return json.dumps(file, ensure_ascii=False)
