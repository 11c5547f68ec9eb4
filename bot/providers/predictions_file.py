"""`file:PATH`: predictions that another system wrote, as JSON Lines, in one of three forms:

- a conversation a line: `conversation_id` beside the task's answer, so for memories
  `{"conversation_id", "turns": [{"turn_index", "memories"}]}`
- a cassette a line: `{"conversation_id", "raw_json"}`
- for memories, a turn a line: `{"conversation_id", "turn_index", "memories": [ExtractedMemory]}`

A turn that is left out holds nothing; a conversation that is left out has no answer, which is a
failure. A line that is no JSON or names an unknown conversation is bad input; an answer that breaks
the contract is a failure of its conversation.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import BadInput
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import AnsweringFacts, Failure, Outcome, OutcomeTally
from bot.evaluation.provider import Receive
from bot.evaluation.scores import Enforcement
from bot.evaluation.task import Task
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes
from bot.providers.limits import check_failures

FORMS = "see the README for the three forms of a line"


@dataclass(slots=True)
class Predicted:
    """What the file says of one conversation: an answer as text, or as a JSON object."""

    raw: str | None = None
    answer: dict[str, Any] = field(default_factory=dict)
    is_whole: bool = True


def load_predictions(path: Path) -> dict[str, Predicted]:
    """By conversation id; raises BadInput for a line that is in none of the three forms."""
    found: dict[str, Predicted] = {}
    for number, row in json_lines(read_bytes(path, MAX_LINES_BYTES), path):
        where = f"{path}:{number}"
        name = row.pop("conversation_id", None) if isinstance(row, dict) else None
        if not isinstance(name, str) or not name.strip():
            raise BadInput("has no conversation_id", where=where, next_step=FORMS)
        if not row:
            raise BadInput("has no answer beside its id", where=where, next_step=FORMS)
        entry = found.get(name)
        is_turn = "turn_index" in row
        if entry is not None and (entry.is_whole or not is_turn):
            raise BadInput(f"conversation {name!r} is given twice", where=where)
        if is_turn:
            entry = found.setdefault(name, Predicted(answer={"turns": []}, is_whole=False))
            entry.answer["turns"].append(row)
        elif "raw_json" in row:
            if not isinstance(row["raw_json"], str):
                raise BadInput("raw_json is no text", where=where, next_step=FORMS)
            found[name] = Predicted(raw=row["raw_json"])
        else:
            found[name] = Predicted(answer=row)
    return found


@dataclass(frozen=True, slots=True)
class PredictionsProvider:
    """`max_failures` are borne, one more stops with Unreachable; None is no bound."""

    task: Task
    name: str
    model: str
    path: Path
    predicted: dict[str, Predicted]
    max_failures: int | None = None
    enforcement: Enforcement = "ci"
    cassette_kind: None = None

    @property
    def notes(self) -> str:
        return f"Predictions that another system wrote, read from {self.path.name}."

    def answer(self, conversations: Iterable[GoldConversation], receive: Receive) -> AnsweringFacts:
        tally = OutcomeTally()
        for conversation in conversations:
            outcome = self._outcome(conversation)
            tally.add(outcome)
            receive(conversation, outcome.prediction)
            check_failures(tally, self.max_failures, str(self.path))
        return tally.facts()

    def check_ids(self, known: Iterable[str]) -> None:
        """Raises BadInput when the file answers for a conversation that is not in the gold set."""
        if unknown := sorted(set(self.predicted) - set(known)):
            raise BadInput(
                f"conversation {unknown[0]!r} is not in the gold set ({len(unknown)} such)",
                where=self.path,
                next_step="take them out, or name the gold set they belong to with --gold-set",
            )

    def _outcome(self, conversation: GoldConversation) -> Outcome:
        name = conversation.conversation_id
        predicted = self.predicted.get(name)
        if predicted is None:
            failure = Failure("missing", "the file has no line for it")
            return Outcome(name, self.task.nothing, failure=failure)
        asked = conversation.turn_indexes
        raw = predicted.raw
        if raw is None:
            raw = json.dumps(complete_answer(predicted.answer, asked))
        judged = judge_answer(raw, self.task, asked)
        if isinstance(judged, Failure):
            return Outcome(name, self.task.nothing, failure=judged)
        return Outcome(name, judged)


def complete_answer(answer: dict[str, Any], asked: frozenset[int]) -> dict[str, Any]:
    """An answer by turns gets an empty one for each turn that it leaves out."""
    turns = answer.get("turns")
    if not isinstance(turns, list):
        return answer
    said = {
        turn["turn_index"]
        for turn in turns
        if isinstance(turn, dict) and isinstance(turn.get("turn_index"), int)
    }
    left_out = [{"turn_index": index, "memories": []} for index in sorted(asked - said)]
    return answer | {"turns": [*turns, *left_out]}
