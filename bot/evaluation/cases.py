"""What went wrong, case by case, for a reader who wants to know why a score fell."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

CaseKind = Literal["missed", "invented", "labels", "time", "contradicts"]


class CaseMemory(BaseModel):
    """What a reader of a case needs of a memory; times as ISO 8601 text."""

    model_config = ConfigDict(frozen=True)

    content: str
    labels: tuple[str, ...]
    valid_from: str | None = None
    valid_until: str | None = None


class Case(BaseModel):
    """One thing that went wrong: a gold memory, a prediction, or a pair that disagrees."""

    model_config = ConfigDict(frozen=True)

    conversation_id: str
    turn_index: int
    kind: CaseKind
    expected: CaseMemory | None = None
    predicted: CaseMemory | None = None
    detail: str = ""
