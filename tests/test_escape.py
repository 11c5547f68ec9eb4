"""Untrusted text in GitHub's own parser: it shows as itself and as nothing else."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.escape import Markdown, escape_code, escape_text, escape_value, visible
from tests.support.github_markdown import read

NASTY = [
    "a|b",
    "line\nbreak\r\nand\x0bmore\u2028still",
    "`code` ``two``",
    "@team and user@example.com",
    "<img src=x onerror=alert(1)>",
    "<!-- extraction-benchmark-bot -->",
    "</details></td></table>",
    "[x](javascript:alert(1))",
    "![x](http://evil.example/p.png)",
    "https://evil.example www.evil.example mailto:a@b.c xmpp:a@b.c",
    "#12 GH-12 owner/repo#3 :tada: deadbeefcafe",
    "\u202egnp.exe\u202c \u200b \u2066x\u2069",
    "# heading",
    "- item",
    "1. item",
    "1.\n2)",
    "> quote",
    "    code",
    "---",
    "===",
    "| a | b |\n|---|---|",
    "$& {{ run.sha }} {% raw %} ${x} $`1`$",
    "*a* _b_ ~~c~~ \\* &amp; &#64;x",
    "[x]: http://evil.example",
    "[^1] [ ] [x]",
]


def in_a_paragraph(escaped: str) -> str:
    return escaped


def in_a_table(escaped: str) -> str:
    return f"| a | b |\n| --- | --- |\n| {escaped} | end |"


def in_a_list(escaped: str) -> str:
    return f"- {escaped}"


def after_a_heading(escaped: str) -> str:
    return f"## {escaped}"


PLACES = [in_a_paragraph, in_a_table, in_a_list, after_a_heading]
OWN_TAGS = {"p", "code", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "h2"}
characters = st.text(
    st.sampled_from("ab1 |`*_~<>[]()!#@&\\/.:-+=$\n\r\t{}\"'^%,;wgh\u202e\u2028é日")
)


@pytest.mark.parametrize("escape", [escape_text, escape_code])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_shows_as_itself(text: str, place: object, escape: object) -> None:
    check(text, place, escape)


@given(characters, st.sampled_from(PLACES), st.sampled_from([escape_text, escape_code]))
@example("www.x.y @a #1 :b:", in_a_table, escape_text)
def test_any_text_shows_as_itself(text: str, place: object, escape: object) -> None:
    check(text, place, escape)


def check(text: str, place: object, escape: object) -> None:
    assert callable(place)
    assert callable(escape)
    seen = read(place(escape(text)))
    assert set(seen.tags) <= OWN_TAGS
    assert seen.links == seen.linkable == seen.comments == []
    shown = visible(text) or ("(empty)" if escape is escape_code else "")
    if place is in_a_table:
        assert [cell.strip() for cell in seen.rows[1]] == [shown, "end"]
    else:
        assert seen.text.strip() == shown.strip()


def test_unseen_characters_are_shown_as_escapes_but_words_keep_their_joiners() -> None:
    assert visible("a\u202eb\u200bc\x00d") == "a\\u202eb\\u200bc\\x00d"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"


def test_an_empty_text_does_not_leave_an_empty_code_element() -> None:
    assert escape_code("  ") == "<code>(empty)</code>"


def test_long_text_is_cut_before_it_is_escaped() -> None:
    assert len(visible(escape_text("&" * 1_000, 10)).split(";")) == 10  # nine references, then …


def test_only_markdown_passes_unescaped() -> None:
    assert escape_value(Markdown("**ours**")) == "**ours**"
    assert escape_value("**theirs**") == "&#42;&#42;theirs&#42;&#42;"
    assert escape_value(None) == ""
    assert escape_value(1.5) == "1.5"
