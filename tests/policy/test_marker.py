"""The exception counts where a reviewer sees it as a line of its own, and nowhere else."""

import html.parser
import time

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.policy import marker
from bot.policy.marker import has_visible_line

M = "EXTRACTION_EVAL_ORACLE_OK=1"

VISIBLE = {
    "alone": M,
    "paragraph after another": f"Rewording only.\n\n{M}\n\nSee above.",
    "a paragraph's last line": f"Checked by hand.\n{M}",
    "CRLF": f"Checked.\r\n\r\n{M}\r\n\r\nThanks.\r\n",
    "old Mac line ends": f"Checked.\r\r{M}\r",
    "list item": f"- one\n- {M}\n- two",
    "ordered list": f"1. one\n2. {M}",
    "nested list": f"- reasons\n  - {M}",
    "ticked task": f"- [x] {M}",
    "ticked task, capital": f"* [X] {M}",
    "strong": f"**{M}**",
    "emphasised": f"*{M}*",
    "strong by underscores": f"__{M}__",
    "trailing spaces": f"{M}   ",
    "indented three": f"   {M}",
    "hard break": f"Checked.  \n{M}",
    "after a closed comment": f"<!-- template text -->\n\n{M}",
    "after closed HTML": f"<details>\n\nlog\n\n</details>\n\n{M}",
    "after a line break tag": f"see<br>below<br/>\n\n{M}",
    "escaped underscores": M.replace("_", r"\_"),
    "after a fence": f"```\ncode\n```\n{M}",
    "first line": f"{M}\nis set because the wording alone changed",
    "between short lines": f"Fixes #12\n{M}\nReviewed by Ann",
    "between sentences": f"Wording only.\n{M}\nthanks!",
    "a ticked task, strong": f"1. [x]\t**{M}**",
    "after an unticked task": f"- [ ] tests\n- {M}",
    "after a comment with dashes and blank lines": f"<!-- ---- a\n\n---- -->\n{M}",
    "after an image": f'<img width="1" src="a.png">\n\n{M}',
    "before HTML that is not closed": f"{M}\n\n<details>",
    "character references": f"&#69;{M[1:].replace('=', '&equals;')}",
    "after a footnote": f"a[^1]\n\n[^1]: note\n\n{M}",
    "after mathematics": f"$$\na\n$$\n\n{M}",
    "a no-break space elsewhere": f"a\u00a0b\n\n{M}",
    "after definitions of links": f"[a]: /b\n[c]: /d\n\n{M}",
    "after empty boxes": f"- [ ] \n- [ ] a\n- [x] \n\n{M}",
    "after a table without outer pipes": f"a | b\n---|---\nc | --\n\n{M}",
    "after an image in a list": f'- See:\n  <img src="a">\n\n{M}',
    "after an image below a text": f'See:\n<img src="a">\n\n{M}',
    "after a table": f"| a | b |\n|---|---|\n| - | -- |\n\n{M}",
    "after a quotation of two paragraphs": f"> a\n>\n> b\n\n{M}",
    "after a rule": f"a\n\n---\n{M}",
    "after brackets": f"[A-1]\n{M}\n[A-2]",
}

