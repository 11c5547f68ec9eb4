"""The assignment against brute force, and worked cases whatever the order of the lists."""

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evaluation.matching import DEFAULT_THRESHOLD, Pairing, assign, pair_memories
from bot.extraction.schema import ExtractedMemory, ExtractedMemoryLabel
from bot.extraction.taxonomy import Label

Pairs = tuple[tuple[int, int], ...]


def memory(content: str, *labels: Label) -> ExtractedMemory:
    return ExtractedMemory(
        content=content,
        categories=tuple(
            ExtractedMemoryLabel(label=label, confidence=0.9) for label in labels or ("factual",)
        ),
        confidence=0.9,
    )


def every_assignment(rows: int, columns: int) -> Iterator[Pairs]:
    """All ways to give each row a column of its own or none."""
    for choice in itertools.product([None, *range(columns)], repeat=rows):
        taken = [column for column in choice if column is not None]
        if len(taken) == len(set(taken)):
            yield tuple((r, c) for r, c in enumerate(choice) if c is not None)


def brute_force(
    percents: Sequence[Sequence[int]], equal_labels: Sequence[Sequence[bool]], threshold: int
) -> Pairs:
    """The best of all assignments, compared by whole per cents; nothing shared with the code."""
    rows, columns = len(percents), len(percents[0]) if percents else 0
    allowed = {
        (r, c)
        for r in range(rows)
        for c in range(columns)
        if percents[r][c] >= threshold and percents[r][c] > 0
    }
    candidates = [pairs for pairs in every_assignment(rows, columns) if allowed.issuperset(pairs)]
    return min(
        candidates,
        key=lambda pairs: (
            -sum(Fraction(percents[r][c], 100) for r, c in pairs),
            -sum(equal_labels[r][c] for r, c in pairs),
            sorted(pairs),
        ),
    )


def solve(
    percents: Sequence[Sequence[int]], equal_labels: Sequence[Sequence[bool]], threshold: int
) -> Pairs:
    return assign([[p / 100 for p in row] for row in percents], equal_labels, threshold / 100)


@st.composite
def turns(draw: st.DrawFn, most: int) -> tuple[list[list[int]], list[list[bool]], int]:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    # few values, so that totals tie often; 10 + 60 = 30 + 40 ties in sums that floats get wrong
    percent = st.sampled_from([0, 10, 30, 40, 54, 55, 56, 60, 70, 100])
    row = st.lists(percent, min_size=columns, max_size=columns)
    percents = draw(st.lists(row, min_size=rows, max_size=rows))
    label_row = st.lists(st.booleans(), min_size=columns, max_size=columns)
    labels = draw(st.lists(label_row, min_size=rows, max_size=rows))
    return percents, labels, draw(st.sampled_from([0, 30, 55]))


@settings(max_examples=400, deadline=None)
@given(turns(4))
def test_the_assignment_is_that_of_brute_force(
    turn: tuple[list[list[int]], list[list[bool]], int],
) -> None:
    assert solve(*turn) == brute_force(*turn)


@settings(max_examples=40, deadline=None)
@given(turns(5))
def test_the_assignment_is_that_of_brute_force_for_five_memories(
    turn: tuple[list[list[int]], list[list[bool]], int],
) -> None:
    assert solve(*turn) == brute_force(*turn)


@pytest.mark.parametrize("seed", range(4))
def test_the_assignment_is_that_of_brute_force_for_six_memories(seed: int) -> None:
    rng = random.Random(seed)
    percents = [[rng.choice((0, 56, 60, 64)) for _ in range(6)] for _ in range(6)]
    labels = [[rng.random() < 0.4 for _ in range(6)] for _ in range(6)]
    assert solve(percents, labels, 55) == brute_force(percents, labels, 55)


def test_a_pair_under_the_threshold_is_out_before_the_assignment_is_solved() -> None:
    # with it, .50 + .54 = 1.04 would win and then both pairs would fall
    nothing_equal = [[False, False], [False, False]]
    assert assign([[0.56, 0.50], [0.54, 0.0]], nothing_equal, 0.55) == ((0, 0),)


def test_the_greatest_total_is_taken_and_not_the_greatest_pair_first() -> None:
    # greedy would take .90 and be left with nothing: .90 < .80 + .80
    nothing_equal = [[False, False], [False, False]]
    assert assign([[0.90, 0.80], [0.80, 0.0]], nothing_equal, 0.55) == ((0, 1), (1, 0))


