"""Whether two texts contradict each other, so that they cannot be one fact (CONTRACTS section 3).

Texts that share almost all their words may still say opposite things: another weekday, date, clock
time or number, or a negation on one side. A text that says more or less is no contradiction: each
side must hold a value that is compatible with none of the other's.
"""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

from bot.evaluation.calendar_names import MONTHS, WEEKDAY_NAMES, WEEKDAYS, find_weekdays
from bot.evaluation.dates import NAMED_TIMES, ClockTime, Date, take_dates, take_times
from bot.evaluation.negation import NEGATIONS, SOFT_NEGATIONS, negation, softens_negation
from bot.evaluation.quantities import NUMBER_WORDS, Number, find_numbers
from bot.evaluation.text import Text, read_text

V = TypeVar("V")

# A text with none of these words and without a digit has no facts to compare.
_OF_INTEREST: Final = frozenset(
    {*WEEKDAYS, *MONTHS, *NAMED_TIMES, *NUMBER_WORDS, *NEGATIONS, *SOFT_NEGATIONS, "plus", "feira"}
)
_DIGITS: Final = frozenset("0123456789")


class Facts(NamedTuple):
    """What a text says that another text can contradict."""

    weekdays: frozenset[int] = frozenset()
    dates: tuple[Date, ...] = ()
    times: tuple[ClockTime, ...] = ()
    numbers: tuple[Number, ...] = ()
    negation: str | None = None
    has_soft_negation: bool = False


NO_FACTS: Final = Facts()


def read_facts(text: Text) -> Facts:
    """The weekdays, dates, times, numbers and the negation of a text."""
    folded, words, _ = text
    has_digit = not _DIGITS.isdisjoint(folded)
    if not has_digit and folded.isascii() and _OF_INTEREST.isdisjoint(words):
        return NO_FACTS
    dates, rest = take_dates(folded, words)
    times, rest = take_times(rest, words)
    numbers = find_numbers(rest, words)
    return Facts(
        weekdays=find_weekdays(folded, words),
        dates=tuple(dates),
        times=tuple(times),
        numbers=tuple(numbers),
        negation=negation(folded, words),
        has_soft_negation=softens_negation(words),
    )


def _first_without(mine: Iterable[V], theirs: Iterable[V], agree: Callable[[V, V], bool]) -> V | None:
    """The first of my values that agrees with none of theirs."""
    return next((a for a in mine if not any(agree(a, b) for b in theirs)), None)


def _clash(
    mine: Iterable[V], theirs: Iterable[V], agree: Callable[[V, V], bool]
) -> tuple[V, V] | None:
    """A value on each side that agrees with none of the other's."""
    if not mine or not theirs:
        return None
    a = _first_without(mine, theirs, agree)
    if a is None:
        return None
    b = _first_without(theirs, mine, agree)
    return None if b is None else (a, b)


def _share_reading(a: Number | ClockTime, b: Number | ClockTime) -> bool:
    return not a.readings.isdisjoint(b.readings)
