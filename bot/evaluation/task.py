"""A task: what a suite asks of a model, and how its answers are scored.

Everything else in the evaluation (gold sets, cassettes, providers, reports) passes gold and
predictions on without looking into them. A task is one module in `bot.evaluation.tasks`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from bot.evaluation.calibration import CalibrationTally
from bot.evaluation.cases import Case
from bot.evaluation.counts import LabelledCounts, Metrics
from bot.evaluation.formulas import Formulas
from bot.evaluation.gold_set import ConversationRow, GoldConversation
from bot.evaluation.matching import DEFAULT_THRESHOLD, Labelled
from bot.evaluation.outcome import Failure

Prediction = Any
"""What a model said of one conversation, in the task's own type; opaque elsewhere."""


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """`threshold`: the least similarity (a fraction) of a pair; contradictions are not paired."""

    threshold: float = DEFAULT_THRESHOLD
    allow_contradictions: bool = False


Group = tuple[int, Sequence[Labelled], Sequence[Labelled]]
"""What is paired with each other: a turn's index, the gold and the predicted items."""

Counts_co = TypeVar("Counts_co", bound=LabelledCounts, covariant=True)


@dataclass(frozen=True)
class Scored(Generic[Counts_co]):
    """The result of a scoring: sums, what went wrong, and how many conversations were seen.

    `confidences` by what they are of; empty for a task that has none.
    """

    counts: Counts_co
    cases: tuple[Case, ...]
    conversation_count: int
    confidences: Mapping[str, CalibrationTally] = field(default_factory=dict)


class Scorer(Protocol):
    """Takes one conversation after the other, in any order; the sums do not depend on it."""

    def add(self, conversation: GoldConversation, prediction: Prediction) -> None: ...

    def result(self) -> Scored[LabelledCounts]: ...


@dataclass(frozen=True, slots=True)
class Task:
    """`name` is the benchmark's; `answer` is the pydantic model of a model's whole answer."""

    name: str
    gated_metrics: tuple[str, ...]
    expected_file: str
    answer: type[BaseModel]
    nothing: Prediction
    """The prediction of a model that found nothing."""

    load_expected: Callable[[bytes, Path, Sequence[ConversationRow]], Mapping[str, Any]]
    """The gold of each conversation by its id; raises BadInput."""

    predict: Callable[[Any, frozenset[int] | None], Prediction | Failure]
    """An `answer`, and the turns that were asked (None: not checked) → a prediction."""

    to_answer: Callable[[Prediction], dict[str, Any]]
    """A prediction as the JSON object of an `answer`."""

    oracle: Callable[[GoldConversation], Prediction]
    """The right prediction, for oracle-aligned cassettes."""

    groups: Callable[[GoldConversation, Prediction], Iterator[Group]]
    """What the scorer pairs, for an audit of the pairing."""

    new_scorer: Callable[[ScoringRules], Scorer]
    compute_metrics: Callable[[Any], Metrics]
    formulas: Formulas
    """The same metrics over columns of counts, for `bot.statistics`."""

    counts: type[LabelledCounts]
    facts: Callable[[Sequence[GoldConversation]], dict[str, Any]]
    """The manifest's counts of a gold set."""

    floor: Callable[[GoldConversation], Prediction]
    """What plain rules answer: the provider `keyword`."""
