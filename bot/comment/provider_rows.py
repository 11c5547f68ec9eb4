"""One provider's numbers in words: the same in the comment, the terminal and `compare`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.evaluation.outcome import AnsweringFacts
from bot.gate.staleness import Staleness, label_in_words
from bot.history.model import ProviderEntry, RunEntry
from bot.verdict import Status

UNDEFINED: Final = "—"
UNKNOWN: Final = "unknown"
NOT_ASKED: Final = "—"
"""Of a provider that replays or computes: nothing was asked, so nothing can fail or cost."""


@dataclass(frozen=True, slots=True)
class ProviderRow:
    """Plain text, untrusted: whoever shows it escapes it. `metrics` holds percentages."""

    provider: str
    model: str
    label: str
    status: Status | None
    metrics: Mapping[str, str]
    failures: str
    cost: str
    latency: str


def percent(value: float | None) -> str:
    """A fraction as a percentage with two decimals, rounded for display only."""
    return UNDEFINED if value is None else f"{value * 100:.2f}%"


def points(value: float, limit: float | None = None) -> str:
    """Signed percentage points; more decimals where two would hide that `limit` is passed."""
    decimals = 2
    if limit is not None and -value > limit:
        while decimals < 10 and round(-value, decimals) <= limit:
            decimals += 1
    text = f"{abs(value):.{decimals}f}"
    if not float(text):
        return text
    return f"−{text}" if value < 0 else f"+{text}"


def provider_label(entry: ProviderEntry) -> str:
    """The words that stand beside a provider's numbers."""
    staleness = Staleness(entry.staleness.state, entry.staleness.reasons, entry.staleness.age_days)
    return label_in_words(entry.enforcement, entry.last_refreshed, staleness, entry.cassette_kind)


def run_label(run: RunEntry) -> str:
    """The words that stand beside a run's numbers."""
    own = next((entry for entry in run.providers if entry.provider == run.provider), None)
    if own is not None:
        return provider_label(own)
    unknown = Staleness("never_measured", (), None)
    return label_in_words(run.enforcement, None, unknown, run.cassette_kind)


def provider_row(entry: ProviderEntry) -> ProviderRow:
    """What is shown of `entry`, wherever it is shown."""
    facts = entry.answering
    return ProviderRow(
        provider=entry.provider,
        model=entry.model,
        label=provider_label(entry),
        status=entry.status,
        metrics={name: percent(value) for name, value in entry.metrics.items()},
        failures=failures_in_words(facts),
        cost=cost_in_words(facts.cost_usd) if facts and facts.calls else NOT_ASKED,
        latency=latency_in_words(facts) if facts and facts.calls else NOT_ASKED,
    )


def failures_in_words(facts: AnsweringFacts | None) -> str:
    """ "3 of 171: 2 refused, 1 cut off"."""
    if facts is None:
        return NOT_ASKED
    if not facts.failure_count:
        return f"0 of {facts.asked}"
    return f"{facts.failure_count} of {facts.asked}: {facts.failures_in_words}"


def cost_in_words(usd: float | None) -> str:
    """ "0.0312 USD", or "unknown": an unknown price is never 0."""
    return UNKNOWN if usd is None else f"{usd:.4f} USD"


def latency_in_words(facts: AnsweringFacts) -> str:
    """ "p50 820 ms, p90 1,410 ms, p99 2,002 ms"."""
    latency = facts.latency_ms
    if latency is None:
        return UNKNOWN
    shown = (("p50", latency.p50), ("p90", latency.p90), ("p99", latency.p99))
    return ", ".join(f"{name} {value:,.0f} ms" for name, value in shown)


def answering_in_words(facts: AnsweringFacts) -> str:
    """Calls, tokens, cost and latency in one line."""
    usage = facts.usage
    tokens = (
        f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
        if usage
        else f"tokens {UNKNOWN}"
    )
    parts = [
        f"{facts.calls:,} calls",
        tokens,
        f"cost {cost_in_words(facts.cost_usd)}",
        f"latency {latency_in_words(facts)}",
    ]
    if facts.resumed:
        parts.append(f"{facts.resumed:,} from the journal")
    return " · ".join(parts)
