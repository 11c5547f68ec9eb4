"""What gold set candidates-v1 promises in its README, counted."""

import itertools
import json
from collections import Counter

import pytest

from bot.candidates.extraction import CandidateDraft
from bot.candidates.taxonomy import CANDIDATE_KINDS
from bot.evaluation.gold_set import GoldSet
from bot.evaluation.manifest import load_manifest
from bot.evaluation.pipeline import load_task_gold_set
from bot.suites import CANDIDATE_STAGING
from tests.test_gold_set_v1 import words

PLACE = CANDIDATE_STAGING.gold_set


@pytest.fixture(scope="module")
def gold_set() -> GoldSet:
    return load_task_gold_set(PLACE, CANDIDATE_STAGING.load_task())


@pytest.fixture(scope="module")
def drafts(gold_set: GoldSet) -> list[CandidateDraft]:
    return [draft for conversation in gold_set.conversations for draft in conversation.gold]


def test_there_are_at_least_60_conversations_and_90_candidates(
    gold_set: GoldSet, drafts: list[CandidateDraft]
) -> None:
    assert len(gold_set.conversations) >= 60
    assert len(drafts) >= 90


def test_every_kind_is_there_at_least_12_times(drafts: list[CandidateDraft]) -> None:
    kinds = Counter(draft.kind for draft in drafts)
    assert set(kinds) == set(CANDIDATE_KINDS)
    assert min(kinds.values()) >= 12


def test_at_least_10_conversations_hold_nothing_to_stage(gold_set: GoldSet) -> None:
    assert sum(not conversation.gold for conversation in gold_set.conversations) >= 10


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


def test_every_candidate_shows_an_excerpt_that_stands_word_for_word_in_its_turn(
    gold_set: GoldSet,
) -> None:
    for conversation in gold_set.conversations:
        texts = {turn.turn_index: turn.content for turn in conversation.turns}
        for draft in conversation.gold:
            assert draft.evidence
            for piece in draft.evidence:
                assert piece.entry_range is not None
                assert piece.excerpt is not None
                assert piece.excerpt in texts[piece.entry_range[0]], draft.claim


def test_injections_and_other_languages_are_there_and_tagged(gold_set: GoldSet) -> None:
    tags = json.loads((PLACE / "tags.json").read_text(encoding="utf-8"))
    assert len(tags["injection"]) >= 4
    assert len(tags["non-english"]) >= 6
    for names in tags.values():
        assert set(names) <= gold_set.ids


def test_a_claim_is_one_sentence_and_says_why_it_is_useful(drafts: list[CandidateDraft]) -> None:
    claims = [draft.claim for draft in drafts]
    assert len(set(claims)) == len(claims)
    assert all(len(claim) <= 300 for claim in claims)
    assert all("\n" not in claim for claim in claims)


def test_the_manifest_is_oracle_aligned_and_names_the_set() -> None:
    manifest = load_manifest(PLACE)
    assert manifest.gold_set == "candidates-v1"
    assert manifest.cassette_kind == "oracle_aligned_expected_json"
