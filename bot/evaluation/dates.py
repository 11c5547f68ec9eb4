"""Reads dates and clock times out of a text (CONTRACTS section 3, contradictions).

A date may be partial: two dates agree where both say something. Day and month names are those of
`bot.evaluation.calendar_names`.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

from bot.evaluation.calendar_names import MONTHS, MONTHS_BESIDE_NUMBERS_ONLY
from bot.evaluation.text import word_set

_PM: Final = 1440  # added to a minute of the day: "said as so much past noon on a 12-hour clock"


class Date(NamedTuple):
    """A date as far as the text gives it; `shown` is how it was written.

    `is_ambiguous`: 5/9/2026 may be May or September; `month` and `day` hold the day-first reading.
    """

    shown: str
    year: int | None
    month: int | None = None
    day: int | None = None
    is_ambiguous: bool = False

    def readings(self) -> list[tuple[int | None, int | None, int | None]]:
        first = (self.year, self.month, self.day)
        return [first, (self.year, self.day, self.month)] if self.is_ambiguous else [first]

    def agrees_with(self, other: "Date") -> bool:
        """Whether both can be one date; two ambiguous ones only when they are written alike."""
        if self.is_ambiguous and other.is_ambiguous:
            return self[1:] == other[1:]
        return any(
            all(a == b or a is None or b is None for a, b in zip(mine, theirs, strict=True))
            for mine in self.readings()
            for theirs in other.readings()
        )


class ClockTime(NamedTuple):
    """A time of day. `readings`: minutes since midnight, and tokens of a 12-hour clock."""

    shown: str
    readings: frozenset[int]


T = TypeVar("T", Date, ClockTime)
NOON: Final = 12 * 60
_NAMED_TIMES: Final = {
    "noon": frozenset((NOON, NOON + _PM)),
    "midday": frozenset((NOON, NOON + _PM)),
    "midnight": frozenset((0,)),
}
NAMED_TIMES: Final = frozenset(_NAMED_TIMES)
CLOCK_WORDS: Final = word_set("am pm p uhr oclock")  # beside a number they make it a clock time

_IN_DIGITS: Final = re.compile(r"\d[-/.]\d")
_ISO: Final = re.compile(r"(\d{4})(?<!\d\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_YEAR_MONTH: Final = re.compile(r"(\d{4})(?<![\d-]\d{4})-(\d{2})(?![\d-])")
_NUMERIC: Final = re.compile(
    r"(\d(?<![\d.,/-]\d)\d?)([-/.])(\d{1,2})\2(\d{4}|(?<=/)\d{2})(?![\d/]|[.,-]\d)"
)
_LONGEST_BEFORE: Final = 12  # characters looked at: "since", "during" and a space
_BEFORE_MONTH: Final = re.compile(
    r"\b(?:in|since|until|till|by|from|this|next|last|every|of|during|early|late|mid)[\s-]+$"
)
_HAN_NUMBER: Final = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_EAST_ASIAN: Final = re.compile(
    rf"(?:(\d{{4}})\s?[年년]\s?)?(?<![\d.])({_HAN_NUMBER})\s?[月월](?:\s?({_HAN_NUMBER})\s?[日号號일])?"
    r"|(\d{4})\s?[年년]"
)
_VIETNAMESE: Final = re.compile(
    r"(?:\b(\d{1,2})\s)?\b(?:tháng|thg)\s(\d{1,2})\b(?:(?:\snăm\s|/)(\d{4})\b)?"
)
_HAN_DIGITS: Final = "零一二三四五六七八九"

_HAS_CLOCK: Final = re.compile(r"\d(?::\d|\s?(?:[ap]\.?m|uhr|h|oclock))")
_TWELVE_HOURS: Final = re.compile(
    r"(\d(?<![\d.,:/]\d)\d?)(?:[:.](\d{2}))?\s?([ap])\.?m(?![a-z])\.?"
)
_CLOCK: Final = re.compile(
    r"(\d(?<![\d.,:/]\d)\d?)"
    r"(?::(\d{2})(?::\d{2})?(?!\d)(?:\s?(uhr))?|(?:\.(\d{2}))?\s?(uhr)|(h)(\d{2})?(?![a-z0-9])|\s?oclock)"
)
_EAST_ASIAN_CLOCK: Final = re.compile(
    r"(午前|上午|早上|오전|午後|下午|晚上|오후)?\s?(\d{1,2})\s?[時时点點시](?![間间]|간)"
    r"(?:\s?(\d{1,2})\s?[分분]|(半|반))?"
)
_MORNING: Final = frozenset(("午前", "上午", "早上", "오전"))


def _han_number(text: str | None) -> int | None:
    """五 → 5, 十二 → 12, 三十一 → 31; ASCII digits as they are."""
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _HAN_DIGITS.find(text)
    return (_HAN_DIGITS.find(tens) if tens else 1) * 10 + (_HAN_DIGITS.find(ones) if ones else 0)


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _date(
    match: re.Match[str], year: int | None, month: int | None, day: int | None
) -> Date | None:
    if (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31):
        return Date(match[0].strip(" ,."), year, month, day)
    return None


def _iso(m: re.Match[str]) -> Date | None:
    return _date(m, int(m[1]), int(m[3]), int(m[4]))


def _year_month(m: re.Match[str]) -> Date | None:
    return _date(m, int(m[1]), int(m[2]), None)


def _numeric(m: re.Match[str]) -> Date | None:
    day, month, year = int(m[1]), int(m[3]), int(m[4])
    year += 2000 if year < 100 else 0
    if month > 12:
        day, month = month, day
    date = _date(m, year, month, day)
    return date and date._replace(is_ambiguous=day <= 12 and day != month)


class _MonthPatterns(NamedTuple):
    """Where a name of a month stands beside numbers; a pattern a name, so that it is a literal."""

    day_first: re.Pattern[str]
    day_second: re.Pattern[str]
    with_year: re.Pattern[str]
    alone: re.Pattern[str]


@lru_cache(maxsize=512)
def _month_patterns(name: str) -> _MonthPatterns:
    name = re.escape(name)
    inside = r"[a-z\x80-\U0010ffff]"
    return _MonthPatterns(
        day_first=re.compile(
            rf"(\d(?<![\d.,:/]\d)\d?)(?:(?:st|nd|rd|th|er|o|\.)(?=\s))?\s*(?:of\s+|de\s+)?{name}"
            rf"(?!{inside})\.?(?:(?:\s+del?\b|,|\s+في)?\s*(\d{{4}})(?!\d))?"
        ),
        day_second=re.compile(
            rf"{name}(?<!{inside}{name})\.?\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?"
            r"(?![\da-z%]|[.,:/]\d|\s?[ap]\.?m\b)(?:,?\s+(\d{4})(?!\d))?"
        ),
        with_year=re.compile(
            rf"{name}(?<!{inside}{name})\.?,?(?:\s+del?)?\s+(\d{{4}})(?![\d:]|[.,]\d)"
        ),
        alone=re.compile(rf"{name}(?<!{inside}{name})(?!{inside})"),
    )


def _take_named(rest: str, name: str, found: list[Date]) -> str:
    """Move the dates with the month `name` from `rest` to `found`."""
    month, patterns = MONTHS[name], _month_patterns(name)

    def alone(m: re.Match[str]) -> Date | None:
        if name in MONTHS_BESIDE_NUMBERS_ONLY and not _BEFORE_MONTH.search(
            m.string, max(0, m.start() - _LONGEST_BEFORE), m.start()
        ):
            return None
        return Date(name, None, month)

    def day_and_year(m: re.Match[str]) -> Date | None:
        return _date(m, _int(m[2]), month, int(m[1]))

    rest = _take(rest, patterns.day_first, day_and_year, found)
    if name in rest:
        rest = _take(rest, patterns.day_second, day_and_year, found)
    if name in rest:
        rest = _take(rest, patterns.with_year, lambda m: _date(m, int(m[1]), month, None), found)
        rest = _take(rest, patterns.alone, alone, found)
    return rest


def _east_asian(m: re.Match[str]) -> Date | None:
    return _date(m, _int(m[1] or m[4]), _han_number(m[2]), _han_number(m[3]))


def _vietnamese(m: re.Match[str]) -> Date | None:
    return _date(m, _int(m[3]), int(m[2]), _int(m[1]))


def _time(match: re.Match[str], hour: int, minute: int, half: str) -> ClockTime | None:
    """`half`: "a" or "p" as in a.m. and p.m., "24" for a 24-hour clock, "" when it is not said.

    9:30 agrees with 9:30 a.m. and with 9:30 p.m., but not with 21:30.
    """
    if hour > 24 or minute > 59 or (half in ("a", "p") and not 1 <= hour <= 12):
        return None
    shown = match[0].strip(" .")
    past_noon = (hour % 12 + 12) * 60 + minute
    if half == "a":
        return ClockTime(shown, frozenset((hour % 12 * 60 + minute,)))
    if half == "p":
        return ClockTime(shown, frozenset((past_noon, past_noon + _PM)))
    plain = hour % 24 * 60 + minute
    if half == "24" or not 1 <= hour <= 12:
        return ClockTime(shown, frozenset((plain,)))
    return ClockTime(shown, frozenset((plain, past_noon + _PM)))


def _twelve_hours(m: re.Match[str]) -> ClockTime | None:
    return _time(m, int(m[1]), int(m[2] or 0), m[3])


def _clock(m: re.Match[str]) -> ClockTime | None:
    is_24_hours = m[3] or m[5] or m[6] or m[1].startswith("0")
    return _time(m, int(m[1]), int(m[2] or m[4] or m[7] or 0), "24" if is_24_hours else "")


def _east_asian_clock(m: re.Match[str]) -> ClockTime | None:
    half = ("a" if m[1] in _MORNING else "p") if m[1] else ""
    return _time(m, int(m[2]), 30 if m[4] else int(m[3] or 0), half if int(m[2]) <= 12 else "")


def _take(
    rest: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], T | None], found: list[T]
) -> str:
    """Move what `pattern` and `read` understand from `rest` to `found`."""

    def replace(match: re.Match[str]) -> str:
        value = read(match)
        if value is None:
            return match[0]
        found.append(value)
        return " "

    return pattern.sub(replace, rest)


def take_dates(folded: str, words: list[str]) -> tuple[list[Date], str]:
    """The dates in a text, given as folded text and as its words, and the text without them."""
    dates: list[Date] = []
    rest = folded
    if _IN_DIGITS.search(rest):
        rest = _take(rest, _ISO, _iso, dates)
        rest = _take(rest, _YEAR_MONTH, _year_month, dates)
        rest = _take(rest, _NUMERIC, _numeric, dates)
    if not folded.isascii():
        rest = _take(rest, _EAST_ASIAN, _east_asian, dates)
        rest = _take(rest, _VIETNAMESE, _vietnamese, dates)
    for name in dict.fromkeys(words):
        if name in MONTHS:
            rest = _take_named(rest, name, dates)
    return dates, rest


def take_times(folded: str, words: list[str]) -> tuple[list[ClockTime], str]:
    """The clock times in a text without its dates, and the text without these times."""
    times = [ClockTime(word, _NAMED_TIMES[word]) for word in words if word in _NAMED_TIMES]
    rest = folded
    if _HAS_CLOCK.search(rest):
        rest = _take(rest, _TWELVE_HOURS, _twelve_hours, times)
        rest = _take(rest, _CLOCK, _clock, times)
    if not folded.isascii():
        rest = _take(rest, _EAST_ASIAN_CLOCK, _east_asian_clock, times)
    return times, rest
