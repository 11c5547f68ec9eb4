"""What a change of scores comes from: edited gold, another prompt or schema, another model.

The old answers are scored anew by the new gold: what that changes, the gold did. What is left is
the answers' doing, step by step where reports between the two are given. Every part is of the same
conversations, so the parts add up to the whole. The gold's part is measured on the old answers;
on the new ones it could be another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.evaluation.counts import LabelledCounts, Metrics
from bot.evaluation.gold_set import GoldConversation
from bot.evaluation.rescoring import rescore
from bot.evaluation.task import Prediction, Scored, ScoringRules, Task

GOLD: Final = "edited gold"
CONTRACT: Final = "another prompt or schema"
MODEL: Final = "another model"
BOTH: Final = "another model and another prompt or schema, not told apart by these reports"
AGAIN: Final = "the same model, prompt and schema asked again"


@dataclass(frozen=True, slots=True)
class Measurement:
    """Answers by conversation, and what they were asked of and under."""

    answers: Mapping[str, Prediction]
    model: str
    contract: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Part:
    """What one cause changes: metric → points, None where it is undefined before or after."""

    cause: str
    points: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Attribution:
    """`left_out`: conversations not on both sides; `fell` and `rose` were right and wrong by the
    new gold, whose every edit counts as `GOLD` alone."""

    conversations: int
    left_out: tuple[str, ...]
    before: Metrics
    after: Metrics
    parts: tuple[Part, ...]
    fell: tuple[str, ...]
    rose: tuple[str, ...]

    @property
    def is_confounded(self) -> bool:
        """Gold and contract changed together."""
        causes = {part.cause for part in self.parts}
        return GOLD in causes and bool(causes & {CONTRACT, BOTH})


def cause_of(before: Measurement, after: Measurement) -> str:
    """Why answers of the same conversations differ."""
    is_other_model = before.model != after.model
    is_other_contract = before.contract != after.contract
    if is_other_model and is_other_contract:
        return BOTH
    if is_other_model:
        return MODEL
    return CONTRACT if is_other_contract else AGAIN


def attribute(
    task: Task,
    old_gold: Sequence[GoldConversation],
    new_gold: Sequence[GoldConversation],
    measurements: Sequence[Measurement],
    rules: ScoringRules,
) -> Attribution:
    """`measurements` from the oldest to the newest, at least two."""
    old, new = ({c.conversation_id: c for c in gold} for gold in (old_gold, new_gold))
    sides = [set(old), set(new), *(set(one.answers) for one in measurements)]
    shared, known = sorted(set.intersection(*sides)), set.union(*sides)

    def scored(gold: Mapping[str, GoldConversation], one: Measurement) -> Scored[LabelledCounts]:
        return rescore(task, (gold[name] for name in shared), one.answers, rules)

    steps = [scored(new, one) for one in measurements]
    metrics = [task.compute_metrics(step.counts) for step in steps]
    before = task.compute_metrics(scored(old, measurements[0]).counts)
    parts = []
    if any(old[name] != new[name] for name in shared):
        parts.append(Part(GOLD, _points(before, metrics[0])))
    for i in range(1, len(measurements)):
        cause = cause_of(measurements[i - 1], measurements[i])
        parts.append(Part(cause, _points(metrics[i - 1], metrics[i])))
    was_wrong, is_wrong = ({case.conversation_id for case in steps[i].cases} for i in (0, -1))
    return Attribution(
        conversations=len(shared),
        left_out=tuple(sorted(known - set(shared))),
        before=before,
        after=metrics[-1],
        parts=tuple(parts),
        fell=tuple(sorted(is_wrong - was_wrong)),
        rose=tuple(sorted(was_wrong - is_wrong)),
    )


def _points(before: Metrics, after: Metrics) -> dict[str, float | None]:
    points: dict[str, float | None] = {}
    for name, new in after.items():
        old = before[name]
        points[name] = None if old is None or new is None else (new - old) * 100
    return points
