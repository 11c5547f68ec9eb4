"""The exception counts where a reviewer sees it as a line of its own, and nowhere else."""

import html.parser
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.policy.marker import has_visible_line
from tests.support.github_markdown import to_html

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
    "after a line break tag": f"see<br>below\n\n{M}",
    "escaped underscores": M.replace("_", r"\_"),
    "after a fence": f"```\ncode\n```\n{M}",
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
    "inline mathematics": f"$a\n{M}\nb$",
    "zero-width space": M.replace("_OK", "\u200b_OK"),
    "no-break space": f"\u00a0{M}",
    "soft hyphen": M.replace("EVAL", "EV\u00adAL"),
    "homoglyph": M.replace("O", "\u041e", 1),
    "bidirectional override": f"\u202e{M}",
    "NUL": f"\0{M}",
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
        self.depth -= tag in self.HIDING
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
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@settings(max_examples=1_500, deadline=None)
def test_whenever_it_counts_githubs_own_parser_shows_it_in_plain_sight(body: str) -> None:
    if has_visible_line(body):
        reader = _Lines()
        reader.feed(to_html(body))
        lines = [line.strip() for line in reader.text.split("\n")]
        assert any(line.removeprefix("[x] ") == M for line in lines), to_html(body)


@pytest.mark.parametrize(
    "body",
    [
        f"{'> ' * 5_000}x\n\n{M}x",
        f"{'[' * 20_000}\n\n{M}x",
        f"{'*a ' * 20_000}{M}x",
        f"{'- ' * 3_000}{M}",
        "x" * 300_000 + f"\n\n{M}",
        f"{'<a ' * 20_000}\n\n{M}x",
    ],
)
def test_a_body_made_to_be_slow_or_deep_is_no_exception_and_judged_quickly(body: str) -> None:
    started = time.monotonic()
    assert not has_visible_line(body)
    assert time.monotonic() - started < 20
