"""Whether a confidence is the chance of being right: Brier score, calibration error, reliability.

Ungated. A memory is right when it is paired with a gold memory; a label of it when that gold memory
has the label. Confidences fall into ten bins of equal width, the last of which holds 1.0. The
expected calibration error is the mean distance of a bin's share of right ones from its mean
confidence, weighted by the bin's size (Guo et al. 2017, "On Calibration of Modern Neural
Networks", section 2); the Brier score is the mean squared distance of single confidences.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

BINS: Final = 10
MAX_DISTINCT: Final = 1_000
OVERALL: Final = "overall"
LABELS: Final = "labels"


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Confidences from `low` up to `high`: how many, their mean, and the share that was right; the
    last two None in an empty bin. All but `count` are fractions."""

    low: float
    high: float
    count: int
    confidence: float | None
    right: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Of `count` confidences; `brier` and `ece` are fractions, 0 the best."""

    count: int
    brier: float
    ece: float
    bins: tuple[ReliabilityBin, ...]


@dataclass(slots=True)
class CalibrationTally:
    """How often each confidence was said, right and wrong; models say few different ones.

    When there are many they are folded into their bins, so memory does not grow with what is added.
    """

    seen: dict[tuple[float, bool], int] = field(default_factory=dict)
    squares: float = 0.0
    counts: list[int] = field(default_factory=lambda: [0] * BINS)
    confidences: list[float] = field(default_factory=lambda: [0.0] * BINS)
    rights: list[int] = field(default_factory=lambda: [0] * BINS)

    def add(self, confidence: float, right: bool) -> None:  # noqa: FBT001 - the inner loop
        key = confidence, right
        self.seen[key] = self.seen.get(key, 0) + 1
        if len(self.seen) > MAX_DISTINCT:
            self._fold()

    def add_all(self, other: "CalibrationTally") -> None:
        for key, count in other.seen.items():
            self.seen[key] = self.seen.get(key, 0) + count
        self.squares += other.squares
        for i in range(BINS):
            self.counts[i] += other.counts[i]
            self.confidences[i] += other.confidences[i]
            self.rights[i] += other.rights[i]
        if len(self.seen) > MAX_DISTINCT:
            self._fold()

    def _fold(self) -> None:
        for (confidence, right), count in self.seen.items():
            place = min(int(confidence * BINS), BINS - 1)
            self.counts[place] += count
            self.confidences[place] += count * confidence
            self.rights[place] += count * right
            self.squares += count * (confidence - right) ** 2
        self.seen.clear()

    def result(self) -> Calibration | None:
        """None when nothing was added."""
        self._fold()
        total = sum(self.counts)
        if not total:
            return None
        gaps = sum(abs(a - b) for a, b in zip(self.rights, self.confidences, strict=True))
        bins = tuple(
            ReliabilityBin(
                low=i / BINS,
                high=(i + 1) / BINS,
                count=count,
                confidence=confidence / count if count else None,
                right=right / count if count else None,
            )
            for i, (count, confidence, right) in enumerate(
                zip(self.counts, self.confidences, self.rights, strict=True)
            )
        )
        return Calibration(total, self.squares / total, gaps / total, bins)


@dataclass(slots=True)
class Confidences:
    """Tallies by name: `overall`, and each label's own."""

    tallies: dict[str, CalibrationTally] = field(default_factory=dict)

    def add_all(self, others: Mapping[str, CalibrationTally]) -> None:
        for name, other in others.items():
            self.tally(name).add_all(other)

    def results(self) -> dict[str, Calibration]:
        """Also of all labels together, as `labels`."""
        labels = CalibrationTally()
        for name, tally in self.tallies.items():
            if name != OVERALL:
                labels.add_all(tally)
        tallies = {**self.tallies, LABELS: labels}
        found = {name: tally.result() for name, tally in tallies.items()}
        return {name: one for name, one in found.items() if one is not None}

    def tally(self, name: str) -> CalibrationTally:
        known = self.tallies.get(name)
        if known is None:
            known = self.tallies[name] = CalibrationTally()
        return known
