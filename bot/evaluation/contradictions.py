"""Whether two texts contradict each other, so that they cannot be one fact (CONTRACTS section 3).

Texts that share almost all their words may still say opposite things: another weekday, date, clock
time or number, or a negation on one side. A text that says more or less is no contradiction: each
side must hold a value that is compatible with none of the other's.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from bot.evaluation.calendar_names import MONTHS, WEEKDAY_NAMES, WEEKDAYS, find_weekdays
from bot.evaluation.dates import CLOCK_WORDS, NAMED_TIMES, ClockTime, Date, take_dates, take_times
from bot.evaluation.negation import (
    NEGATION_CONTEXT,
    NEGATIONS,
    SOFT_NEGATIONS,
    negation,
    softens_negation,
)
from bot.evaluation.quantities import (
    NUMBER_WORDS,
    SCALE_WORDS,
    Number,
    find_numbers,
    plain_number,
    year_of,
)
from bot.evaluation.text import Text, join_parts, read_text

V = TypeVar("V", bound=Number | ClockTime)
Clash = tuple[str, str] | None  # what each side says, as a reader is shown it

_MOST_DATES: Final = 40
# The words that what is compared can depend on, beside those with a digit.
_OF_INTEREST: Final = frozenset(
    {*WEEKDAYS, *MONTHS, *NAMED_TIMES, *CLOCK_WORDS, *NUMBER_WORDS, *SCALE_WORDS}
    | {*NEGATIONS, *SOFT_NEGATIONS, *NEGATION_CONTEXT, "feira"}
)
# With these a text says more than its digits.
_BESIDE_NUMBERS: Final = frozenset(
    {*MONTHS, *NAMED_TIMES, *CLOCK_WORDS, *SCALE_WORDS, *NUMBER_WORDS}
)


class Facts(NamedTuple):
    """What a text says that another text can contradict."""

    weekdays: frozenset[int] = frozenset()
    dates: Sequence[Date] = ()  # bare years too
    times: Sequence[ClockTime] = ()
    numbers: Sequence[Number] = ()


class Denial(NamedTuple):
    """The negation of a text, if any; `is_soft`: it may deny with another word than a negation."""

    negation: str | None = None
    is_soft: bool = False


NO_FACTS: Final = Facts()
NO_DENIAL: Final = Denial()


def _quantities(
    folded: str, words: list[str], key: list[str]
) -> tuple[list[Date], list[ClockTime], list[Number]]:
    """Dates, times and numbers; a bare year is a date and a number."""
    dates: list[Date] = []
    times: list[ClockTime] = []
    written = [word for word in key if not word.isalpha()]
    if folded.isascii() and "-" not in folded and _BESIDE_NUMBERS.isdisjoint(key):
        is_plain = not written or "".join(written).isdecimal()  # the usual case
    else:
        is_plain = False
    if is_plain:
        numbers = [plain_number(digits) for digits in written]
    else:
        dates, rest = take_dates(folded, key)
        times, rest = take_times(rest, key)
        numbers = find_numbers(rest, words)
    for number in numbers:
        if year := year_of(number):
            dates.append(Date(number.shown, year))
    # dates are compared each with each, and a text with so many is no single fact
    return dates if len(dates) <= _MOST_DATES else [], times, numbers


class Claims:
    """What a text says that another can contradict; each part is read when it is first asked for.

    `key`: the words that decide, in order. Where two texts have the same ones, neither contradicts
    the other; where one has none, only a negation in the other matters.
    """

    __slots__ = ("_denial", "_facts", "key", "text")

    def __init__(self, text: Text) -> None:
        self.text = text
        self.key = _deciding_words(text)
        self._facts: Facts | None = None
        self._denial: Denial | None = None

    @property
    def facts(self) -> Facts:
        """The weekdays, dates, times and numbers of the text."""
        if self._facts is None:
            self._facts = _read_facts(self.text, self.key) if self.key else NO_FACTS
        return self._facts

    @property
    def denial(self) -> Denial:
        """Its negation, and whether it may deny without one."""
        if self._denial is None:
            folded, words, _ = self.text
            self._denial = (
                Denial(negation(folded, words), softens_negation(words)) if self.key else NO_DENIAL
            )
        return self._denial


def _deciding_words(text: Text) -> list[str]:
    folded, words, normalised = text
    if not folded.isascii():
        return words
    if _OF_INTEREST.isdisjoint(words) and normalised.replace(" ", "").isalpha():
        return []
    return [word for word in words if word in _OF_INTEREST or not word.isalpha()]


def _read_facts(text: Text, key: list[str]) -> Facts:
    folded = join_parts(text.folded)
    return Facts(find_weekdays(folded, key), *_quantities(folded, text.words, key))


def _clash(
    a: Sequence[V], b: Sequence[V], *, implied: tuple[Sequence[V], Sequence[V]] = ((), ())
) -> tuple[V, V] | None:
    """A value on each side that shares no reading with the other's, nor with what those imply."""
    if not a or not b:
        return None
    lone_a = _first_without(a, [*b, *implied[1]])
    if lone_a is None:
        return None
    lone_b = _first_without(b, [*a, *implied[0]])
    return None if lone_b is None else (lone_a, lone_b)


