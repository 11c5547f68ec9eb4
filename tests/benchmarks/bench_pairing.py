"""How fast `pair_memories` pairs turns of three gold and three predicted memories.

Run it as a module from the checkout: `python -m tests.benchmarks.bench_pairing`. Every turn has
texts of its own, so that nothing is gained from remembering texts; about a quarter of the
predictions is the gold text, half say it in other words, an eighth contradicts it (another number,
day or date, or a negation) and an eighth is unrelated. Prints turns a second and microseconds a
turn, the best of several rounds on one core. The goal is 35 microseconds: scoring as a whole shall
reach 20,000 turns a second.
"""

import random
import time

from bot.evaluation.matching import pair_memories
from bot.extraction.schema import ExtractedMemory, ExtractedMemoryLabel
from bot.extraction.taxonomy import VALID_LABELS

TURNS = 4_000
ROUNDS = 5

PLACES = "Lisbon Porto Berlin Kyoto Oslo Leeds Ghent Turin Austin Pune Quito Hanoi Lagos".split()
NAMES = "Ada Grace Priya Tomas Wei Amina Lucas Noor Hana Diego Freya Kofi Mila Omar".split()
THINGS = "espresso oolong jazz chess pottery rowing climbing cycling gardening sailing".split()
TOOLS = "Neovim Emacs Postgres Redis Kafka Terraform Ansible Grafana Bazel Poetry Nix".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February April June July August September October November".split()

# (the gold text, the same in other words, a contradiction)
FACTS = (
    (
        "User prefers {tool} over {tool2} for work in {place}",
        "The user prefers {tool} to {tool2} for the work in {place}",
        "User does not prefer {tool} over {tool2} for work in {place}",
    ),
    (
        "User's colleague {name} lives in {place} and enjoys {thing}",
        "User has a colleague, {name}, who lives in {place} and likes {thing}",
        "User's colleague {name} never lived in {place} and enjoys {thing}",
    ),
    (
        "User deploys {tool} on {day} mornings together with {name}",
        "User and {name} usually deploy {tool} on {day} mornings",
        "User deploys {tool} on {day2} mornings together with {name}",
    ),
    (
        "User moves to {place} on {n} {month} 2026 with {name}",
        "The user is moving to {place} with {name} on {month} {n}, 2026",
        "User moves to {place} on {n2} {month} 2026 with {name}",
    ),
    (
        "User takes {thing} lessons from {name} in {place} every week",
        "User goes to {place} every week for {thing} lessons with {name}",
        "User takes {thing} lessons from {name} in {place} without a plan",
    ),
    (
        "Run the {tool} checks before {name} merges a branch in {place}",
        "Always run the {tool} checks before {name} merges any branch from {place}",
        "Never run the {tool} checks before {name} merges a branch in {place}",
    ),
    (
        "{name} keeps {n} old {thing} books in the {place} office",
        "There are {n} old {thing} books that {name} keeps in the {place} office",
        "{name} keeps {n2} old {thing} books in the {place} office",
    ),
    (
        "User wants short answers about {tool} with an example from {place}",
        "User asks for short answers about {tool} and examples from {place}",
        "User wants no answers about {tool} with an example from {place}",
    ),
)
UNRELATED = "Conversation about {thing} with {name2} was cut short by a call from {place2}"


def _memory(text: str, rng: random.Random) -> ExtractedMemory:
    labels = rng.sample(VALID_LABELS, rng.choice((1, 1, 2)))
    return ExtractedMemory(
        content=text,
        categories=tuple(ExtractedMemoryLabel(label=label, confidence=0.9) for label in labels),
        confidence=0.9,
    )


def make_turns(
    count: int, seed: int = 1
) -> list[tuple[list[ExtractedMemory], list[ExtractedMemory]]]:
    """`count` turns of three gold and three predicted memories, none of them twice."""
    rng = random.Random(seed)
    turns = []
    for _ in range(count):
        gold, predicted = [], []
        for expected, in_other_words, contradicting in rng.sample(FACTS, 3):
            tool, tool2 = rng.sample(TOOLS, 2)
            name, name2 = rng.sample(NAMES, 2)
            place, place2 = rng.sample(PLACES, 2)
            day, day2 = rng.sample(DAYS, 2)
            n, n2 = rng.sample(range(2, 29), 2)
            values = {
                "tool": tool,
                "tool2": tool2,
                "name": name,
                "name2": name2,
                "place": place,
                "place2": place2,
                "day": day,
                "day2": day2,
                "n": n,
                "n2": n2,
                "month": rng.choice(MONTHS),
                "thing": rng.choice(THINGS),
            }
            kinds = (expected, in_other_words, contradicting, UNRELATED)
            answer = rng.choices(kinds, weights=(2, 4, 1, 1))[0]
            gold.append(_memory(expected.format_map(values), rng))
            predicted.append(_memory(answer.format_map(values), rng))
        rng.shuffle(predicted)
        turns.append((gold, predicted))
    return turns


def main() -> None:
    turns = make_turns(TURNS)
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        pairings = [pair_memories(gold, predicted) for gold, predicted in turns]
        seconds.append(time.perf_counter() - start)
    pairs = sum(len(pairing.pairs) for pairing in pairings)
    contradictions = sum(len(pairing.contradictions) for pairing in pairings)
    best = min(seconds)
    print(
        f"{TURNS / best:,.0f} turns a second, {best / TURNS * 1e6:.1f} microseconds a turn; "
        f"{pairs / TURNS:.2f} pairs and {contradictions / TURNS:.2f} contradictions a turn"
    )


if __name__ == "__main__":
    main()