def test_a_similarity_that_is_the_threshold_is_allowed() -> None:
    assert assign([[0.1 + 0.2 + 0.25]], [[True]], 0.55) == ((0, 0),)
    assert assign([[0.54999999]], [[True]], 0.55) == ()


def test_nothing_is_assigned_without_memories() -> None:
    assert assign([], [], 0.55) == ()
    assert assign([[], []], [[], []], 0.55) == ()


@pytest.mark.parametrize("size", [10, 25, 40])
def test_ties_go_to_the_lower_indexes_where_one_number_cannot_hold_all_of_them(size: int) -> None:
    # All similar: by labels row i wants column i + 1 (but for the last), or else the lowest.
    similar = [[0.7] * size for _ in range(size)]
    labels = [[column == row + 1 for column in range(size)] for row in range(size)]
    expected = (*((row, row + 1) for row in range(size - 1)), (size - 1, 0))
    assert assign(similar, labels, 0.55) == expected
    nothing_equal = [[False] * size for _ in range(size)]
    assert assign(similar, nothing_equal, 0.55) == tuple((i, i) for i in range(size))


def test_ten_by_ten_with_a_small_difference_in_one_similarity_is_exact() -> None:
    # one pair is better by one in the ninth place, against all the indexes
    similar = [[0.999999998] * 10 for _ in range(10)]
    similar[9][0] = 0.999999999
    nothing_equal = [[False] * 10 for _ in range(10)]
    expected = (*((row, row + 1) for row in range(9)), (9, 0))
    assert assign(similar, nothing_equal, 0.55) == expected


@settings(deadline=None)
@given(turns(5), st.randoms(use_true_random=False))
def test_the_total_does_not_depend_on_the_order_of_the_lists(
    turn: tuple[list[list[int]], list[list[bool]], int], rng: random.Random
) -> None:
    percents, labels, threshold = turn
    rows, columns = list(range(len(percents))), list(range(len(percents[0])))
    rng.shuffle(rows)
    rng.shuffle(columns)
    shuffled = solve(
        [[percents[r][c] for c in columns] for r in rows],
        [[labels[r][c] for c in columns] for r in rows],
        threshold,
    )
    one, other = solve(*turn), [(rows[r], columns[c]) for r, c in shuffled]
    assert sum(percents[r][c] for r, c in one) == sum(percents[r][c] for r, c in other)
    assert sum(labels[r][c] for r, c in one) == sum(labels[r][c] for r, c in other)


def contents(
    pairing: Pairing, gold: Sequence[ExtractedMemory], predicted: Sequence[ExtractedMemory]
) -> set[tuple[str, str]]:
    return {(gold[p.gold].content, predicted[p.predicted].content) for p in pairing.pairs}


def in_every_order(
    gold: Sequence[ExtractedMemory], predicted: Sequence[ExtractedMemory]
) -> Iterator[tuple[tuple[ExtractedMemory, ...], tuple[ExtractedMemory, ...]]]:
    yield from itertools.product(itertools.permutations(gold), itertools.permutations(predicted))


