"""GitHub's own Markdown parser (cmark-gfm), and what a reader of its HTML sees."""

import html.parser
import re
from dataclasses import dataclass, field

import cmarkgfm
from cmarkgfm.cmark import Options

_LINKED_AFTER_RENDERING = re.compile(
    r"@[A-Za-z0-9]|(?<!\w)#\d|\bGH-\d|:\w+:|\b[0-9a-f]{7,40}\b|https?://|www\.\w", re.IGNORECASE
)


def to_html(markdown: str) -> str:
    html: str = cmarkgfm.github_flavored_markdown_to_html(
        markdown, options=Options.CMARK_OPT_UNSAFE
    )
    return html


@dataclass
class _Reader(html.parser.HTMLParser):
    tags: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    text: str = ""
    linkable: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    _in_code: int = 0
    _in_cell: bool = False

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_code += tag in ("code", "pre")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag in ("code", "pre")
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._in_cell:
            self.rows[-1][-1] += data
        if not self._in_code:
            self.linkable += _LINKED_AFTER_RENDERING.findall(data)

    def handle_comment(self, data: str) -> None:
        if data != " ":  # what our own escaping puts behind an @
            self.comments.append(data)


def read(markdown: str) -> _Reader:
    """The tags, table rows, visible text, links, and what GitHub would link after rendering."""
    reader = _Reader()
    reader.feed(to_html(markdown))
    reader.close()
    reader.rows = [[cell.strip() for cell in row] for row in reader.rows]
    return reader