HIDDEN = {
    "absent": "nothing here",
    "another value": "EXTRACTION_EVAL_ORACLE_OK=10",
    "true": "EXTRACTION_EVAL_ORACLE_OK=true",
    "zero": "EXTRACTION_EVAL_ORACLE_OK=0",
    "full stop": f"{M}.",
    "lower case": M.lower(),
    "spaces": "EXTRACTION_EVAL_ORACLE_OK = 1",
    "within a sentence": f"Add {M} to the body.",
    "a wrapped sentence": f"To skip the check, put\n{M}\ninto the body.",
    "code span": f"`{M}`",
    "code span over lines": f"`\n{M}\n`",
    "fenced": f"```\n{M}\n```",
    "fenced by tildes": f"~~~\n{M}\n~~~",
    "unclosed fence": f"```\n{M}",
    "indented code": f"    {M}",
    "comment": f"<!-- {M} -->",
    "comment over lines": f"<!--\n{M}\n-->",
    "unclosed comment": f"<!--\n\n{M}",
    "details": f"<details>\n\n{M}\n\n</details>",
    "details without an end": f"<details>\n\n{M}",
    "hidden div": f"<div hidden>\n\n{M}\n\n</div>",
    "a self-closed div is open": f"<div hidden/>\n\n{M}",
    "inline HTML": f"<span>{M}</span>",
    "a tag on the line": f"{M}<br>",
    "kbd over lines": f"a <sub>\n{M}\n</sub>",
    "quotation": f"> {M}",
    "lazy quotation": f"> quoted\n{M}",
    "alert": f"> [!NOTE]\n> {M}",
    "quotation in a list": f"- > {M}",
    "struck out": f"~~{M}~~",
    "struck out over lines": f"~~a\n{M}\nb~~",
    "struck out by single tildes over sentences": f"~A.\n{M}\nB~",
    "struck out by single tildes": f"~a\n{M}\nb~",
    "unticked task": f"- [ ] {M}",
    "below an unticked task": f"- [ ] ask\n  - {M}",
    "a later line of an unticked task": f"- [ ] ask\n  {M}",
    "heading": f"# {M}",
    "heading underlined": f"{M}\n---",
    "table": f"| a |\n| - |\n| {M} |",
    "link text": f"[{M}](https://example.org)",
    "link text over lines": f"[a\n{M}\nb](https://example.org)",
    "image": f"![{M}](https://example.org/a.png)",
    "link definition": f"[{M}]: https://example.org",
    "link title": f"[a](https://example.org '{M}')",
    "footnote": f"[^1]: {M}",
    "footnote continued": f"text[^1]\n\n[^1]: note\n    {M}",
    "mathematics": f"$$\n{M}\n$$",
    "mathematics over sentences": f"$A.\n{M}\nB$",
    "inline mathematics": f"$a\n{M}\nb$",
    "zero-width space": M.replace("_OK", "\u200b_OK"),
    "no-break space": f"\u00a0{M}",
    "soft hyphen": M.replace("EVAL", "EV\u00adAL"),
    "homoglyph": M.replace("O", "\u041e", 1),
    "bidirectional override": f"\u202e{M}",
    "NUL": f"\0{M}",
    "no-break space before an escaped marker": "\u00a0" + M.replace("_", r"\_"),
    "no-break space as a reference": f"&nbsp;{M}",
    "bidirectional override on the line before": f"\u202ea\n{M}",
    "a wrapped sentence after a comma": f"To skip it,\n{M}\nMust stand here.",
    "a wrapped sentence without case": f"例外が必要な場合は\n{M}\nと書いてください。",
    "a table's header without a pipe": f"{M}\n:-",
    "a table's row without a pipe": f"a\n:-\n{M}",
    "a tag that closes in a cell": f"<details>\n\n|a|\n|-|\n|</details>|\n\n{M}",
    "a tag that opens in a sentence": f"see <b>\n\n{M}",
    "tags closed in the wrong order": f"<div><p></div></p>\n\n{M}",
    "an end tag that hides another": f'<details><b></b x="></details>">\n\n{M}',
    "a comment in attributes": f'<br title="<!--"><details><br title="-->">\n\n{M}',
    "a tag in raw text": f"<style><details></style>\n\n{M}",
    "a comment that ends early": f"<!--> <details> -->\n\n{M}",
    "a comment not closed in its list": f"- <!-- a\n\n{M}",
    "a comment not closed in a deep quotation": f"{'>' * 100} <!-- a\n\n{M}",
    "a comment ended by a space": f"- <!-- a -- >\n\n{M}",
    "after an HTML block of some parsers": f"<source> x\n```\n\n```\n{M}",
    "after an HTML block of some parsers, closed": f"<source></source> x\n```\n\n```\n{M}",
    "after an HTML block of other parsers": f"<search></search> x\n```\n\n{M}\n```",
    "after an angle bracket in an attribute": f'<br title=">">\n\n{M}',
    "lines of an HTML block": f"<div>\n</div>\n{M}",
    "a processing instruction": f"- <?a\n\n{M}",
    "mathematics over blank lines": f"$$\n\n{M}\n\n$$",
    "a fence that is mathematics for some": f"$$\n```\n$$\n{M}\n```",
    "a lazy line of a footnote's second paragraph": f"a[^1]\n\n[^1]: b c\n\n    d\n{M}",
    "after what may be a footnote": f"[^a]: ```\n{M}\n```",
    "after what may be a definition": f"[a b]: c d.\n{M}",
    "in brackets over sentences": f"[A.\n{M}\nB]",
    "a control character anywhere": f"a\x0cb\n\n{M}",
    "a lazy line of a footnote": f"a[^1]\n\n[^1]: note\n{M}",
    "a title over lines": f'[a]: /b "\n{M}\n"',
    "below an unticked task's second paragraph": f"- [ ] ask\n\n  {M}",
    "the box without a list": f"[x] {M}",
    "the box of an item's second paragraph": f"- a\n\n  [x] {M}",
    "full width": M.replace("=1", "\uff1d\uff11"),
    "a row of a table after a row of dashes": f"a\n:-\n--\n{M}",
    "a lazy line of a quotation that defines a link": f"> [a]: /b\n{M}",
    "a quotation that could be a table": f"> <![CDATA[| b |\n-|-\n\n{M}",
    "a list directly after a table": f"| a |\n| - |\n| \n2) {M}",
    "a list directly after a tag": f"1. a\n<br>\n- [x] {M}",
    "a fence in an item with an empty box": f"- [ ] \n\n  ~~~\n{M}",
    "after a row that is none": f"| a |\n| - |\n| \n![|<div>\n\n{M}",
    "in a footnote that ends a table": f"a[^1]\n\n|a|\n|-|\n[^1]:\n\n    x\n{M}",
    "an indented line that goes on a paragraph": f'   - ":-\n    <pre>\n\n{M}',
    "a lazy line below an empty box": f"- [x] \n{M}",
    "a footnote right after a quotation": f"> a\n[^1]: \n\n    b\n{M}",
    "a tag on a lazy line of a list": f"+ <a>x\n</a>\n\n    {M}",
    "a definition in a list": f"+ [a]: /b\n\n\n    {M}",
    "a definition before a block": f"[a]: /b\n\t<div>\n\n{M}",
    "a box without a text on its line": f"- [x] \n](x)\n\n    {M}",
    "a box with a definition": f"- [x] [a]: /b\n\n\n    {M}",
    "a definition before an empty item": f"[a]: /b\n+ \n:-\n{M}",
    "a box without a text": f"- [x] \n\n    {M}",
    "an HTML block that could be a table": f"<![CDATA[| b |\n-|-\n\n{M}",
    "a number that starts no list": f"[a]: /b\n2) {M}",
    "underlined with pipes": f"{M}\n| b |\n---",
    "twice on a line": f"{M} {M}",
    "underlined over lines": f"a\n{M}\n===",
}


