"""Memories of each turn, with labels and validity (CONTRACTS sections 1 and 3)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bot.evaluation.expected_memories import EXPECTED, GoldTurns, load_expected_memories
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.keyword_memories import extract_memories_by_keywords
from bot.evaluation.metrics import FORMULAS, Counts, compute_metrics
from bot.evaluation.outcome import Failure
from bot.evaluation.scores import GATED_METRICS
from bot.evaluation.scoring import Answers, MemoryScorer, memory_groups
from bot.evaluation.task import Group, Task
from bot.extraction.schema import BatchExtractionResult, TurnExtraction
from bot.extraction.taxonomy import VALID_LABELS


def _predict(answer: BatchExtractionResult, asked: frozenset[int] | None) -> Answers | Failure:
    """The answer must hold exactly the turns that were asked."""
    answered = {turn.turn_index for turn in answer.turns}
    if asked is not None and answered != asked:
        detail = f"answered for turns {_listed(answered)}, asked for {_listed(asked)}"
        return Failure("wrong_turns", detail)
    return {turn.turn_index: turn.memories for turn in answer.turns}


def _listed(turns: set[int] | frozenset[int]) -> str:
    shown = ", ".join(str(turn) for turn in sorted(turns)[:10])
    return (shown or "none") + (", …" if len(turns) > 10 else "")


def _to_answer(prediction: Answers) -> dict[str, Any]:
    turns = tuple(
        TurnExtraction(turn_index=index, memories=memories)
        for index, memories in sorted(prediction.items())
    )
    return BatchExtractionResult(turns=turns).model_dump(mode="json")


def _oracle(conversation: GoldConversation) -> Answers:
    gold: GoldTurns = conversation.gold
    return {
        turn.turn_index: gold[turn.turn_index].memories if turn.turn_index in gold else ()
        for turn in conversation.turns
    }


def _groups(conversation: GoldConversation, answers: Answers) -> Iterator[Group]:
    for turn_index, gold, predicted in memory_groups(conversation, answers):
        yield turn_index, gold.memories, predicted


def _facts(conversations: Sequence[GoldConversation]) -> dict[str, Any]:
    labels: Counter[str] = Counter()
    multi = supersession = 0
    for conversation in conversations:
        for turn in conversation.gold.values():
            supersession += turn.kinds.count("supersession")
            for memory in turn.memories:
                labels.update(memory.labels)
                multi += len(memory.labels) > 1
    return {
        "category_memory_counts": {label: labels[label] for label in VALID_LABELS},
        "multi_label_memories": multi,
        "supersession_memories": supersession,
    }


MEMORIES = Task(
    name="extraction_quality",
    gated_metrics=GATED_METRICS,
    expected_file=EXPECTED,
    answer=BatchExtractionResult,
    nothing={},
    load_expected=load_expected_memories,
    predict=_predict,
    to_answer=_to_answer,
    oracle=_oracle,
    groups=_groups,
    new_scorer=MemoryScorer,
    compute_metrics=compute_metrics,
    formulas=FORMULAS,
    counts=Counts,
    facts=_facts,
    floor=extract_memories_by_keywords,
)
