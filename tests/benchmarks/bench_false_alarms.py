"""How often each rule of the gate cries wolf, and how often it finds a real drop.

    python -m tests.benchmarks.bench_false_alarms [PULL_REQUESTS]

Each simulated pull request measures a live model twice on the same conversations. A conversation
has one to three memories, each with one or two labels; how hard it is, is drawn once for both
measurements, so answers of one conversation belong together and pairs correlate. Without a change
both measurements draw from the same chances; with a drop every chance is lower by 0.05.
"""

import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.evaluation.conversation_counts import ConversationCounts, flat
from bot.evaluation.metrics import FORMULAS, Counts, compute_metrics
from bot.evaluation.scores import GATED_METRICS, Scores
from bot.extraction.taxonomy import VALID_LABELS
from bot.gate.baseline import Baseline, ProviderBlock
from bot.gate.regression import judge_regression
from bot.gate.rule import RULES
from bot.statistics.comparison import compare

SHARES = (0.3, 0.25, 0.2, 0.15, 0.1)
"""How often each label occurs in the gold set."""

COLUMNS = tuple(flat(Counts().model_dump()))
PLACE = {column: i for i, column in enumerate(COLUMNS)}


@dataclass(frozen=True)
class World:
    """Chances of a model, fractions: a gold memory is found, its labels are right, its time is
    right; a conversation gets a memory that nobody said."""

    found: float = 0.88
    labelled: float = 0.9
    timed: float = 0.93
    invented: float = 0.12


@dataclass(frozen=True)
class Gold:
    """What is expected, a row a memory: its conversation, its label, and how hard that one is."""

    conversations: int
    conversation: NDArray[np.int64]
    label: NDArray[np.int64]
    hardness: NDArray[np.float64]


def draw_gold(random: np.random.Generator, conversations: int) -> Gold:
    memories = random.integers(1, 4, conversations)
    owner = np.repeat(np.arange(conversations), memories)
    hardness = random.normal(0, 0.08, conversations)[owner] + random.normal(0, 0.05, len(owner))
    return Gold(conversations, owner, random.choice(5, len(owner), p=SHARES), hardness)


def measure(
    random: np.random.Generator, gold: Gold, world: World, drop: float
) -> ConversationCounts:
    """One measurement of one model."""
    table = np.zeros((gold.conversations, len(COLUMNS)), dtype=int)

    def count(column: str, rows: NDArray[np.int64]) -> None:
        np.add.at(table[:, PLACE[column]], rows, 1)

    n = len(gold.label)
    chance = [
        np.clip(base - drop - gold.hardness, 0.02, 0.998)
        for base in (world.found, world.labelled, world.timed)
    ]
    found, labelled, timed = (random.random(n) < one for one in chance)
    said = np.where(labelled, gold.label, (gold.label + random.integers(1, 5, n)) % 5)
    invented = random.random(gold.conversations) < world.invented + drop
    invented_label = random.choice(5, gold.conversations, p=SHARES)
    for number, label in enumerate(VALID_LABELS):
        is_gold, is_said = gold.label == number, found & (said == number)
        count(f"labels.{label}.tp", gold.conversation[is_gold & is_said])
        count(f"labels.{label}.fn", gold.conversation[is_gold & ~is_said])
        count(f"labels.{label}.fp", gold.conversation[is_said & ~is_gold])
        count(f"labels.{label}.fp", np.flatnonzero(invented & (invented_label == number)))
    count("category_assignment.total", gold.conversation)
    count("category_assignment.right", gold.conversation[found & labelled])
    # an invented memory stands beside one that was missed, or makes the larger list longer
    missed = np.bincount(gold.conversation[~found], minlength=gold.conversations)
    count("category_assignment.total", np.flatnonzero(invented & (missed == 0)))
    count("temporal_field.total", gold.conversation)
    count("temporal_field.right", gold.conversation[found & timed])
    count("gold_memories", gold.conversation)
    return ConversationCounts(
        COLUMNS, {f"c{i:05}": " ".join(map(str, row)) for i, row in enumerate(table.tolist())}
    )


def metrics_of(counts: ConversationCounts) -> dict[str, object]:
    return dict(compute_metrics(Counts.model_validate(counts.total())))


def simulate(
    pull_requests: int, conversations: int, drop: float, seed: int, resamples: int = 2_000
) -> tuple[Counter[str], Counter[str]]:
    """How many pull requests fail by each rule, and in how many each metric is significant."""
    random = np.random.default_rng(seed)
    failed: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for number in range(pull_requests):
        gold = draw_gold(random, conversations)
        old = measure(random, gold, World(), 0.0)
        new = measure(random, gold, World(), drop)
        paired = compare(
            old, new, FORMULAS, GATED_METRICS, 3.0, resamples=resamples, seed=seed + number
        )
        scores = Scores("openai", "v1", metrics_of(new), None, None, new)
        block = ProviderBlock("m", "ci", "live", None, metrics_of(old))
        for rule in RULES:
            baseline = Baseline("v1", 3.0, {"openai": block}, rule)
            failed[rule] += not judge_regression(scores, baseline, GATED_METRICS, paired).verdict.ok
        for change in getattr(paired, "metrics", {}).values():
            dropped[change.metric] += change.change == "dropped"
    return failed, dropped


def main() -> None:
    pull_requests = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    for conversations, drop in ((171, 0.0), (400, 0.0), (171, 0.05), (400, 0.05)):
        failed, dropped = simulate(pull_requests, conversations, drop, seed=conversations)
        shares = ", ".join(f"{rule} {failed[rule] / pull_requests:.1%}" for rule in RULES)
        print(f"{conversations} conversations, drop {drop * 100:g} points: {shares}", flush=True)
        if drop:
            print("  " + ", ".join(f"{m} {dropped[m] / pull_requests:.0%}" for m in GATED_METRICS))


if __name__ == "__main__":
    main()
