"""Text from outside as inert GitHub Markdown: no mention, link, image, HTML or table break.

Every special character becomes a numeric character reference: CommonMark takes a reference as text
and never as structure (section 2.5), in a paragraph and in a table cell alike. What GitHub links
after rendering (@mentions, #1, addresses, commit hashes, :emoji:) it leaves alone within <code>, so
words that hold such a thing are put there. E-mail addresses it links while rendering, in any run of
text that holds an @, references resolved: an empty HTML comment behind the @ ends the run.
"""

import re
import string
import unicodedata
from typing import Final

DEFAULT_MAX_CHARS: Final = 300

_HARMLESS: Final = " ,'/%?;"
_REFERENCES: Final = {
    ord(char): f"&#{ord(char)};" for char in string.punctuation if char not in f"{_HARMLESS}.-"
}
_REFERENCES[ord("@")] = "&#64;<!-- -->"
_WWW: Final = re.compile(r"(?<=www)\.", re.IGNORECASE)
_LINKED_BY_GITHUB: Final = re.compile(
    r"[@#]|://|\bwww\.|\b(?:mailto|xmpp):|\bGH-\d|:[\w+-]+:|\b[0-9a-f]{7,64}\b", re.IGNORECASE
)
_LIST_ITEM: Final = re.compile(r"^\d+[.)](?=\s|$)|^-")
_JOINERS: Final = "\u200c\u200d"  # shape Persian and Hindi words and emoji; they reorder nothing


class Markdown(str):
    """Text that is Markdown already: our own words, or text that has been escaped."""

    __slots__ = ()


def visible(text: str) -> str:
    """`text` on one line; control, bidirectional and other unseen characters as escapes."""

    def shown(char: str) -> str:
        if char.isspace():
            return " "
        if unicodedata.category(char)[0] == "C" and char not in _JOINERS:
            return char.encode("unicode_escape", "surrogatepass").decode()
        return char

    return " ".join("".join(shown(char) for char in text).split())


def shorten(text: str, max_chars: int = DEFAULT_MAX_CHARS) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def _referenced(text: str) -> str:
    """Special characters as references; also what opens a list at the start of a line."""
    if found := _LIST_ITEM.match(text):
        head = found[0]
        text = "".join(c if c.isdigit() else f"\0{ord(c)}\1" for c in head) + text[len(head) :]
    escaped = _WWW.sub("&#46;", text.translate(_REFERENCES))
    return escaped.replace("\0", "&#").replace("\1", ";")


def escape_code(text: str, max_chars: int = DEFAULT_MAX_CHARS) -> Markdown:
    """`text` as a code element: for names and values."""
    shown = shorten(visible(text), max_chars)
    return Markdown(f"<code>{_referenced(shown)}</code>" if shown else "<code>(empty)</code>")


def escape_text(text: str, max_chars: int = DEFAULT_MAX_CHARS) -> Markdown:
    """`text` as running text; a word that GitHub would link becomes code."""
    words = shorten(visible(text), max_chars).split(" ")
    return Markdown(
        " ".join(
            escape_code(word, max_chars) if _LINKED_BY_GITHUB.search(word) else _referenced(word)
            for word in words
        )
    )


def escape_value(value: object) -> str:
    """What the template environment does to every expression's value."""
    if isinstance(value, Markdown):
        return value
    return "" if value is None else escape_text(str(value))