WORKED = {
    "the exact text is paired, the other day contradicts": (
        ["User deploys on Monday", "User deploys on Tuesday mornings"],
        ["User deploys on Monday mornings", "User deploys on Monday"],
        {("User deploys on Monday", "User deploys on Monday")},
    ),
    "a text that contains another says something else": (
        ["Use tabs"],
        ["Never use tabs in this repository"],
        set(),
    ),
    "another date is another fact": (
        ["The contract ends on 5 September 2026"],
        ["The contract ends on 6 September 2026"],
        set(),
    ),
    "the nearer of two dates of one fact": (
        ["User flies to Oslo on 5 September 2026", "User flies to Rome on 6 September 2026"],
        ["User flies to Rome on September 6th, 2026", "User flies to Oslo on September 5th, 2026"],
        {
            (
                "User flies to Oslo on 5 September 2026",
                "User flies to Oslo on September 5th, 2026",
            ),
            (
                "User flies to Rome on 6 September 2026",
                "User flies to Rome on September 6th, 2026",
            ),
        },
    ),
    "a prediction that merges two facts is paired with the one it is more like": (
        ["User lives in Lisbon with a cat", "User works as a nurse"],
        ["User lives in Lisbon with a cat and works as a nurse"],
        {
            (
                "User lives in Lisbon with a cat",
                "User lives in Lisbon with a cat and works as a nurse",
            )
        },
    ),
    "Japanese": (
        ["ユーザーは毎朝コーヒーを飲む", "ユーザーは月曜日に走る"],
        ["ユーザーは火曜日に走る", "ユーザーは毎朝コーヒーを飲みます"],
        {("ユーザーは毎朝コーヒーを飲む", "ユーザーは毎朝コーヒーを飲みます")},
    ),
    "Arabic": (
        ["المستخدم يفضل القهوة على الشاي", "لدى المستخدم ٣ قطط"],
        ["لدى المستخدم 3 قطط", "يفضل المستخدم القهوة على الشاي"],
        {
            ("المستخدم يفضل القهوة على الشاي", "يفضل المستخدم القهوة على الشاي"),
            ("لدى المستخدم ٣ قطط", "لدى المستخدم 3 قطط"),
        },
    ),
}


@pytest.mark.parametrize("case", WORKED)
def test_worked_cases_come_out_right_in_every_order(case: str) -> None:
    gold_texts, predicted_texts, expected = WORKED[case]
    for gold, predicted in in_every_order(
        [memory(text) for text in gold_texts], [memory(text) for text in predicted_texts]
    ):
        assert contents(pair_memories(gold, predicted), gold, predicted) == expected


def test_of_two_identical_predictions_the_one_with_equal_labels_is_paired() -> None:
    gold = [memory("User prefers tea over coffee", "preference")]
    right = memory("User prefers tea over coffee", "preference")
    wrong = memory("User prefers tea over coffee", "factual", "preference")
    for predicted in itertools.permutations((right, wrong)):
        (pair,) = pair_memories(gold, predicted).pairs
        assert predicted[pair.predicted] is right


def test_a_contradiction_is_listed_with_its_reason_and_can_be_allowed() -> None:
    gold = [memory("User deploys on Monday"), memory("User likes tea with milk and sugar")]
    predicted = [memory("User is called Ada"), memory("User deploys on Tuesday")]
    pairing = pair_memories(gold, predicted)
    assert pairing.pairs == ()
    (found,) = pairing.contradictions
    assert (found.gold, found.predicted) == (0, 1)
    assert found.reason == "weekday: monday against tuesday"
    assert found.similarity >= DEFAULT_THRESHOLD
    allowed = pair_memories(gold, predicted, allow_contradictions=True)
    assert [(p.gold, p.predicted) for p in allowed.pairs] == [(0, 1)]
    assert allowed.contradictions == ()


def test_a_pair_that_is_not_alike_enough_is_no_contradiction() -> None:
    pairing = pair_memories([memory("Use tabs")], [memory("Never use tabs in this repository")])
    assert pairing == Pairing((), ())


def test_the_threshold_decides_what_is_a_pair() -> None:
    gold, predicted = [memory("User is allergic to peanuts")], [memory("User has a peanut allergy")]
    assert pair_memories(gold, predicted).pairs == ()
    (pair,) = pair_memories(gold, predicted, threshold=0.3).pairs
    assert pair_memories(gold, predicted, threshold=pair.similarity).pairs == (pair,)


def test_an_empty_side_has_no_pairs() -> None:
    one = [memory("User likes tea")]
    nothing = Pairing((), ())
    assert pair_memories([], one) == pair_memories(one, []) == pair_memories([], []) == nothing


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["User likes tea", "User likes tea a lot", "User likes green tea", "User likes no tea"]
        ),
        min_size=1,
        max_size=6,
    ),
    st.randoms(use_true_random=False),
)
def test_a_turn_and_the_same_turn_shuffled_have_the_same_pairs(
    texts: list[str], rng: random.Random
) -> None:
    gold, predicted = [memory(text) for text in texts], [memory(text) for text in texts]
    rng.shuffle(predicted)
    pairing = pair_memories(gold, predicted)
    # the answer is the expectation itself, so every memory finds its own text
    assert len(pairing.pairs) == len(texts)
    assert all(pair.similarity == 1.0 for pair in pairing.pairs)
