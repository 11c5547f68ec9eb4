"""Does a pull request's body show a line of its own, where a reviewer sees it? (CONTRACTS 7)

The body is parsed as GitHub parses it: CommonMark, tables, strikethrough, footnotes, math. A text
that merely stands in the source is no exception: PR templates explain the marker in comments, code
and sentences. Where GitHub's reading is not certain, the answer is no.
"""

import html
import re
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
MAX_INLINE_NESTING: Final = 20  # of brackets; `_is_bracketed` covers what lies deeper

_CONTROLS: Final = frozenset(map(chr, [*range(32), *range(127, 160)])) - frozenset("\t\n\r")
_ODD_SPACE: Final = re.compile(r"[^\S \t\r\n]")  # markdown-it strips it, GitHub shows it
_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LISTS: Final = frozenset({"bullet_list_open", "ordered_list_open", "list_item_open"})
_CONTAINERS: Final = _LISTS | {"blockquote_open", "footnote_reference_open"}
_PLAIN: Final = ("text", "text_special", "em_open", "em_close", "strong_open", "strong_close")
_SENTENCE_ENDS: Final = tuple(".!?:;…。！？：；．｡؟؛۔।॥")
_SENTENCE_GOES_ON: Final = tuple(",、，،([{–—")
_CLOSERS: Final = " \t\"'”’»)]}）」』】"
_VOID: Final = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|track|wbr")
_STARTS_BLOCK: Final = re.compile(r"[ \t]*(?:[>*+<-]|\d+[.)])")
_NO_ROW: Final = re.compile(r"[ \t]*(?:\|[ \t]*$|\[\^)")
_UNTICKED: Final = re.compile(r"\[\s*\]")
_EMPTY_BOX: Final = re.compile(r"\[[\sxX]*\](?:[ \t]*(?:\n|$)|.*\]:)")
_NAME: Final = re.compile("[A-Za-z0-9-]+")
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
    if any(_ODD_SPACE.search(row) and _may_hold(row, line) for row in re.split("[\r\n]", body)):
        return False
    try:
        return all(_shows(parser, body, line) for parser in _parsers(body))
    except Exception:  # a body that breaks the parser shows nothing for certain
        return False


def _may_hold(source: str, line: str) -> bool:
    """A cheap necessary condition: escapes and character references in `source` undone."""
    return line in html.unescape(source).replace("\\", "")


def _parsers(body: str) -> Iterator["MarkdownIt"]:
    """One parser for each way the body may be read; inline text is parsed where it matters."""
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
            parser.core.ruler.enableOnly(["normalize", "block"])
            yield parser


def _shows(parser: "MarkdownIt", body: str, line: str) -> bool:
    tokens = parser.parse(body, env := dict[str, object]())
    if max((token.level for token in tokens), default=0) >= MAX_NESTING - 2:
        return False
    if _has_unclear_blocks(tokens, body):
        return False
    parser.options["maxNesting"] = MAX_INLINE_NESTING
    raw_html = _RawHtml()
    for token, container, starts_item, is_in_sight in _blocks(tokens):
        source = token.content
        is_candidate = is_in_sight and _may_hold(source, line)
        if _is_disputed(source):
            raw_html.in_doubt = True
        elif token.type == "html_block":
            raw_html.read(source, container, forbidden_in_comments=("--!>", "<!--"))
        elif len(source) <= MAX_INLINE_CHARS and (is_candidate or "<" in source):
            children = parser.inline.parse(source, parser, env, [])
            lines = _lines(children, raw_html, container)
            if starts_item and lines[0].text.startswith(("[x] ", "[X] ", "[x]\t", "[X]\t")):
                lines[0].text = lines[0].text[3:]
            if is_candidate and not _is_doubtful(source) and _stands_alone(lines, line):
                return True
    return False


def _has_unclear_blocks(tokens: "Sequence[Token]", body: str) -> bool:
    """Whether GitHub may cut the body into other blocks; mostly where a blank line is missing."""
    rows = re.split("\r\n?|\n", body)
    lines = [row.strip(" \t>") for row in [*rows, ""]]
    covered: set[int] = set()
    for number, token in enumerate(tokens):
        if not token.map or token.type in _CONTAINERS:
            continue
        first, end = token.map
        covered.update(range(first, end))
        # A list or quotation for GitHub, a first cell for markdown-it; or what ends a table.
        if token.type == "table_open" and (
            lines[end]
            or _STARTS_BLOCK.match(rows[first])
            or any(map(_NO_ROW.match, rows[first:end]))
        ):
            return True
        # A paragraph's lazy line for GitHub, and the reverse where a line starts with a tag.
        if token.type == "code_block" and first and lines[first - 1]:
            return True
        if token.type == "inline" and re.search("\n[ \t]*<", token.content):
            column = rows[first].find(token.content.split("\n")[0])
            if lines[end] or any("<" in row[:column] for row in rows[first + 1 : end]):
                return True
        # A footnote's definition for GitHub, a lazy line of a quotation for markdown-it.
        if token.type == "inline" and re.search(r"\n[ \t]*\[\^[^\]\n]+\]:", token.content):
            return True
        # An item with a box and no text behind it ends there for GitHub.
        starts_item = number > 1 and tokens[number - 2].type == "list_item_open"
        if starts_item and (box := _EMPTY_BOX.match(token.content)):
            goes_on = [t.type for t in tokens[number + 2 : number + 3]] != ["list_item_close"]
            if goes_on or box.end() < len(token.content):
                return True
    # A definition of a link in a list, or right before a block. To GitHub it is a paragraph at
    # first, which goes on in a quotation's lazy lines and which most lists do not interrupt;
    # markdown-it starts anew. No token covers a definition's lines.
    defines = [n not in covered and bool(line.strip("-*+")) for n, line in enumerate(lines)]
    return any(
        defines[n] and (_STARTS_BLOCK.match(row) or (lines[n + 1] and not defines[n + 1]))
        for n, row in enumerate(rows)
    )


