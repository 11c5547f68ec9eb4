"""Scoring speed, its growth, and its memory.

    python -m tests.benchmarks.bench_scoring

Turns of 3 gold and 3 predicted memories, each turn with texts of its own: a third of the turns
resemble each other (one subject, three values), a third are paraphrased, a third are verbatim.
Figures to reach: 20,000 turns a second a core; time grows linearly; memory does not grow beyond
the report itself (here: the peak over the cases that are kept).
"""

import gc
import random
import time
import tracemalloc
from collections.abc import Iterator

from bot.evaluation.expected_memories import GoldTurn, TemporalKind
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.scoring import Answers, score
from bot.extraction.schema import ExtractedMemory, ExtractedMemoryLabel
from bot.extraction.taxonomy import VALID_LABELS
from bot.extraction.turns import Turn

SIZES = (1_000, 10_000, 100_000)
WORDS = (
    "service invoice garden violin backup tenant ferry kettle pipeline meeting hiking recipe "
    "cluster passport lantern deadline mentor archive router harvest festival ledger compass "
    "module sprint novel bakery sensor voucher thermostat"
).split()
VERBS = ["keeps", "prefers", "moved", "reviews", "exports", "rents", "plans", "repairs"]


def memory(content: str, label: int) -> ExtractedMemory:
    name = VALID_LABELS[label % 5]
    return ExtractedMemory.model_construct(
        content=content,
        categories=(ExtractedMemoryLabel.model_construct(label=name, confidence=0.9),),
        confidence=0.9,
        valid_from=None,
        valid_until=None,
    )


def turn(number: int, chance: random.Random) -> tuple[list[str], list[tuple[str, int]]]:
    """Three gold texts; three predicted texts with their label's number, shuffled."""
    a, b, c, d, e, f = chance.sample(WORDS, 6)
    gold = [
        f"User {chance.choice(VERBS)} the {a} of the {b} team",
        f"The {c} is {chance.choice(VERBS)} by {d} on weekdays",
        f"Check the {e} first, then restart the {f}",
    ]
    if number % 3 == 0:
        gold = [f"The {a} {b} of the {c} team listens on port {p}" for p in (80, 443, 8_080)]
    said = list(gold)
    if number % 3 == 1:
        said = [f"{gold[0]} these days", gold[1].replace("The", "Their"), gold[2].lower()]
    predicted = [(text, index) for index, text in enumerate(said)]
    if number % 10 == 0:
        predicted[0] = (said[0], 4)  # one label in thirty is wrong
    chance.shuffle(predicted)
    return gold, predicted


def conversations(count: int) -> Iterator[tuple[GoldConversation, Answers]]:
    chance = random.Random(count)
    said = (Turn(turn_index=0, role="user", content="x"),)
    kinds: tuple[TemporalKind, ...] = ("indefinite",) * 3
    for number in range(count):
        gold, predicted = turn(number, chance)
        memories = tuple(memory(text, i) for i, text in enumerate(gold))
        answers = {0: tuple(memory(text, label) for text, label in predicted)}
        yield GoldConversation(f"c{number}", said, {0: GoldTurn(memories, kinds)}), answers


def timed(count: int) -> float:
    """Turns a second, the making of the input not counted."""
    made = list(conversations(count))
    answers = {conversation.conversation_id: answer for conversation, answer in made}
    gc.collect()
    gc.freeze()  # the input is not what is measured
    started = time.process_time()
    score((c for c, _ in made), lambda c: answers[c.conversation_id])
    return count / (time.process_time() - started)


def peak_bytes(count: int) -> tuple[int, int]:
    """Peak of memory while scoring a stream, and the number of cases that were kept."""
    current: dict[str, Answers] = {}

    def stream() -> Iterator[GoldConversation]:
        for conversation, answers in conversations(count):
            current["answers"] = {}
            current["now"] = answers
            yield conversation

    tracemalloc.start()
    scored = score(stream(), lambda _: current["now"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, len(scored.cases)


def main() -> None:
    timed(1_000)  # imports and caches
    for count in SIZES:
        print(f"{count:>8,} conversations: {timed(count):>8,.0f} turns a second a core")
    for count in SIZES[:2]:
        peak, cases = peak_bytes(count)
        print(f"{count:>8,} conversations: peak {peak / 1e6:.1f} MB with {cases:,} cases kept")


if __name__ == "__main__":
    main()