def _first_without(mine: Sequence[V], theirs: Sequence[V]) -> V | None:
    readings: set[str | int] = set()
    for value in theirs:
        readings |= value.readings
    return next((value for value in mine if readings.isdisjoint(value.readings)), None)


def _implied_numbers(facts: Facts, other: Facts) -> Sequence[Number]:
    """Numbers within dates and times, which a bare number of the other text may mean.

    "at 3" does not deny "at 3 pm"; but where both give a time, their other numbers are compared
    among themselves.
    """
    if not facts.dates and not facts.times:
        return ()
    implied = [date.year for date in facts.dates]
    if not other.dates:
        implied += [part for date in facts.dates for part in (date.month, date.day)]
    if not other.times:
        minutes = [reading for time in facts.times for reading in time.readings]
        implied += [hour for m in minutes for hour in (m % 1440 // 60, m % 720 // 60 or 12)]
    return [Number(str(n), frozenset((str(n),))) for n in implied if n is not None]


def _weekday_clash(a: Facts, b: Facts) -> Clash:
    only_a, only_b = a.weekdays - b.weekdays, b.weekdays - a.weekdays
    if not only_a or not only_b:
        return None
    return WEEKDAY_NAMES[min(only_a)], WEEKDAY_NAMES[min(only_b)]


def _date_clash(a: Facts, b: Facts) -> Clash:
    if not a.dates or not b.dates:
        return None
    lone_a = next((x for x in a.dates if not any(map(x.agrees_with, b.dates))), None)
    lone_b = next((x for x in b.dates if not any(map(x.agrees_with, a.dates))), None)
    return (lone_a.shown, lone_b.shown) if lone_a and lone_b else None


def _time_clash(a: Facts, b: Facts) -> Clash:
    times = _clash(a.times, b.times)
    return times and (times[0].shown, times[1].shown)


def _number_clash(a: Facts, b: Facts) -> Clash:
    if not a.numbers or not b.numbers:
        return None
    implied = (_implied_numbers(a, b), _implied_numbers(b, a))
    numbers = _clash(a.numbers, b.numbers, implied=implied)
    return numbers and (numbers[0].shown, numbers[1].shown)


def _negation_clash(a: Denial, b: Denial) -> Clash:
    if bool(a.negation) == bool(b.negation) or (b if a.negation else a).is_soft:
        return None
    return a.negation or "no negation", b.negation or "no negation"


_CLASHES: Final[tuple[tuple[str, Callable[[Facts, Facts], Clash]], ...]] = (
    ("weekday", _weekday_clash),
    ("date", _date_clash),
    ("time", _time_clash),
    ("number", _number_clash),
)


def find_contradiction(a: Claims, b: Claims) -> str | None:
    """Why two texts cannot both be right about one fact, in words; None when they can."""
    if a.key == b.key:
        return None
    if a.key and b.key:
        for kind, clash in _CLASHES:
            values = clash(a.facts, b.facts)
            if values is not None:
                return f"{kind}: {values[0]} against {values[1]}"
    denials = _negation_clash(a.denial, b.denial)
    return denials and f"negation: {denials[0]} against {denials[1]}"


def contradiction(a: str, b: str) -> str | None:
    """Why two texts contradict each other, in words ("weekday: monday against tuesday"), or None.

    Whether there is a contradiction does not depend on the order of the two; texts that are equal
    after normalisation never contradict.
    """
    return find_contradiction(Claims(read_text(a)), Claims(read_text(b)))
