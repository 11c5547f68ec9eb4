"""Counts by conversation as a matrix, and metrics of many sums at once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bot.errors import BadInput
from bot.evaluation.conversation_counts import ConversationCounts
from bot.evaluation.formulas import Formula, Formulas, MacroAverage, Ratio

Floats = NDArray[np.float64]
_DRAWS_AT_ONCE: Final = 4_000_000  # some 32 MB, however many conversations there are


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A row a conversation, in the order of `ids`; a column a count."""

    ids: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Floats

    @classmethod
    def of(cls, counts: ConversationCounts) -> Self:
        """Rows by id, so that two tables of the same conversations are aligned."""
        rows = dict(zip(counts.rows, counts.numbers(), strict=True))
        ids = tuple(sorted(rows))
        matrix = np.array([rows[name] for name in ids], dtype=np.float64)
        return cls(ids, counts.columns, matrix.reshape(len(ids), len(counts.columns)))

    @property
    def total(self) -> Floats:
        total: Floats = self.counts.sum(axis=0, keepdims=True)
        return total


@dataclass(frozen=True, slots=True, eq=False)
class Scorer:
    """Formulas bound to the columns of a table."""

    columns: tuple[str, ...]
    formulas: Formulas
    _ratios: tuple[str, ...]
    _right: Floats
    _of: Floats
    _zero_if: Floats

    @classmethod
    def bind(cls, columns: tuple[str, ...], formulas: Formulas) -> Self:
        """Raises BadInput when the counts lack a column of a formula."""
        place = {column: i for i, column in enumerate(columns)}
        ratios = {name: f for name, f in formulas.items() if isinstance(f, Ratio)}

        def selection(parts: Iterable[tuple[str, ...]]) -> Floats:
            chosen = np.zeros((len(columns), len(ratios)))
            for i, part in enumerate(parts):
                for column in part:
                    if column not in place:
                        raise BadInput(f"the counts have no {column!r}", next_step="evaluate again")
                    chosen[place[column], i] += 1
            return chosen

        return cls(
            columns,
            formulas,
            tuple(ratios),
            selection(ratio.right for ratio in ratios.values()),
            selection(ratio.of for ratio in ratios.values()),
            selection(ratio.zero_if for ratio in ratios.values()),
        )

    def parts(self, counts: Floats) -> dict[str, tuple[Floats, Floats, Floats]]:
        """Ratio → numerators, denominators and `zero_if` of each row of counts."""
        stacked = counts @ self._right, counts @ self._of, counts @ self._zero_if
        return {
            name: (stacked[0][:, i], stacked[1][:, i], stacked[2][:, i])
            for i, name in enumerate(self._ratios)
        }

    def metrics(self, sums: Floats) -> dict[str, Floats]:
        """Each metric of each row of sums, fractions; NaN where it is undefined."""
        right, of = sums @ self._right, sums @ self._of
        empty = np.where(sums @ self._zero_if > 0, 0.0, np.nan)
        values = np.where(of > 0, right / np.where(of > 0, of, 1.0), empty)
        found: dict[str, Floats] = {name: values[:, i] for i, name in enumerate(self._ratios)}
        return {name: _value(formula, name, found) for name, formula in self.formulas.items()}

    def members(self, name: str) -> tuple[str, ...]:
        """The ratios that a metric is made of; of a ratio itself."""
        formula = self.formulas[name]
        return formula.of if isinstance(formula, MacroAverage) else (name,)


def _value(formula: Formula, name: str, ratios: Mapping[str, Floats]) -> Floats:
    if isinstance(formula, Ratio):
        return ratios[name]
    stacked = np.stack([ratios[member] for member in formula.of])
    defined = ~np.isnan(stacked)
    count = defined.sum(axis=0)
    total = np.where(defined, stacked, 0.0).sum(axis=0)
    mean: Floats = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def resample_weights(n: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each of `n` conversations is drawn in each resample, a block of rows at a time."""
    random = np.random.default_rng(seed)
    block = max(1, _DRAWS_AT_ONCE // n)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = random.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        weights = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        yield weights.astype(np.float64)
