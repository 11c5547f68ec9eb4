"""`candidates stage`: what an evaluation's extractor answered, as staging records."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bot.candidates.store import CandidateStore
from bot.console import Console
from bot.errors import BadInput
from bot.evaluation.answers_file import answers_path
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.judge_answer import judge_answer
from bot.evaluation.outcome import Failure
from bot.evaluation.pipeline import load_task_gold_set
from bot.evaluation.report import load_report
from bot.evaluation.stage_candidates import Staging, stage_drafts, stage_memories
from bot.files import MAX_LINES_BYTES, read_bytes
from bot.providers.predictions_file import complete_answer, load_predictions
from bot.settings import Settings
from bot.suites import CANDIDATE_STAGING, EXTRACTION_QUALITY, Suite, find_suite

_STAGERS: Final[Mapping[str, Callable[[GoldConversation, Any], Staging]]] = {
    EXTRACTION_QUALITY.name: stage_memories,
    CANDIDATE_STAGING.name: stage_drafts,
}
UNUSABLE: Final = "an answer that is {kind}"


@dataclass(frozen=True, slots=True)
class StageRequest:
    """`latest` is a report, whose answers lie beside it; `answers` alone are of `suite`."""

    out: Path
    suite: str
    latest: Path | None = None
    answers: Path | None = None
    gold_set: Path | None = None


def _source(request: StageRequest) -> tuple[Suite, Path]:
    """The suite, and the file of its answers; raises BadInput when they are not the report's."""
    if request.latest is None:
        if request.answers is None:
            raise BadInput("neither --latest nor --answers", where="candidates stage")
        return find_suite(request.suite), request.answers
    report = load_report(request.latest)
    path = request.answers or answers_path(request.latest)
    if report.answers_sha256 is None or not path.exists():
        raise BadInput(
            "the report's answers are not there, and it does not hold them itself",
            where=path,
            next_step="evaluate again, or give the answers with --answers alone",
        )
    if hashlib.sha256(read_bytes(path, MAX_LINES_BYTES)).hexdigest() != report.answers_sha256:
        raise BadInput(
            "are not the answers of this report (answers_sha256 differs)",
            where=path,
            next_step="evaluate again, or give the answers with --answers alone",
        )
    return find_suite(report.benchmark), path


def run_candidates_stage(request: StageRequest, settings: Settings, console: Console) -> int:
    """Write a record a candidate; 0. Raises BadInput, with nothing written, for bad answers."""
    suite, path = _source(request)
    task = suite.load_task()
    gold_set = load_task_gold_set(request.gold_set or settings.of(suite).gold_set, task)
    conversations = {c.conversation_id: c for c in gold_set.conversations}
    staging = Staging()
    for name, predicted in load_predictions(path).items():
        conversation = conversations.get(name)
        if conversation is None:
            raise BadInput(
                f"conversation {name!r} is not in the gold set",
                where=path,
                next_step="name the gold set they belong to with --gold-set",
            )
        indexes = conversation.turn_indexes
        raw = predicted.raw
        if raw is None:
            raw = json.dumps(complete_answer(predicted.answer, indexes))
        judged = judge_answer(raw, task)
        if isinstance(judged, Failure):
            staging.left_out[UNUSABLE.format(kind=judged.kind)] += 1
        else:
            staging += _STAGERS[suite.name](conversation, judged)
    store = CandidateStore(request.out)
    for record in staging.records:
        store.add(record)
    console.say(f"{request.out}: {len(staging.records)} candidates staged from {path}")
    for why, count in sorted(staging.left_out.items()):
        console.say(f"  left out: {count} {why}")
    return 0
