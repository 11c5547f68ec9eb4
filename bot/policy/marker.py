"""Does a pull request's body show a line of its own, where a reviewer sees it? (CONTRACTS 7)

The body is parsed as GitHub parses it: CommonMark, tables, strikethrough, footnotes, math. A text
that merely stands in the source is no exception: PR templates explain the marker in comments, code
and sentences. Where GitHub's reading is not certain, the answer is no.
"""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ORACLE_OK_MARKER: Final = "EXTRACTION_EVAL_ORACLE_OK=1"

MAX_BODY_CHARS: Final = 262_144  # four times what GitHub accepts as a body
MAX_INLINE_CHARS: Final = 10_000  # the time for one paragraph may grow with its square
MAX_NESTING: Final = 60  # the parser drops what lies deeper, and Python's stack is finite
MAX_INLINE_NESTING: Final = 20  # of brackets; `_is_bracketed` stands in for what lies deeper

_CONTROLS: Final = frozenset(map(chr, [*range(32), *range(127, 160)])) - frozenset("\t\n\r")
_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LISTS: Final = frozenset({"bullet_list_open", "ordered_list_open", "list_item_open"})
_PLAIN: Final = frozenset(
    {"text", "text_special", "em_open", "em_close", "strong_open", "strong_close"}
)
_TEXTS: Final = frozenset({"text", "text_special", "code_inline"})
_SENTENCE_ENDS: Final = tuple(".!?:;…。！？：；．｡؟؛۔।॥")
_SENTENCE_GOES_ON: Final = tuple(",、，،([{–—")
_CLOSERS: Final = " \t\"'”’»)]}）」』】"
# fmt: off
_VOID: Final = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "track",
    "wbr",
))
_RAW_TEXT: Final = frozenset((
    "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea",
    "title", "xmp",
))
# fmt: on
# Names that one of markdown-it and GitHub's parser takes for the start of an HTML block.
_DISPUTED: Final = ("<source", "</source", "<search", "</search")


def has_visible_line(body: str, line: str = ORACLE_OK_MARKER) -> bool:
    """Whether the rendered `body` shows exactly `line` as a line of a paragraph or a list item.

    `line` is plain text. Emphasis around the whole line and a ticked task's box are allowed;
    CONTRACTS section 7 lists what is not. Where parsers may differ (is `$$` math? is `[^1]:` a
    footnote?), every reading of the body must show it. Never raises; bounded in time.
    """
    if len(body) > MAX_BODY_CHARS or not _CONTROLS.isdisjoint(body) or not _may_hold(body, line):
        return False
    try:
        return all(_shows(parser, body, line) for parser in _parsers(body))
    except Exception:  # a body that breaks the parser shows nothing for certain
        return False


def _may_hold(source: str, line: str) -> bool:
    """A cheap necessary condition: escapes and character references in `source` undone."""
    return line in html.unescape(source).replace("\\", "")


def _parsers(body: str) -> Iterator["MarkdownIt"]:
    """One parser for each way the body may be read; they parse blocks only."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    for has_footnotes in (False, True) if "[^" in body else (False,):
        for has_math in (False, True) if "$$" in body else (False,):
            parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING})
            parser.enable(["table", "strikethrough"])
            if has_footnotes:
                parser.use(footnote_plugin, inline=False, move_to_end=False)
            if has_math:
                parser.use(dollarmath_plugin)
            # Inline parsing is done below, for the few paragraphs that matter.
            parser.core.ruler.enableOnly(["normalize", "block"])
            yield parser


def _shows(parser: "MarkdownIt", body: str, line: str) -> bool:
    env: dict[str, object] = {}
    tokens = parser.parse(body, env)
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        return False
    parser.options["maxNesting"] = MAX_INLINE_NESTING
    raw_html = _RawHtml()
    for block in _blocks(tokens):
        source = block.token.content
        if len(source) > MAX_INLINE_CHARS or _is_disputed(source):
            raw_html.in_doubt = True
        elif block.token.type == "html_block":
            raw_html.read(source, block.container, forbidden_in_comments=("--!>", "<!--"))
        elif (is_candidate := block.is_in_sight and _may_hold(source, line)) or "<" in source:
            children = parser.inline.parse(source, parser, env, [])
            lines = _lines(children, raw_html, block.container)
            if block.starts_item and lines[0].text.startswith(("[x] ", "[X] ", "[x]\t", "[X]\t")):
                lines[0].text = lines[0].text[3:]
            if is_candidate and not _is_doubtful(source) and _stands_alone(lines, line):
                return True
    return False


@dataclass(frozen=True, slots=True)
class _Block:
    """Text or raw HTML; `container` is the number of the block around it, -1 for the body."""

    token: "Token"
    container: int
    starts_item: bool
    is_in_sight: bool


def _blocks(tokens: "Sequence[Token]") -> Iterator[_Block]:
    """In sight are paragraphs, also in list items, but not in or below an unticked task."""
    containers: list[int] = []
    unticked: set[int] = set()
    for number, token in enumerate(tokens):
        if token.nesting > 0:
            containers.append(number)
        elif token.nesting < 0:
            containers.pop()
        elif token.type in ("inline", "html_block"):
            kinds = [tokens[container].type for container in containers]
            starts_item = kinds[-2:] == ["list_item_open", "paragraph_open"] and (
                containers[-1] == containers[-2] + 1
            )
            box, closed, _ = token.content.partition("]")
            if starts_item and closed and box[0] == "[" and not box[1:].strip():
                unticked.add(containers[-2])
            is_paragraph = kinds[-1:] == ["paragraph_open"] and _LISTS.issuperset(kinds[:-1])
            yield _Block(
                token,
                containers[-1] if containers else -1,
                starts_item,
                is_in_sight=is_paragraph and unticked.isdisjoint(containers),
            )


@dataclass(slots=True)
class _Line:
    """A rendered line; `is_plain` when it holds nothing but text outside HTML and links."""

    text: str
    is_plain: bool


def _lines(children: "Sequence[Token]", raw_html: "_RawHtml", container: int) -> list[_Line]:
    """The lines of a paragraph; feeds `raw_html` with the tags in it."""
    lines = [_Line("", raw_html.is_outside)]
    link_depth = 0
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            lines.append(_Line("", raw_html.is_outside and not link_depth))
            continue
        if child.type == "html_inline":
            raw_html.read(child.content, container, forbidden_in_comments=("--",))
        link_depth += {"link_open": 1, "link_close": -1}.get(child.type, 0)
        current = lines[-1]
        current.is_plain = current.is_plain and child.type in _PLAIN
        if child.type in _TEXTS:
            current.text += child.content
    return lines


def _stands_alone(lines: Sequence[_Line], wanted: str) -> bool:
    """Whether one of a paragraph's lines is `wanted`, and no part of a sentence or a link."""
    return any(
        line.is_plain
        and line.text.strip(" \t") == wanted
        and not _is_mid_sentence(lines, index)
        and not _is_bracketed(lines, index)
        for index, line in enumerate(lines)
    )


