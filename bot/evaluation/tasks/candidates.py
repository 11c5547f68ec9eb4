"""Candidates of each conversation, with kinds, evidence and references (CONTRACTS section 10).

Claims are paired as memories are; a pair is right when both are of one kind. Beside that each
predicted candidate shows whether its evidence and its references lead to something.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, Field

from bot.candidates.evidence import entry_ranges, reference_faults, snippet_faults
from bot.candidates.extraction import CandidateDraft, CandidateExtraction
from bot.candidates.taxonomy import CANDIDATE_KINDS
from bot.errors import BadInput
from bot.evaluation.candidate_scores import (
    CANDIDATE_METRICS,
    EVIDENCE_VALIDITY,
    KIND_ACCURACY,
    REFERENCE_VALIDITY,
)
from bot.evaluation.cases import Case, CaseMemory
from bot.evaluation.counts import (
    Count,
    Decisions,
    LabelCounts,
    LabelledCounts,
    Metrics,
    accuracy,
    in_order,
    label_metrics,
)
from bot.evaluation.find_cases import Placed, leftover_cases
from bot.evaluation.formulas import Formulas, decisions, label_formulas
from bot.evaluation.gold_set import CONVERSATIONS, ConversationRow, GoldConversation, Row
from bot.evaluation.keyword_candidates import extract_candidates_by_keywords
from bot.evaluation.label_tally import LabelTally
from bot.evaluation.matching import Pairing, pair_memories
from bot.evaluation.outcome import Failure
from bot.evaluation.task import Group, Scored, ScoringRules, Task
from bot.extraction.turns import Turn
from bot.files import json_lines
from bot.validation import validate

EXPECTED: Final = "expected_candidates.jsonl"

Drafts = tuple[CandidateDraft, ...]
"""The gold and the prediction of this task."""


class ExpectedRow(Row):
    """A line of `expected_candidates.jsonl`: the gold candidates of one conversation."""

    expected: tuple[CandidateDraft, ...]


def _entries(turns: Sequence[Turn]) -> dict[int, str]:
    return {turn.turn_index: turn.content for turn in turns}


def load_expected_candidates(
    data: bytes, path: Path, conversations: Sequence[ConversationRow]
) -> dict[str, Drafts]:
    """By conversation id; raises BadInput that names the line, also for evidence not there."""
    turns = {row.conversation_id: row.turns for row in conversations}
    gold: dict[str, Drafts] = {}
    for number, value in json_lines(data, path):
        where = f"{path}:{number}"
        row = validate(ExpectedRow, value, where)
        name = row.conversation_id
        if name not in turns:
            raise BadInput(f"conversation {name!r} is not in {CONVERSATIONS}", where=where)
        if name in gold:
            raise BadInput(f"conversation {name!r} is given twice", where=where)
        entries = _entries(turns[name])
        for draft in row.expected:
            if faults := snippet_faults(draft, entries) + reference_faults(draft, entries):
                raise BadInput(f"{name!r}: {draft.claim[:60]!r}: {faults[0]}", where=where)
        gold[name] = row.expected
    if missing := sorted(turns.keys() - gold.keys()):
        raise BadInput(
            f"conversation {missing[0]!r} has no row",
            where=path,
            next_step='write a row with "expected": [] when nothing is to be staged',
        )
    return gold


class CandidateCounts(LabelledCounts):
    """Everything that the metrics of a set of conversations are computed from.

    `evidence` and `references` count predicted candidates: right when all of them lead somewhere.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    labels: dict[str, LabelCounts] = Field(
        default_factory=lambda: {str(kind): LabelCounts() for kind in CANDIDATE_KINDS}
    )
    kind_assignment: Decisions = Decisions()
    evidence: Decisions = Decisions()
    references: Decisions = Decisions()
    conversations: Count = 0
    gold_candidates: Count = 0
    predicted_candidates: Count = 0
    pairs: Count = 0


def _validity(decisions: Decisions, gold: int) -> float | None:
    """Nothing predicted is 0.0 where something was to be found, and undefined where not."""
    return 0.0 if not decisions.total and gold else accuracy(decisions)


def compute_candidate_metrics(counts: CandidateCounts) -> Metrics:
    """All metrics by name: the gated ones first, then the ungated ones."""
    metrics = label_metrics(counts.labels, CANDIDATE_KINDS)
    metrics[KIND_ACCURACY] = accuracy(counts.kind_assignment)
    metrics[EVIDENCE_VALIDITY] = _validity(counts.evidence, counts.gold_candidates)
    metrics[REFERENCE_VALIDITY] = _validity(counts.references, counts.gold_candidates)
    return in_order(metrics, CANDIDATE_METRICS)


