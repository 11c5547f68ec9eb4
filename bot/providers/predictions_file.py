"""`file:PATH`: predictions that another system wrote, as JSON Lines, in one of three forms:

- a turn a line: `{"conversation_id", "turn_index", "memories": [ExtractedMemory]}`
- a conversation a line: `{"conversation_id", "turns": [{"turn_index", "memories"}]}`
- a cassette a line: `{"conversation_id", "raw_json"}`

A turn that is left out holds nothing; a conversation that is left out has no answer, which is a
failure. A line that is no JSON or names an unknown conversation is bad input; memories that break
the contract are a failure of their conversation.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.errors import BadInput
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import AnsweringFacts, Failure, Outcome, OutcomeTally
from bot.evaluation.provider import Receive
from bot.evaluation.scores import Enforcement
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes
from bot.providers.limits import check_failures

FORMS = "see the README for the three forms of a line"


@dataclass(slots=True)
class _Predicted:
    """What the file says of one conversation: an answer as text, or turns."""

    raw: str | None = None
    turns: list[Any] = field(default_factory=list)
    is_whole: bool = False


def load_predictions(path: Path) -> dict[str, _Predicted]:
    """By conversation id; raises BadInput for a line that is in none of the three forms."""
    found: dict[str, _Predicted] = {}
    for number, row in json_lines(read_bytes(path, MAX_LINES_BYTES), path):
        where = f"{path}:{number}"
        name = row.get("conversation_id") if isinstance(row, dict) else None
        if not isinstance(name, str) or not name.strip():
            raise BadInput("has no conversation_id", where=where, next_step=FORMS)
        entry = found.get(name)
        is_turn = "turn_index" in row and "memories" in row
        if entry is not None and (entry.is_whole or not is_turn):
            raise BadInput(f"conversation {name!r} is given twice", where=where)
        entry = found.setdefault(name, _Predicted(is_whole=not is_turn))
        if is_turn:
            entry.turns.append({"turn_index": row["turn_index"], "memories": row["memories"]})
        elif isinstance(row.get("raw_json"), str):
            entry.raw = row["raw_json"]
        elif isinstance(row.get("turns"), list):
            entry.turns = row["turns"]
        else:
            raise BadInput(
                "has neither turn_index and memories, nor turns, nor raw_json",
                where=where,
                next_step=FORMS,
            )
    return found


@dataclass(frozen=True, slots=True)
class PredictionsProvider:
    """`max_failures` are borne, one more stops with Unreachable; None is no bound."""

    name: str
    model: str
    path: Path
    predicted: dict[str, _Predicted]
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
            receive(conversation, outcome.answers)
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
            return Outcome(name, failure=Failure("missing", "the file has no line for it"))
        asked = frozenset(turn.turn_index for turn in conversation.turns)
        raw = predicted.raw
        if raw is None:
            raw = json.dumps({"turns": list(_all_turns(predicted.turns, asked))})
        judged = judge_answer(raw, asked)
        if isinstance(judged, Failure):
            return Outcome(name, failure=judged)
        return Outcome(name, answers=judged)


def _all_turns(turns: list[Any], asked: frozenset[int]) -> Iterator[Any]:
    yield from turns
    said = {
        turn["turn_index"]
        for turn in turns
        if isinstance(turn, dict) and isinstance(turn.get("turn_index"), int)
    }
    yield from ({"turn_index": index, "memories": []} for index in sorted(asked - said))
