"""Scoring candidates: kinds, evidence, references, each derived by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.candidates.extraction import CandidateDraft
from bot.candidates.record import Evidence, SourceRef
from bot.candidates.taxonomy import CANDIDATE_KINDS, CandidateKind
from bot.evaluation.candidate_scores import CANDIDATE_METRICS
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.task import Scored, ScoringRules
from bot.evaluation.tasks.candidates import (
    CandidateCounts,
    CandidateScorer,
    compute_candidate_metrics,
)
from bot.extraction.turns import Turn

TEXTS = ("We cap spending at 400 euros a month.", "Fine.", "Use tabs,\nnever spaces.")
CLAIMS = (
    "Spending is capped at 400 euros a month",
    "Tabs are used and never spaces",
    "The retry doubled the invoices of March",
    "Who owns the registry is unknown",
)


def draft(
    claim: str,
    kind: CandidateKind = "constraint",
    excerpt: str | None = "We cap spending",
    entries: tuple[int, int] | None = (0, 0),
    refs: tuple[tuple[int, int], ...] = (),
) -> CandidateDraft:
    evidence = Evidence(id="E001", kind="message", entry_range=entries, excerpt=excerpt)
    return CandidateDraft(
        kind=kind,
        claim=claim,
        why_useful="For later",
        evidence=(evidence,),
        source_refs=tuple(SourceRef(entry_range=found) for found in refs),
    )


def conversation(*gold: CandidateDraft, name: str = "c") -> GoldConversation:
    turns = tuple(Turn(turn_index=i, role="user", content=text) for i, text in enumerate(TEXTS))
    return GoldConversation(name, turns, gold)


def score(gold: list[CandidateDraft], predicted: list[CandidateDraft]) -> Scored[CandidateCounts]:
    scorer = CandidateScorer(ScoringRules())
    scorer.add(conversation(*gold), tuple(predicted))
    return scorer.result()


def test_a_right_answer_scores_one_everywhere_it_is_defined() -> None:
    gold = [draft(CLAIMS[0]), draft(CLAIMS[1], "preference")]
    metrics = compute_candidate_metrics(score(gold, gold).counts)
    assert list(metrics)[: len(CANDIDATE_METRICS)] == list(CANDIDATE_METRICS)
    assert metrics["precision_constraint"] == metrics["recall_preference"] == 1.0
    assert metrics["precision_lesson"] is None, "no lesson was there, and none was claimed"
    assert metrics["kind_accuracy"] == metrics["evidence_validity"] == 1.0


def test_a_wrong_kind_costs_both_kinds_and_is_one_case() -> None:
    scored = score([draft(CLAIMS[0])], [draft(CLAIMS[0], "decision")])
    counts = scored.counts
    assert (counts.labels["constraint"].fn, counts.labels["decision"].fp) == (1, 1)
    assert (counts.kind_assignment.right, counts.kind_assignment.total) == (0, 1)
    (case,) = scored.cases
    assert case.kind == "kind"
    assert case.expected is not None
    assert case.predicted is not None
    assert (case.expected.labels, case.predicted.labels) == (("constraint",), ("decision",))


def test_two_claims_that_contradict_each_other_are_not_paired() -> None:
    other = draft("Spending is capped at 900 euros a month")
    scored = score([draft(CLAIMS[0])], [other])
    assert scored.counts.pairs == 0
    assert [case.kind for case in scored.cases] == ["contradicts"]


def test_the_larger_list_is_the_denominator_and_nothing_for_nothing_is_right() -> None:
    # two gold, three predicted, one pair: 1 of 3; then an empty conversation: 1 of 1
    scorer = CandidateScorer(ScoringRules())
    gold = conversation(draft(CLAIMS[0]), draft(CLAIMS[1]))
    scorer.add(gold, (draft(CLAIMS[0]), draft(CLAIMS[2]), draft(CLAIMS[3])))
    scorer.add(conversation(name="d"), ())
    counts = scorer.result().counts
    assert (counts.kind_assignment.right, counts.kind_assignment.total) == (2, 4)
    assert (counts.gold_candidates, counts.predicted_candidates, counts.pairs) == (2, 3, 1)


@pytest.mark.parametrize(
    ("excerpt", "entries", "is_valid"),
    [
        ("We cap spending at 400 euros", (0, 0), True),
        ("Use tabs, never spaces.", (2, 2), True),  # white space folded
        ("We cap spending", (0, 2), True),
        ("We cap spending", None, True),
        ("We cap spending", (1, 1), False),
        ("we cap spending", (0, 0), False),
        ("We cap spending at 500 euros", (0, 0), False),
        ("We cap spending", (7, 9), False),
        (None, (0, 0), False),
    ],
)
def test_evidence_is_valid_when_every_excerpt_stands_where_it_says(
    excerpt: str | None, entries: tuple[int, int] | None, is_valid: bool
) -> None:
    predicted = draft(CLAIMS[0], excerpt=excerpt, entries=entries)
    scored = score([draft(CLAIMS[0])], [predicted])
    assert (scored.counts.evidence.right, scored.counts.evidence.total) == (is_valid, 1)
    assert ("evidence" in [case.kind for case in scored.cases]) is not is_valid


def test_one_snippet_that_is_not_there_spoils_the_record() -> None:
    good = Evidence(id="E001", kind="message", entry_range=(0, 0), excerpt="We cap spending")
    bad = Evidence(id="E002", kind="message", entry_range=(0, 0), excerpt="We cap nothing")
    mixed = draft(CLAIMS[0]).model_copy(update={"evidence": (good, bad)})
    scored = score([draft(CLAIMS[0])], [mixed])
    assert scored.counts.evidence.right == 0
    assert "E002 does not occur in entries 0 to 0" in [case.detail for case in scored.cases]


@pytest.mark.parametrize(
    ("refs", "is_valid"),
    [(((0, 2),), True), (((0, 0), (2, 2)), True), (((0, 3),), False), (((0, 0), (8, 9)), False)],
)
def test_references_are_valid_when_every_range_exists(
    refs: tuple[tuple[int, int], ...], is_valid: bool
) -> None:
    scored = score([draft(CLAIMS[0])], [draft(CLAIMS[0], refs=refs)])
    assert (scored.counts.references.right, scored.counts.references.total) == (is_valid, 1)


def test_nothing_predicted_is_zero_where_something_was_to_be_found_and_undefined_where_not() -> (
    None
):
    metrics = compute_candidate_metrics(score([draft(CLAIMS[0])], []).counts)
    assert metrics["evidence_validity"] == metrics["reference_validity"] == 0.0
    assert metrics["precision_constraint"] == 0.0
    metrics = compute_candidate_metrics(score([], []).counts)
    assert metrics["evidence_validity"] is None
    assert metrics["kind_accuracy"] == 1.0


lists = st.lists(
    st.tuples(st.sampled_from(CLAIMS), st.sampled_from(CANDIDATE_KINDS)),
    max_size=4,
    unique_by=lambda pair: pair[0],
)


@given(st.lists(st.tuples(lists, lists), max_size=4), st.integers(0, 4))
def test_counts_of_two_halves_add_up_to_the_counts_of_the_whole(
    groups: list[tuple[list[tuple[str, CandidateKind]], list[tuple[str, CandidateKind]]]], cut: int
) -> None:
    def counts(part: list[object]) -> CandidateCounts:
        scorer = CandidateScorer(ScoringRules())
        for gold, predicted in part:  # type: ignore[misc]
            scorer.add(
                conversation(*(draft(*pair) for pair in gold)),  # type: ignore[has-type]
                tuple(draft(*pair) for pair in predicted),  # type: ignore[has-type]
            )
        return scorer.result().counts

    whole = counts(list(groups))
    assert counts(list(groups[:cut])) + counts(list(groups[cut:])) == whole


@given(lists, lists)
def test_kinds_are_counted_as_a_plain_recount_of_equal_claims_does(
    gold: list[tuple[str, CandidateKind]], predicted: list[tuple[str, CandidateKind]]
) -> None:
    """The four claims resemble each other too little for a pair: equal claims are the pairs."""
    counts = score([draft(*pair) for pair in gold], [draft(*pair) for pair in predicted]).counts
    expected, answered = dict(gold), dict(predicted)
    for kind in CANDIDATE_KINDS:
        found = sum(answered.get(claim) == kind for claim, k in expected.items() if k == kind)
        assert counts.labels[kind].tp == found
        assert counts.labels[kind].fn == list(expected.values()).count(kind) - found
        assert counts.labels[kind].fp == list(answered.values()).count(kind) - found
