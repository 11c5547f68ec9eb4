"""Scoring a turn: what counts, against scikit-learn and against worked cases."""

import itertools
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import multilabel_confusion_matrix

from bot.errors import BadInput
from bot.evaluation.expected_memories import GoldTurn, TemporalKind
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.matching import pair_memories
from bot.evaluation.metrics import Counts, compute_metrics
from bot.evaluation.report import Report, merge_reports, parse_report
from bot.evaluation.scoring import Answers, score
from bot.evaluation.task import Scored, ScoringRules
from bot.evaluation.tasks.memories import MEMORIES
from bot.extraction.schema import ExtractedMemory
from bot.extraction.taxonomy import VALID_LABELS
from bot.extraction.turns import Turn


def memory(
    content: str, *labels: str, until: str | None = None, since: str | None = None
) -> ExtractedMemory:
    return ExtractedMemory.model_validate(
        {
            "content": content,
            "categories": [{"label": name, "confidence": 0.9} for name in labels or ("factual",)],
            "confidence": 0.9,
            "valid_from": since,
            "valid_until": until,
        }
    )


def conversation(name: str, *turns: list[ExtractedMemory]) -> GoldConversation:
    def kind(m: ExtractedMemory) -> TemporalKind:
        return "supersession" if m.valid_until else "indefinite"

    return GoldConversation(
        name,
        tuple(Turn(turn_index=i, role="user", content="x") for i in range(len(turns))),
        {
            i: GoldTurn(tuple(memories), tuple(kind(m) for m in memories))
            for i, memories in enumerate(turns)
        },
    )


def score_turn(
    gold: list[ExtractedMemory], predicted: list[ExtractedMemory], **rules: Any
) -> Scored[Counts]:
    return score([conversation("c", gold)], lambda _: {0: tuple(predicted)}, ScoringRules(**rules))


def metrics_of(gold: list[ExtractedMemory], predicted: list[ExtractedMemory]) -> dict[str, Any]:
    return compute_metrics(score_turn(gold, predicted).counts)


def test_a_perfect_answer_is_perfect_and_has_no_case() -> None:
    gold = [memory("User likes tea", "preference"), memory("User lives in Oslo")]
    scored = score_turn(gold, list(reversed(gold)))
    assert scored.cases == ()
    defined = {value for value in compute_metrics(scored.counts).values() if value is not None}
    assert defined == {1.0}


def test_an_unpaired_prediction_is_a_false_positive_and_an_unpaired_gold_a_false_negative() -> None:
    counts = score_turn(
        [memory("User lives in Oslo", "factual")],
        [memory("Rotate the key before restarting", "procedural", "behavioral")],
    ).counts
    assert (counts.labels["factual"].fn, counts.labels["factual"].tp) == (1, 0)
    assert counts.labels["procedural"].fp == counts.labels["behavioral"].fp == 1
    assert (counts.category_assignment.right, counts.category_assignment.total) == (0, 1)
    assert (counts.temporal_field.right, counts.temporal_field.total) == (0, 1)


def test_a_pair_counts_each_label_on_its_own() -> None:
    counts = score_turn(
        [memory("User deploys on Friday", "behavioral", "episodic")],
        [memory("User deploys on Friday", "behavioral", "procedural")],
    ).counts
    assert counts.labels["behavioral"].tp == 1
    assert counts.labels["episodic"].fn == 1
    assert counts.labels["procedural"].fp == 1


@pytest.mark.parametrize(
    ("gold", "predicted", "right"),
    [
        (("factual",), ("factual",), 1),
        (("factual",), ("factual", "episodic"), 0),  # too many
        (("factual", "episodic"), ("factual",), 0),  # too few
        (("factual", "episodic"), ("episodic", "factual"), 1),  # the order does not matter
    ],
)
def test_a_label_set_is_right_only_when_it_is_equal(
    gold: tuple[str, ...], predicted: tuple[str, ...], right: int
) -> None:
    counts = score_turn([memory("A fact", *gold)], [memory("A fact", *predicted)]).counts
    assert (counts.category_assignment.right, counts.category_assignment.total) == (right, 1)


@pytest.mark.parametrize(
    ("gold", "predicted", "right", "total"),
    [(0, 0, 1, 1), (0, 2, 0, 2), (3, 0, 0, 3), (1, 2, 1, 2), (2, 1, 1, 2)],
)
def test_a_turn_decides_as_often_as_its_longer_list_and_once_when_both_are_empty(
    gold: int, predicted: int, right: int, total: int
) -> None:
    texts = ["User likes green tea", "Backups run at night", "The office is in Oslo"]
    counts = score_turn(
        [memory(text) for text in texts[:gold]], [memory(text) for text in texts[:predicted]]
    ).counts
    assert (counts.category_assignment.right, counts.category_assignment.total) == (right, total)