_TO_FIND: Final = ("gold_candidates",)
CANDIDATE_FORMULAS: Final[Formulas] = {
    **label_formulas(CANDIDATE_KINDS),
    KIND_ACCURACY: decisions("kind_assignment", exact=True),
    EVIDENCE_VALIDITY: decisions("evidence", zero_if=_TO_FIND),
    REFERENCE_VALIDITY: decisions("references", zero_if=_TO_FIND),
}
"""What `compute_candidate_metrics` computes, as formulas over columns of counts."""


def _placed(name: str, draft: CandidateDraft) -> Placed:
    ranges = entry_ranges(draft)
    turn = ranges[0][0] if ranges else 0
    return (name, turn), CaseMemory(content=draft.claim, labels=(draft.kind,))


@dataclass(slots=True)
class CandidateScorer:
    """Takes the candidates of one conversation after the other, in any order."""

    rules: ScoringRules
    _kinds: LabelTally = field(default_factory=lambda: LabelTally.of(CANDIDATE_KINDS))
    _evidence_right: int = 0
    _references_right: int = 0
    _cases: list[Case] = field(default_factory=list)

    def add(self, conversation: GoldConversation, predicted: Drafts) -> None:
        gold: Drafts = conversation.gold
        pairing = pair_memories(
            gold,
            predicted,
            threshold=self.rules.threshold,
            allow_contradictions=self.rules.allow_contradictions,
        )
        name = conversation.conversation_id
        if not self._kinds.add(gold, predicted, pairing):
            self._cases += _kind_cases(name, gold, predicted, pairing)
        entries = _entries(conversation.turns)
        for draft in predicted:
            snippets, references = snippet_faults(draft, entries), reference_faults(draft, entries)
            self._evidence_right += not snippets
            self._references_right += not references
            where, shown = _placed(name, draft)
            self._cases += [Case(*where, "evidence", None, shown, why) for why in snippets]
            self._cases += [Case(*where, "reference", None, shown, why) for why in references]

    def result(self) -> Scored[CandidateCounts]:
        kinds = self._kinds
        counts = CandidateCounts(
            labels=kinds.label_counts,
            kind_assignment=kinds.assignment,
            evidence=Decisions(right=self._evidence_right, total=kinds.predicted),
            references=Decisions(right=self._references_right, total=kinds.predicted),
            conversations=kinds.groups,
            gold_candidates=kinds.gold,
            predicted_candidates=kinds.predicted,
            pairs=kinds.pairs,
        )
        cases = sorted(self._cases, key=lambda case: (case.conversation_id, case.turn_index))
        return Scored(counts, tuple(cases), kinds.groups)


def _kind_cases(name: str, gold: Drafts, predicted: Drafts, pairing: Pairing) -> list[Case]:
    expected = {i: _placed(name, draft) for i, draft in enumerate(gold)}
    answered = {i: _placed(name, draft) for i, draft in enumerate(predicted)}
    cases = [
        Case(*expected[pair.gold][0], "kind", expected[pair.gold][1], answered[pair.predicted][1])
        for pair in pairing.pairs
        if gold[pair.gold].kind != predicted[pair.predicted].kind
    ]
    return cases + leftover_cases(expected, answered, pairing)


def _predict(answer: CandidateExtraction, asked: frozenset[int] | None) -> Drafts | Failure:
    """A range beyond the entries that were asked is no failure: it is measured."""
    return answer.candidates


def _to_answer(prediction: Drafts) -> dict[str, Any]:
    extraction = CandidateExtraction(candidates=prediction)
    return extraction.model_dump(mode="json", exclude_none=True)


def _oracle(conversation: GoldConversation) -> Drafts:
    gold: Drafts = conversation.gold
    return gold


def _groups(conversation: GoldConversation, predicted: Drafts) -> Iterator[Group]:
    yield 0, conversation.gold, predicted


def _facts(conversations: Sequence[GoldConversation]) -> dict[str, Any]:
    kinds = Counter(draft.kind for conversation in conversations for draft in conversation.gold)
    return {"candidate_kind_counts": {kind: kinds[kind] for kind in CANDIDATE_KINDS}}


CANDIDATES = Task(
    name="candidate_staging",
    gated_metrics=CANDIDATE_METRICS,
    expected_file=EXPECTED,
    answer=CandidateExtraction,
    nothing=(),
    load_expected=load_expected_candidates,
    predict=_predict,
    to_answer=_to_answer,
    oracle=_oracle,
    groups=_groups,
    new_scorer=CandidateScorer,
    compute_metrics=compute_candidate_metrics,
    formulas=CANDIDATE_FORMULAS,
    counts=CandidateCounts,
    facts=_facts,
    floor=extract_candidates_by_keywords,
)
