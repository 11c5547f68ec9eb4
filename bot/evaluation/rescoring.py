"""Scores stored answers anew: under another gold set, or under other rules of pairing."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from bot.errors import BadInput
from bot.evaluation.answers_file import answers_path
from bot.evaluation.by_conversation import ConversationTally
from bot.evaluation.counts import LabelledCounts
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import Failure
from bot.evaluation.report import Report
from bot.evaluation.task import Prediction, Scored, ScoringRules, Task
from bot.files import MAX_LINES_BYTES, json_lines, read_bytes


def load_answers(path: Path, report: Report, task: Task) -> dict[str, Prediction]:
    """The answers of the report at `path`, by conversation id.

    Raises BadInput when they are not there, or not those that the report was made of.
    """
    place = answers_path(path)
    data = read_bytes(place, MAX_LINES_BYTES)
    if hashlib.sha256(data).hexdigest() != report.answers_sha256:
        raise BadInput(
            "are not the answers of its report (another hash)",
            where=place,
            next_step="keep both files of one evaluation together",
        )
    answers: dict[str, Prediction] = {}
    for number, row in json_lines(data, place):
        where = f"{place}:{number}"
        name = row.pop("conversation_id", None) if isinstance(row, dict) else None
        if not isinstance(name, str):
            raise BadInput("has no conversation_id", where=where)
        prediction = judge_answer(json.dumps(row), task)
        if isinstance(prediction, Failure):
            raise BadInput(f"is no answer: {prediction.detail}", where=where)
        answers[name] = prediction
    return answers


def rescore(
    task: Task,
    conversations: Iterable[GoldConversation],
    answers: Mapping[str, Prediction],
    rules: ScoringRules,
) -> Scored[LabelledCounts]:
    """As an evaluation scores them; a conversation without an answer is an empty one."""
    tally = ConversationTally(task, rules)
    for conversation in conversations:
        tally.add(conversation, answers.get(conversation.conversation_id, task.nothing))
    return tally.result()[0]
