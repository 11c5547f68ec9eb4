"""Normalisation of memory texts, and how much two of them resemble each other (CONTRACTS 3).

The folding is Unicode's NFKC_Casefold (Unicode Standard, section 3.13; it also drops invisible
characters) with every decimal digit written in ASCII. The similarity is the normalised Indel
similarity 2 · LCS / (len(a) + len(b)) (RapidFuzz), the mean of words and of characters.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from rapidfuzz.distance.Indel import normalized_similarity

# Scripts written without spaces: Thai, Lao, Myanmar, Khmer, kana, bopomofo, Han. A "word" cut at
# spaces would be a whole sentence there, so every character is a word.
_SPACELESS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_is_spaceless: Final = re.compile(f"[{_SPACELESS}]").match

_CANONICAL: Final = {
    **dict.fromkeys("’‘‛ʼʹ′´`＇", "'"),
    "−": "-",  # U+2212, the minus sign
    "٫": ".",  # Arabic decimal separator
    "٬": ",",  # Arabic thousands separator
}
_KEPT_ASCII: Final = frozenset("'.,:/-+#%$<>=")  # what `_TOKEN` decides by its neighbours


def word_set(table: str) -> frozenset[str]:
    """The words of a table written as text, which is how long lists of them can be read."""
    return frozenset(table.split())


class _FoldTable(dict[int, str | None]):
    """Code point → its folded form, None to drop it; filled as characters are met."""

    def __missing__(self, code_point: int) -> str | None:
        char = chr(code_point)
        category = unicodedata.category(char)
        folded: str | None = _CANONICAL.get(char, char)
        if category == "Nd":
            folded = str(unicodedata.decimal(char))
        elif category == "Sk" and folded == char:
            folded = " "  # an accent alone, which NFKC would write as a space and a mark
        elif category == "Cf" or "\ufe00" <= char <= "\ufe0f":  # invisible, variation selectors
            folded = None
        self[code_point] = folded
        return folded


class _WordTable(dict[int, str]):
    """Code point → itself in a word, a space, or a word of its own; filled as met.

    By category and not by `\\w`, which does not match the vowel signs of Hindi or Arabic.
    """

    def __init__(self, kept: frozenset[str]) -> None:
        super().__init__()
        self._kept = kept

    def __missing__(self, code_point: int) -> str:
        char = chr(code_point)
        category = unicodedata.category(char)
        if char in self._kept:
            written = char
        elif _is_spaceless(char):
            written = f" {char} "
        elif category[0] in "LMN":
            written = char
        elif category[0] == "S" and category != "Sk" and not char.isascii():
            written = f" {char} "  # an emoji, a currency, an arrow
        else:
            written = " "
        self[code_point] = written
        return written


_FOLD: Final = _FoldTable()
_WORDS: Final = _WordTable(_KEPT_ASCII)

_W: Final = r"a-z0-9\x80-\U0010ffff"  # inside a word, once punctuation is taken out
_BODY: Final = rf"""
    [{_W}]+
    (?:(?<=\d)[.,:/](?=\d)[{_W}]+)*  # 2.1  9:30  v1.2.3  1/2
    (?:[+#]{{1,2}}(?![{_W}]))?       # C++, C# and 18+ are not C and 18
"""
_TOKEN: Final = re.compile(
    rf"""
      {_BODY}
    | -(?<![{_W}-]-)(?=\.?\d)\.?{_BODY}  # "-5" is not "5", but "9-5" is "9 5"
    | \.(?<![{_W}.]\.)(?=\d){_BODY}      # ".5" is not "5"
    | [$%]
    | [<>]=?(?=[-.$]?\d|$)               # "<5 lines" is not ">5 lines"
    """,
    re.VERBOSE,
)
_INNER_APOSTROPHE: Final = re.compile(r"'(?<=[a-z\x80-\U0010ffff]')(?=[^\W\d_])")
# 10,000 and 1,00,000 (lakh) and 10'000; not 0,125 and not 1,2,3
_THOUSANDS: Final = re.compile(
    r"[1-9](?<![\d.,']\d)\d{0,2}(?:[,']\d{2,3})*[,']\d{3}(?![,']?\d)|"
    r"[1-9](?<![\d.,']\d)\d{0,2}(?:\.\d{3}){2,}(?![.,]?\d)"
)
_SPACE_IN_NUMBER: Final = re.compile(r"[\u00a0\u2009\u202f](?<=\d.)(?=\d{3}(?!\d))")
_SPACE_AT_SPACELESS: Final = re.compile(f"(?<=[{_SPACELESS}]) | (?=[{_SPACELESS}])")


class Text(NamedTuple):
    """A text as it is compared.

    `folded`: case, digits and compatibility forms folded, punctuation still there; `words`: its
    words in order; `normalised`: the words as one text.
    """

    folded: str
    words: list[str]
    normalised: str


def _fold(text: str) -> str:
    """NFKC_Casefold with ASCII digits; in two passes, since each step can undo another."""
    text = _SPACE_IN_NUMBER.sub("", text).translate(_FOLD)
    # casefold writes the Turkish İ as i and a combining dot
    text = unicodedata.normalize("NFKC", text).casefold().replace("i\u0307", "i")
    return unicodedata.normalize("NFKC", text).translate(_FOLD)


def join_parts(folded: str) -> str:
    """ "don't" as "dont"; 10,000 and 10'000 and 1.000.000 as plain digits."""
    if "'" in folded:
        folded = _INNER_APOSTROPHE.sub("", folded)
    if "," in folded or "'" in folded or "." in folded:
        folded = _THOUSANDS.sub(_plain_digits, folded)
    return folded


def _plain_digits(number: re.Match[str]) -> str:
    return number[0].replace(",", "").replace("'", "").replace(".", "")


def _parts(chunk: str) -> list[str]:
    """The words in what stands between two spaces."""
    return _TOKEN.findall(join_parts(chunk.translate(_WORDS)))


_LONGEST_REMEMBERED: Final = 40  # characters; a memory's text may be one chunk of 10,000
_remembered_parts: Final = lru_cache(maxsize=4096)(_parts)  # "user's", "mornings," … recur


def read_text(text: str) -> Text:
    """What similarity and contradiction need of `text`."""
    is_ascii = text.isascii()
    folded = text.lower() if is_ascii else _fold(text)
    chunks = folded.split() if is_ascii else folded.translate(_WORDS).split()
    if "".join(chunks).isalnum():
        words = chunks
    else:
        words = []
        for chunk in chunks:
            if chunk.isalnum():
                words.append(chunk)
            elif len(chunk) <= _LONGEST_REMEMBERED:
                words += _remembered_parts(chunk)
            else:
                words += _parts(chunk)
    normalised = " ".join(words)
    if not is_ascii:
        normalised = _SPACE_AT_SPACELESS.sub("", normalised)
    return Text(folded, words, normalised)


def text_similarity(a: Text, b: Text, at_least: float = 0.0) -> float:
    """The similarity of two texts that were read: a fraction in [0, 1].

    One under `at_least` may come out lower than it is: most pairs of a turn have little in common,
    and then there is no need to know how little.
    """
    _, a_words, a_normalised = a
    _, b_words, b_normalised = b
    if a_words == b_words:
        return 1.0
    words = normalized_similarity(a_words, b_words)
    needed = 2 * at_least - words - 1e-6  # of the characters, with room for rounding
    if needed >= 1:
        return words / 2
    characters = normalized_similarity(
        a_normalised, b_normalised, score_cutoff=needed if needed > 0 else None
    )
    return (words + characters) / 2


def normalise(text: str) -> str:
    """`text` with case, punctuation, white space and compatibility forms folded.

    Texts that differ in a number stay different: 2.1 is not 21, -5 is not 5.
    """
    return read_text(text).normalised


def similarity(a: str, b: str) -> float:
    """How much two texts resemble each other: a fraction in [0, 1], symmetric.

    1.0 exactly when they are equal after normalisation. The order of words matters, and a text
    that contains another gets no bonus for it.
    """
    return text_similarity(read_text(a), read_text(b))
