"""What a suite is called in what people read. Standard library only, as the suites themselves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SuiteWords:
    """`labels` are the rows of the label table, headed `label`; `gold` heads their support.

    `headlines` are the metrics that stand for a provider, each with its column's head.
    """

    title: str
    labels: tuple[str, ...]
    label: str
    gold: str
    headlines: tuple[tuple[str, str], ...]