def _blocks(tokens: "Sequence[Token]") -> Iterator[tuple["Token", int, bool, bool]]:
    """Text and raw HTML: (token, number of the block around it, starts a list item?, in sight?).

    In sight are paragraphs, also in list items, but not in or below an unticked task.
    """
    containers: list[int] = []
    unticked: set[int] = set()
    for number, token in enumerate(tokens):
        if token.nesting > 0:
            containers.append(number)
        elif token.nesting < 0:
            containers.pop()
        elif token.type in ("inline", "html_block"):
            kinds = [tokens[container].type for container in containers]
            starts_item = number > 1 and tokens[number - 2].type == "list_item_open"
            if starts_item and _UNTICKED.match(token.content):
                unticked.add(containers[-2])
            is_paragraph = kinds[-1:] == ["paragraph_open"] and _LISTS.issuperset(kinds[:-1])
            # With a row of dashes behind it, GitHub may read a heading and not a table.
            is_heading = [t.type for t in tokens[number + 2 : number + 3]] == ["table_open"]
            is_in_sight = is_paragraph and not is_heading and unticked.isdisjoint(containers)
            yield token, containers[-1] if containers else -1, starts_item, is_in_sight


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
        lines[-1].is_plain &= child.type in _PLAIN
        if child.type in ("text", "text_special", "code_inline"):
            lines[-1].text += child.content
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
    lines = [line.strip() for line in content.split("\n")]
    return (
        "~" in content  # struck out, also by a single tilde
        or "$" in content  # math
        or "]:" in content  # a definition of a link or a footnote
        or not _BIDI.isdisjoint(html.unescape(content))
        or any(line.startswith("<") for line in lines)  # an HTML block
    )


def _is_disputed(source: str) -> bool:
    """Whether a block's extent differs between parsers, or there is too much HTML to read."""
    lines = [line.strip() for line in source.lower().split("\n")]
    return (
        ("<" in source and len(source) > MAX_INLINE_CHARS)
        or any(line.startswith(_DISPUTED) for line in lines)
        # A table's second row: GitHub takes `:-` for one, also without a pipe.
        or any("-" in line and set(line) <= set("|:- \t") for line in lines[1:])
    )


def _is_mid_sentence(lines: Sequence[_Line], index: int) -> bool:
    """Whether a hard-wrapped sentence goes on before and after it; scripts without case: doubt."""
    before = lines[index - 1].text.strip() if index else ""
    after = lines[index + 1].text if index + 1 < len(lines) else ""
    letter = next((char for char in after if char.isalpha()), "")
    goes_on = bool(letter) and not letter.isupper() and not letter.istitle()
    has_ended = not before or before.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)
    return before.endswith(_SENTENCE_GOES_ON) or (goes_on and not has_ended)


def _is_bracketed(lines: Sequence[_Line], index: int) -> bool:
    """Whether a bracket opens before the line and closes after it: perhaps a link's text."""
    before = "".join(line.text for line in lines[:index])
    return before.count("[") > before.count("]") and any("]" in s.text for s in lines[index + 1 :])


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
                self.in_doubt |= not closed or comment.startswith((">", "->"))
                self.in_doubt |= any(part in comment for part in forbidden_in_comments)

    def _read_tags(self, source: str) -> None:
        """Anything but complete, simple tags and text between them is doubt.

        Each `<` must be a tag that the parser has reported: so declarations, broken tags and
        angle brackets in attributes, over which parsers differ, cannot hide one.
        """
        self._tags_read = 0
        self.reset()
        self.feed(source)
        end_tags = [part.partition(">")[0].strip() for part in source.split("</")[1:]]
        self.in_doubt |= self._tags_read != source.count("<")
        self.in_doubt |= not all(map(_NAME.fullmatch, end_tags))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tags_read += 1
        if (self.get_starttag_text() or "").count(">") != 1:
            self.in_doubt = True
        elif not _VOID.fullmatch(tag):
            self._open.append((tag, self._container))

    handle_startendtag = handle_starttag  # a browser ignores the slash of <details/>

    def handle_endtag(self, tag: str) -> None:
        self._tags_read += 1
        self.in_doubt |= not self._open or self._open.pop() != (tag, self._container)
