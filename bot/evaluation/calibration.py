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


def _zeros() -> list[float]:
    return [0.0] * BINS


@dataclass(slots=True)
class CalibrationTally:
    """Running sums by bin: memory does not grow with what is added."""

    squares: float = 0.0
    counts: list[float] = field(default_factory=_zeros)
    confidences: list[float] = field(default_factory=_zeros)
    rights: list[float] = field(default_factory=_zeros)

    def add(self, confidence: float, right: int) -> None:
        """`right` is 1 or 0."""
        place = min(int(confidence * BINS), BINS - 1)
        self.counts[place] += 1
        self.confidences[place] += confidence
        self.rights[place] += right
        self.squares += (confidence - right) ** 2

    def add_all(self, other: "CalibrationTally") -> None:
        self.squares += other.squares
        for mine, theirs in (
            (self.counts, other.counts),
            (self.confidences, other.confidences),
            (self.rights, other.rights),
        ):
            for i, value in enumerate(theirs):
                mine[i] += value

    def result(self) -> Calibration | None:
        """None when nothing was added."""
        total = sum(self.counts)
        if not total:
            return None
        gaps = sum(abs(a - b) for a, b in zip(self.rights, self.confidences, strict=True))
        bins = tuple(
            ReliabilityBin(
                low=i / BINS,
                high=(i + 1) / BINS,
                count=int(count),
                confidence=confidence / count if count else None,
                right=right / count if count else None,
            )
            for i, (count, confidence, right) in enumerate(
                zip(self.counts, self.confidences, self.rights, strict=True)
            )
        )
        return Calibration(int(total), self.squares / total, gaps / total, bins)


@dataclass(slots=True)
class Confidences:
    """Tallies by name: `overall`, `labels` (of all labels), and each label's own."""

    tallies: dict[str, CalibrationTally] = field(default_factory=dict)

    def add(self, name: str, confidence: float, right: int) -> None:
        self._tally(name).add(confidence, right)

    def add_all(self, others: Mapping[str, CalibrationTally]) -> None:
        for name, other in others.items():
            self._tally(name).add_all(other)

    def results(self) -> dict[str, Calibration]:
        found = {name: tally.result() for name, tally in self.tallies.items()}
        return {name: one for name, one in found.items() if one is not None}

    def _tally(self, name: str) -> CalibrationTally:
        return self.tallies.setdefault(name, CalibrationTally())