def _is_doubtful(content: str) -> bool:
    """Whether GitHub may read this paragraph another way, or show its lines in another order."""
    source_lines = [line.strip() for line in content.split("\n")]
    return (
        "~" in content  # struck out, also by a single tilde
        or "$" in content  # math
        or "]:" in content  # a definition of a link or a footnote
        or not _BIDI.isdisjoint(html.unescape(content))
        or any(line.startswith("<") for line in source_lines)  # an HTML block
        # A table's delimiter row: GitHub takes `:-` for one, also without a pipe.
        or any(line and set(line) <= set("|:- \t") for line in source_lines)
    )


def _is_disputed(source: str) -> bool:
    """Whether a line may or may not start an HTML block, depending on the parser's version."""
    return any(
        line.lstrip().startswith(_DISPUTED) for line in source.lower().split("\n") if "<" in line
    )


def _is_mid_sentence(lines: Sequence[_Line], index: int) -> bool:
    """Whether the line is part of a hard-wrapped sentence: it went on before, and goes on after.

    Scripts without case (Japanese, Arabic) do not tell where a sentence starts: doubt.
    """
    before = lines[index - 1].text.strip() if index else ""
    after = lines[index + 1].text if index + 1 < len(lines) else ""
    letter = next((char for char in after if char.isalpha()), "")
    goes_on = bool(letter) and not letter.isupper() and not letter.istitle()
    has_ended = not before or before.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
    return before.endswith(_SENTENCE_GOES_ON) or (goes_on and not has_ended)


def _is_bracketed(lines: Sequence[_Line], index: int) -> bool:
    """Whether a bracket opens before the line and closes after it: perhaps a link's text."""
    before = "".join(line.text for line in lines[:index])
    after = "".join(line.text for line in lines[index + 1 :])
    return before.count("[") > before.count("]") and "]" in after


class _RawHtml(HTMLParser):
    """Which raw HTML tags are open; once their balance is in doubt, it stays so."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.in_doubt = False
        self._open: list[tuple[str, int]] = []  # name, and the block the tag stands in
        self._container = -1
        self._tags_read = 0

    @property
    def is_outside(self) -> bool:
        return not self._open and not self.in_doubt

    def read(self, source: str, container: int, forbidden_in_comments: Sequence[str]) -> None:
        """A piece of raw HTML; comments that hold what parsers differ over are doubt."""
        self._container, rest = container, source
        while rest and not self.in_doubt:
            tags, opened, rest = rest.partition("<!--")
            self._read_tags(tags)
            if opened:
                comment, closed, rest = rest.partition("-->")
                ends_early = comment.startswith((">", "->"))
                if not closed or ends_early or any(s in comment for s in forbidden_in_comments):
                    self.in_doubt = True

    def _read_tags(self, source: str) -> None:
        """Anything but complete, simple tags and text between them is doubt.

        Each `<` must be a tag that the parser has reported: so declarations, broken tags and
        angle brackets in attributes, over which parsers differ, cannot hide one.
        """
        self._tags_read = 0
        self.reset()
        self.feed(source)
        end_tags = [part.partition(">")[0].strip() for part in source.split("</")[1:]]
        if self._tags_read != source.count("<") or not all(
            name.isascii() and name.replace("-", "").isalnum() for name in end_tags
        ):
            self.in_doubt = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tags_read += 1
        if tag in _RAW_TEXT or (self.get_starttag_text() or "").count(">") != 1:
            self.in_doubt = True
        elif tag not in _VOID:
            self._open.append((tag, self._container))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # a browser ignores the slash of <details/>

    def handle_endtag(self, tag: str) -> None:
        self._tags_read += 1
        if self._open and self._open[-1] == (tag, self._container):
            self._open.pop()
        else:
            self.in_doubt = True