UNTIL = "2026-09-30T23:59:59Z"


@pytest.mark.parametrize(
    ("gold", "predicted", "right"),
    [
        (UNTIL, UNTIL, 1),
        (UNTIL, None, 0),
        (None, None, 1),
        (None, UNTIL, 0),
        (UNTIL, "2027-01-01", 1),
    ],
)
def test_the_temporal_field_is_right_when_an_end_is_set_or_left_out_as_expected(
    gold: str | None, predicted: str | None, right: int
) -> None:
    counts = score_turn(
        [memory("The flag is on", until=gold)], [memory("The flag is on", until=predicted)]
    ).counts
    assert (counts.temporal_field.right, counts.temporal_field.total) == (right, 1)


@pytest.mark.parametrize(
    ("predicted", "right"),
    [
        ({"until": UNTIL}, 1),
        ({"until": "2026-10-01T01:59:59+02:00"}, 1),  # the same instant
        ({"until": "2026-09-30T23:59:59"}, 1),  # without an offset: UTC
        ({"until": "2026-09-30T23:59:58Z"}, 0),
        ({"until": UNTIL, "since": "2026-09-01T00:00:00Z"}, 0),
        ({}, 0),
    ],
)
def test_the_temporal_value_compares_instants(predicted: dict[str, str], right: int) -> None:
    counts = score_turn(
        [memory("The flag is on", until=UNTIL)], [memory("The flag is on", **predicted)]
    ).counts
    assert counts.temporal_value.right == right


def test_a_turn_without_an_answer_is_an_empty_answer() -> None:
    gold = [conversation("c", [memory("User lives in Oslo")], [])]
    counts = score(gold, lambda _: {}).counts
    assert counts.labels["factual"].fn == 1
    assert (counts.category_assignment.right, counts.category_assignment.total) == (1, 2)


def test_predictions_for_a_turn_without_a_gold_row_are_not_ignored() -> None:
    gold = [conversation("c", [memory("User lives in Oslo")])]
    answers: Answers = {0: (memory("User lives in Oslo"),), 7: (memory("Invented thing"),)}
    scored = score(gold, lambda _: answers)
    assert scored.counts.labels["factual"].fp == 1
    assert [(case.kind, case.turn_index) for case in scored.cases] == [("invented", 7)]


# worked cases, whatever the order of the lists


def orders(items: list[ExtractedMemory]) -> list[list[ExtractedMemory]]:
    return [list(order) for order in itertools.permutations(items)]


def test_the_mornings_do_not_steal_the_monday() -> None:
    predicted = [memory("User deploys on Monday mornings"), memory("User deploys on Monday")]
    gold = [memory("User deploys on Monday"), memory("User deploys on Tuesday mornings")]
    for golds, predictions in itertools.product(orders(gold), orders(predicted)):
        pairing = pair_memories(golds, predictions)
        ((pair,), golds_text) = pairing.pairs, golds
        assert golds_text[pair.gold].content == "User deploys on Monday"
        assert predictions[pair.predicted].content == "User deploys on Monday"


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ("Use tabs", "Never use tabs in this repository"),
        ("Use tabs in this repository", "Never use tabs in this repository"),
        ("The release is on 5 September 2026", "The release is on 6 September 2026"),
        ("The build takes 12 minutes on main", "The build takes 21 minutes on main"),
        ("The team meets on Mondays at ten", "The team meets on Tuesdays at ten"),
    ],
)
def test_texts_that_contradict_are_not_the_same_fact(gold: str, predicted: str) -> None:
    for a, b in ((gold, predicted), (predicted, gold)):
        metrics = metrics_of([memory(a)], [memory(b)])
        assert metrics["recall_factual"] == metrics["precision_factual"] == 0.0


def test_a_contradicting_pair_is_one_case_with_the_reason_and_a_switch_allows_it() -> None:
    gold = [memory("The release is on 5 September 2026")]
    predicted = [memory("The release is on 6 September 2026")]
    (case,) = score_turn(gold, predicted).cases
    assert case.kind == "contradicts"
    assert case.expected is not None
    assert case.predicted is not None
    assert "2026-09-05" in case.detail or "5 " in case.detail or "date" in case.detail
    assert score_turn(gold, predicted, allow_contradictions=True).cases == ()


def test_of_two_equal_predictions_the_one_with_the_right_labels_is_paired() -> None:
    gold = [memory("User deploys on Friday", "behavioral")]
    predicted = [
        memory("User deploys on Friday", "episodic"),
        memory("User deploys on Friday", "behavioral"),
    ]
    for predictions in orders(predicted):
        counts = score_turn(gold, predictions).counts
        assert counts.labels["behavioral"].tp == 1
        assert counts.labels["episodic"].fp == 1
        assert counts.category_assignment.right == 1


