"""Reads the numbers of a text (CONTRACTS section 3, contradictions).

A number is kept as decimal text, not as a float: 2.0 is 2, but 3.10 is not 3.1, which are two
versions of one language. Where a writing has two meanings the number has two readings.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from bot.evaluation.text import word_set


class Number(NamedTuple):
    """A number as it was written, and what it may mean, as decimal text."""

    shown: str
    readings: frozenset[str]


_SCALES: Final = {
    **dict.fromkeys(("k", "thousand"), 1000),
    **dict.fromkeys(("m", "mio", "mln", "million"), 10**6),
    **dict.fromkeys(("bn", "b", "billion"), 10**9),
}
_NUMBER: Final = re.compile(
    r"(\d+(?:[.,]\d+)*)(?:\s?(k|thousand|m|mio|mln|million|bn|b|billion)(?![a-z0-9\x80-\U0010ffff]))?"
)
_UNITS: Final = {
    word: value
    for value, words in {
        2: "two twice",
        3: "three third",
        4: "four fourth",
        5: "five fifth",
        6: "six sixth",
        7: "seven seventh",
        8: "eight eighth",
        9: "nine ninth",
        10: "ten tenth",
        11: "eleven",
        12: "twelve",
        13: "thirteen",
        14: "fourteen",
        15: "fifteen",
        16: "sixteen",
        17: "seventeen",
        18: "eighteen",
        19: "nineteen",
        20: "twenty",
        30: "thirty",
        40: "forty",
        50: "fifty",
        60: "sixty",
        70: "seventy",
        80: "eighty",
        90: "ninety",
    }.items()
    for word in words.split()
}
_CENTURIES: Final = ("19", "20")
_WORD_SCALES: Final = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
}
SCALE_WORDS: Final = frozenset(_SCALES)
NUMBER_WORDS: Final = frozenset(_UNITS) | {"one"}
# "one" is a number only where it is not a pronoun: no one, every one, one of, one another
_NOT_BEFORE_ONE: Final = word_set("no any every each some the this that which another only on")
_NOT_AFTER_ONE: Final = word_set("of on another who that to day")


def _canonical(digits: str) -> str:
    """007 → 7, 2.0 → 2; 3.10 stays."""
    whole, dot, fraction = digits.partition(".")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if dot and fraction.strip("0") else whole


def _parts(written: str) -> list[str]:
    """Decimal comma or list? 2,5 → 2.5; 1.234,5 → 1234.5; 1,2,3 → three numbers."""
    if written.count(",") == 1:
        whole, fraction = written.split(",")
        if "." not in fraction:
            return [f"{whole.replace('.', '')}.{fraction}"]
    return written.split(",")


def _signed(text: str, start: int) -> str:
    """What stands before a number and belongs to it: "-", or "0." when it starts with its dot."""
    before = text[max(0, start - 2) : start]
    if before.endswith("-") and not before[:-1].strip("( "):
        return "-"
    if before.endswith(".") and not before[:-1].strip("( -"):
        return "0."
    return ""


def _written_numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        written, scale = match[1], match[2]
        is_alone = match.start() == 0 or text[match.start() - 1] not in "-."
        if is_alone and not scale and written.isdecimal() and len(written) < 10:
            yield plain_number(written)  # nearly all are
            continue
        if len(written) > 40:  # no number that a person means
            yield Number(written, frozenset((written,)))
            continue
        prefix = _signed(text, match.start())
        for part in _parts(written):
            readings = {_canonical(prefix + part) if part.count(".") < 2 else part}
            if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", part):  # ten, or ten thousand in German
                readings.add(prefix + part.replace(".", ""))
            if scale and part.count(".") < 2:  # 10k may be ten kilometres, or 10,000
                scaled = Decimal(prefix + part) * _SCALES[scale]
                readings.add(_canonical(f"{scaled:f}"))
            yield Number(prefix + (match[0] if scale else part), frozenset(readings))


def _spoken_numbers(words: list[str]) -> Iterator[Number]:
    """English number words: "twenty five", "two hundred and fifty", "third"."""
    value: int | None = None
    spoken: list[str] = []
    for index, word in enumerate([*words, ""]):
        unit = _UNITS.get(word)
        if word == "one" and (value is not None or _is_a_number(words, index)):
            unit = 1
        if unit is not None and value and (value % 100 == 0 or (value % 10 == 0 and unit < 10)):
            value += unit
        elif word in _WORD_SCALES and value is not None:
            value *= _WORD_SCALES[word]
        elif word == "and" and value is not None and value >= 100:
            continue
        else:
            if value is not None:
                yield Number(" ".join(spoken), frozenset((str(value),)))
            value, spoken = unit, []
        spoken.append(word)


def _is_a_number(words: list[str], one: int) -> bool:
    before = words[one - 1] if one else ""
    after = words[one + 1] if one + 1 < len(words) else ""
    return before not in _NOT_BEFORE_ONE and after not in _NOT_AFTER_ONE


@lru_cache(maxsize=1024)
def plain_number(digits: str) -> Number:
    """The number of a run of ASCII digits; remembered, since most are small or years."""
    return Number(digits, frozenset((_canonical(digits),)))


def year_of(number: Number) -> int | None:
    """The year that a bare number of four digits may be, 1900 to 2099."""
    shown = number.shown
    return int(shown) if len(shown) == 4 and shown.isdecimal() and shown[:2] in _CENTURIES else None


def find_numbers(rest: str, words: list[str]) -> list[Number]:
    """The numbers of a text, given as folded text without its dates and times, and as its words."""
    numbers = list(_written_numbers(rest))
    if not NUMBER_WORDS.isdisjoint(words):
        numbers += _spoken_numbers(words)
    return numbers