@pytest.mark.parametrize("body", VISIBLE.values(), ids=VISIBLE.keys())
def test_a_line_of_its_own_counts(body: str) -> None:
    assert has_visible_line(body)


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN.keys())
def test_what_a_reviewer_does_not_see_as_a_line_of_its_own_does_not_count(body: str) -> None:
    assert not has_visible_line(body)


def test_a_template_that_explains_the_marker_is_no_exception() -> None:
    template = (
        "## What changed\n\n<!-- Say it in one line. -->\n\n"
        f"- [ ] The prompt changed. Then either record cassettes, or write `{M}`\n"
        f"  on a line of its own. Do not write {M} without a reason.\n\n"
        f"<details><summary>Help</summary>\n\n{M}\n\n</details>\n"
    )
    assert not has_visible_line(template)
    assert has_visible_line(template + f"\n{M}\n")


def to_html_with_footnotes(body: str) -> str:
    shown: str = cmarkgfm.github_flavored_markdown_to_html(
        body, options=Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    )
    return shown


class _Lines(html.parser.HTMLParser):
    """The lines of paragraphs and list items that GitHub's HTML shows in plain sight."""

    HIDING = (
        "blockquote",
        "pre",
        "code",
        "del",
        "table",
        "details",
        "a",
        "h1",
        "h2",
        "div",
        "span",
        "b",
        "section",
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.depth = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.depth += tag in self.HIDING
        if tag in ("p", "li", "br"):
            self.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.depth = max(0, self.depth - (tag in self.HIDING))
        if tag in ("p", "li"):
            self.text += "\n"

    def handle_data(self, data: str) -> None:
        self.text += "\x01" * len(data) if self.depth else data


FRAGMENTS = [
    M,
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "- ",
    "- [ ] ",
    "- [x] ",
    "> ",
    "  ",
    "    ",
    "```\n",
    "`",
    "~~",
    "**",
    "<details>",
    "</details>",
    "<!--",
    "-->",
    "<br>",
    "text",
    "Done.",
    "| a |\n| - |\n| ",
    "[",
    "](x)",
    "# ",
    "---",
    "\\",
    "~",
    "$$\n",
    "\r",
    "\t",
    "1. ",
    ":-\n",
    "|",
    "<b>",
    "</b>",
    "<source>",
    "<pre>",
    "<style>",
    "<?",
    "~~~\n",
    "[^1]",
    "[^1]: ",
    "[a]: /b\n",
    "&nbsp;",
    "*",
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@settings(max_examples=2_500, deadline=None)
def test_whenever_it_counts_githubs_own_parser_shows_it_in_plain_sight(body: str) -> None:
    if has_visible_line(body):
        reader = _Lines()
        reader.feed(to_html_with_footnotes(body))
        lines = [line.strip() for line in reader.text.split("\n")]
        assert any(line.removeprefix("[x] ").strip() == M for line in lines), (
            to_html_with_footnotes(body)
        )


def test_a_body_that_breaks_the_parser_is_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bool:
        raise RecursionError

    monkeypatch.setattr(marker, "_shows", broken)
    assert not has_visible_line(M)


@pytest.mark.parametrize(
    "body",
    [
        f"{'> ' * 5_000}x\n\n{M}x",
        f"{'[' * 20_000}\n\n{M}x",
        f"{'*a ' * 20_000}{M}x",
        f"{'- ' * 3_000}{M}",
        "x" * 300_000 + f"\n\n{M}",
        f"{'<a ' * 20_000}\n\n{M}x",
        f"{'>' * 200_000}\n\n{M}x",
        f"{'![' * 100_000}\n\n{M}x",
        f"{M}x{'![' * 4_000}\n\n" * 5,
        f"<br {'[' * 400}\n\n" * 100 + f"{M}x",
        f"{M}x|a\n-|-\n" + "a\n" * 100_000,
    ],
)
def test_a_body_made_to_be_slow_or_deep_is_no_exception_and_judged_quickly(body: str) -> None:
    started = time.monotonic()
    assert not has_visible_line(body)
    assert time.monotonic() - started < 20
