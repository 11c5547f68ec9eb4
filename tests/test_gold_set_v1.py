"""What gold set v1 promises in its README, counted."""

import itertools
import json
import re
from collections import Counter

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from bot.evaluation.gold_set import BASELINE, GoldSet
from bot.evaluation.manifest import load_manifest
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.tasks.memories import MEMORIES
from bot.evaluation.text import similarity
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import VALID_LABELS
from bot.suites import EXTRACTION_QUALITY

BUILT_IN_GOLD_SET = EXTRACTION_QUALITY.gold_set
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")


@pytest.fixture(scope="module")
def gold_set() -> GoldSet:
    return load_task_gold_set(BUILT_IN_GOLD_SET, MEMORIES)


@pytest.fixture(scope="module")
def memories(gold_set: GoldSet) -> list[ExtractedMemory]:
    return [
        memory
        for conversation in gold_set.conversations
        for turn in conversation.gold.values()
        for memory in turn.memories
    ]


def words(text: str) -> set[str]:
    """Words but stop words; pairs of characters in scripts without spaces."""
    folded = text.casefold()
    pairs = {run[i : i + 2] for run in _UNSPACED.findall(folded) for i in range(len(run) - 1)}
    plain = re.findall(r"[^\W_]+", _UNSPACED.sub(" ", folded))
    return pairs | {word for word in plain if word not in ENGLISH_STOP_WORDS}


def test_there_are_at_least_160_conversations(gold_set: GoldSet) -> None:
    assert len(gold_set.conversations) >= 160


def test_no_two_conversations_share_more_than_half_of_their_words(gold_set: GoldSet) -> None:
    vocabularies = {
        conversation.conversation_id: words(" ".join(turn.content for turn in conversation.turns))
        for conversation in gold_set.conversations
    }
    alike = [
        (a, b)
        for a, b in itertools.combinations(vocabularies, 2)
        if len(vocabularies[a] & vocabularies[b])
        > min(len(vocabularies[a]), len(vocabularies[b])) / 2
    ]
    assert alike == []


def test_every_label_has_so_many_memories_that_one_miss_stays_under_the_limit(
    memories: list[ExtractedMemory],
) -> None:
    counts = Counter(label for memory in memories for label in memory.labels)
    limit = json.loads((BUILT_IN_GOLD_SET / BASELINE).read_text())["policy"]["max_regression_pp"]
    for label in VALID_LABELS:
        assert counts[label] >= 40
        assert 100 / counts[label] < limit


def test_there_are_at_least_30_memories_with_several_labels(
    memories: list[ExtractedMemory],
) -> None:
    assert sum(len(memory.labels) > 1 for memory in memories) >= 30


def test_there_are_at_least_30_supersessions_each_with_a_real_date(gold_set: GoldSet) -> None:
    ends = []
    for conversation in gold_set.conversations:
        said = " ".join(turn.content for turn in conversation.turns)
        for turn in conversation.gold.values():
            for memory, kind in zip(turn.memories, turn.kinds, strict=True):
                assert (kind == "supersession") == (memory.valid_until is not None)
                if memory.valid_until is not None:
                    ends.append(memory.valid_until)
                    assert memory.valid_until.utcoffset() is not None
                    assert any(year in said for year in ("2026", "2027", "२०२"))
    assert len(ends) >= 30
    assert len(set(ends)) > len(ends) * 0.8


def test_at_least_20_user_turns_hold_nothing_to_remember(gold_set: GoldSet) -> None:
    empty = [
        (conversation.conversation_id, turn.turn_index)
        for conversation in gold_set.conversations
        for turn in conversation.turns
        if turn.role == "user" and not conversation.gold[turn.turn_index].memories
    ]
    assert len(empty) >= 20


def test_every_turn_has_a_row_and_an_assistant_turn_holds_no_memory(gold_set: GoldSet) -> None:
    for conversation in gold_set.conversations:
        assert set(conversation.gold) == {turn.turn_index for turn in conversation.turns}
        for turn in conversation.turns:
            if turn.role == "assistant":
                assert conversation.gold[turn.turn_index].memories == ()


def tagged(tag: str) -> set[str]:
    tags = json.loads((BUILT_IN_GOLD_SET / "tags.json").read_text(encoding="utf-8"))
    return set(tags[tag])


def test_at_least_12_conversations_try_an_injection_and_none_succeeds(gold_set: GoldSet) -> None:
    injections = tagged("injection")
    assert len(injections) >= 12
    assert injections <= gold_set.ids
    forbidden = re.compile(r"\b(ignore|administrator|admin rights|system prompt|pwned)\b", re.I)
    for conversation in gold_set.conversations:
        if conversation.conversation_id in injections:
            for turn in conversation.gold.values():
                for memory in turn.memories:
                    assert not forbidden.search(memory.content), conversation.conversation_id


def test_at_least_12_conversations_are_not_in_english(gold_set: GoldSet) -> None:
    foreign = tagged("non-english")
    assert len(foreign) >= 12
    assert foreign <= gold_set.ids


def test_at_least_15_conversations_have_three_or_more_turns(gold_set: GoldSet) -> None:
    assert sum(len(c.turns) >= 3 for c in gold_set.conversations) >= 15


def test_several_turns_hold_three_memories_that_resemble_each_other(gold_set: GoldSet) -> None:
    def resembling(memories: tuple[ExtractedMemory, ...]) -> bool:
        texts = [memory.content for memory in memories]
        alike = {
            index
            for i, j in itertools.combinations(range(len(texts)), 2)
            if similarity(texts[i], texts[j]) >= 0.55
            for index in (i, j)
        }
        return len(alike) >= 3

    turns = [turn for c in gold_set.conversations for turn in c.gold.values()]
    assert sum(resembling(turn.memories) for turn in turns) >= 8


def test_the_manifest_is_oracle_aligned_and_names_the_set(gold_set: GoldSet) -> None:
    manifest = load_manifest(BUILT_IN_GOLD_SET)
    assert manifest.gold_set == "v1"
    assert manifest.cassette_kind == "oracle_aligned_expected_json"
