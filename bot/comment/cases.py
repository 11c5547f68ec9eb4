"""What got worse and better, case by case."""

from dataclasses import dataclass
from typing import Final

from bot.evaluation.cases import Case, CaseMemory
from bot.evaluation.report import Report

_WHAT: Final = {
    "missed": "missed",
    "invented": "invented",
    "labels": "wrong labels",
    "time": "wrong time",
    "contradicts": "contradicts",
    "kind": "wrong kind",
    "evidence": "evidence not found",
    "reference": "entries not there",
}


@dataclass(frozen=True, slots=True)
class CaseChange:
    """One line of a case table; the texts are untrusted."""

    conversation_id: str
    turn_index: int
    what: str
    expected: str
    predicted: str
    detail: str


@dataclass(frozen=True, slots=True)
class CaseGroup:
    title: str
    changes: tuple[CaseChange, ...]


def _memory_text(memory: CaseMemory | None, kind: str) -> str:
    if memory is None:
        return ""
    text = f"{memory.content} [{', '.join(memory.labels)}]"
    if kind == "time":
        start = f" from {memory.valid_from}" if memory.valid_from else ""
        text += start + (f" until {memory.valid_until}" if memory.valid_until else " without end")
    return text


def _change(case: Case) -> CaseChange:
    return CaseChange(
        conversation_id=case.conversation_id,
        turn_index=case.turn_index,
        what=_WHAT[case.kind],
        expected=_memory_text(case.expected, case.kind),
        predicted=_memory_text(case.predicted, case.kind),
        detail=case.detail,
    )


def _group(title: str, cases: list[Case]) -> CaseGroup:
    return CaseGroup(title, tuple(_change(case) for case in cases))


def group_cases(report: Report | None, base: Report | None) -> list[CaseGroup]:
    """The report's cases; with a base report, what is new in it and what is gone since."""
    if report is None:
        return []
    if base is None:
        groups = [_group("What is wrong, case by case", list(report.cases))]
    else:
        before, now = set(base.cases), set(report.cases)
        groups = [
            _group("What got worse", [case for case in report.cases if case not in before]),
            _group("What got better", [case for case in base.cases if case not in now]),
            _group("Wrong before and now", [case for case in report.cases if case in before]),
        ]
    return [group for group in groups if group.changes]
