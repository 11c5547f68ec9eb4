"""Procedures on whole numbers and probabilities; standard library only."""

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Final

_NORMAL: Final = NormalDist()


def normal_quantile(probability: float) -> float:
    """The standard normal value below which `probability` lies."""
    return _NORMAL.inv_cdf(probability)


def normal_cdf(value: float) -> float:
    return _NORMAL.cdf(value)


def wilson(share: float, n: float, level: float) -> tuple[float, float]:
    """Wilson's score interval of a share out of `n` trials; `n` may be an effective size.

    Unlike an estimate plus or minus its error it has a width at 0 and 1 too. Wilson 1927, JASA 22.
    """
    z2 = normal_quantile(0.5 + level / 2) ** 2
    middle = share + z2 / (2 * n)
    spread = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    low, high = ((middle + side * spread) / (1 + z2 / n) for side in (-1, 1))
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding, at 0 and 1


def mcnemar(fell: int, rose: int) -> float:
    """Two-sided exact p of McNemar's test: would a fair coin split the discordant pairs so?

    `fell` pairs were right before only, `rose` after only. Without a discordant pair 1.0.
    """
    n = fell + rose
    if not n:
        return 1.0
    tail = sum(math.comb(n, k) for k in range(min(fell, rose) + 1))
    return min(1.0, 2 * tail / int(2**n))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values that hold the rate of any false alarm together (Holm 1979)."""
    adjusted: dict[str, float] = {}
    greatest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        greatest = max(greatest, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = greatest
    return adjusted