def test_a_prediction_that_merges_two_facts_pairs_with_at_most_one() -> None:
    gold = [memory("User's cat is called Miso"), memory("User's dog is called Bruno")]
    merged = [memory("User's cat is called Miso and User's dog is called Bruno")]
    for golds in orders(gold):
        counts = score_turn(golds, merged).counts
        assert counts.pairs <= 1
        assert counts.labels["factual"].fn >= 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("ユーザーは毎週月曜日に東京で会議をする", "ユーザーは朝に緑茶を飲むのが好きだ"),
        ("يفضل المستخدم القهوة السوداء كل صباح", "يعيش المستخدم في مدينة الرباط مع أخته"),
    ],
)
def test_japanese_and_arabic_are_paired_by_what_they_say(one: str, two: str) -> None:
    gold = [memory(one, "behavioral"), memory(two, "preference")]
    for predictions in orders(gold):
        assert score_turn(gold, predictions).cases == ()
    assert score_turn([gold[0]], [gold[1]]).counts.pairs == 0


# scikit-learn as the second opinion

TEXTS = [
    "User likes green tea",
    "Backups run every night",
    "The office moved to Oslo",
    "Rotate the key, then restart",
]
label_sets = st.sets(st.sampled_from(VALID_LABELS), min_size=1, max_size=3)
turn_of = st.dictionaries(st.sampled_from(TEXTS), label_sets, max_size=4)


@given(st.lists(st.tuples(turn_of, turn_of), min_size=1, max_size=4))
@settings(deadline=None)
def test_label_counts_agree_with_scikit_learn(
    turns: list[tuple[dict[str, set[str]], dict[str, set[str]]]],
) -> None:
    """The texts differ too much to be paired with another, so the pairing is known: by text."""
    gold = [[memory(text, *sorted(labels)) for text, labels in g.items()] for g, _ in turns]
    predicted = [[memory(text, *sorted(labels)) for text, labels in p.items()] for _, p in turns]
    answers = {i: tuple(memories) for i, memories in enumerate(predicted)}
    counts = score([conversation("c", *gold)], lambda _: answers).counts

    def bits(labels: set[str]) -> list[int]:
        return [int(label in labels) for label in VALID_LABELS]

    rows = [(g.get(t, set()), p.get(t, set())) for g, p in turns for t in sorted(g | p)]
    if not rows:
        assert counts.labels == Counts().labels
        return
    truth = np.array([bits(g) for g, _ in rows])
    guess = np.array([bits(p) for _, p in rows])
    for label, matrix in zip(VALID_LABELS, multilabel_confusion_matrix(truth, guess), strict=True):
        found = counts.labels[label]
        assert (found.fp, found.fn, found.tp) == (matrix[0, 1], matrix[1, 0], matrix[1, 1])


# merging


def report_of(scored: Scored[Counts], ids: list[str], **changes: Any) -> Report:
    raw = {
        "benchmark": "extraction_quality",
        "gold_set": "v1",
        "mode": "cassette",
        "provider": "openai",
        "model": "m",
        "enforcement": "ci",
        "conversation_count": scored.conversation_count,
        "generated_at": "2026-09-06T06:25:31Z",
        "metrics": compute_metrics(scored.counts),
        "counts": scored.counts.model_dump(),
        "cases": [asdict(case) for case in scored.cases],
        "conversation_ids": ids,
    } | changes
    return parse_report(raw, "report")


def test_reports_over_disjoint_conversations_merge_to_the_report_of_all() -> None:
    all_gold = [
        conversation(f"c{i}", [memory(TEXTS[i % 4], VALID_LABELS[i % 5])]) for i in range(9)
    ]
    answers = {
        f"c{i}": {0: (memory(TEXTS[i % 4], VALID_LABELS[(i + i // 4) % 5]),)} for i in range(9)
    }

    def report(part: list[GoldConversation]) -> Report:
        scored = score(part, lambda c: answers[c.conversation_id])
        return report_of(scored, [c.conversation_id for c in part])

    whole = report(all_gold)
    assert whole.cases
    for cut in range(1, 9):
        merged = merge_reports(report(all_gold[cut:]), report(all_gold[:cut]), MEMORIES)
        assert merged.model_dump() == whole.model_dump()


def test_reports_that_overlap_or_were_scored_otherwise_do_not_merge() -> None:
    scored = score([conversation("c", [])], lambda _: {})
    one = report_of(scored, ["a", "b"])
    with pytest.raises(BadInput, match="both reports hold conversation 'b'"):
        merge_reports(one, report_of(scored, ["b", "c"]), MEMORIES)
    with pytest.raises(BadInput, match="differ in provider"):
        merge_reports(one, report_of(scored, ["c"], provider="keyword"), MEMORIES)
    with pytest.raises(BadInput, match="without counts"):
        merge_reports(one, report_of(scored, ["c"], counts=None), MEMORIES)
