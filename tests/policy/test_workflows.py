import time

import pytest

from bot.policy.workflows import drift_uses

NAME = "EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT"


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        (f"env:\n  {NAME}: 1\n", ("w.yml:2",)),
        (f"run: |\n  {NAME}=1 extraction-bot run\n", ("w.yml:2",)),
        (f"  # {NAME} must never be set here\n#{NAME}\n", ()),
        (f"{NAME.lower()}: 1\n", ("w.yml:1",)),
        ('"EXTRACTION_EVAL_ALLOW\\x5fPROMPT_DRIFT": 1\n', ("w.yml:1",)),
        (f"a: 1\r\nb: {NAME}\r\n", ("w.yml:2",)),
        ("EXTRACTION_EVAL_ALLOW_PROMPT: 1\n", ()),
        ('"EXTRACTION_EVAL_ALLOW\\u005FPROMPT_DRIFT": 1\n', ("w.yml:1",)),
        ('"EXTRACTION_EVAL_ALLOW\\U0000005fPROMPT_DRIFT": 1\n', ("w.yml:1",)),
        (f'a: "\\UFFFFFFFF {NAME}"\n', ("w.yml:1",)),
        (f"a: 1 # {NAME}\n", ("w.yml:1",)),  # a line of its own, or no comment
        (f"\ufeff# {NAME}\n\t# {NAME}\n", ()),
        (f"# a\r{NAME}: 1\r", ("w.yml:2",)),
        (f"# a\u2028{NAME}: 1\n", ("w.yml:1",)),  # YAML 1.1 ends the comment there
        (f"\u00a0# {NAME}\n", ("w.yml:1",)),  # no white space to YAML, so no comment
        ('a: "EXTRACTION_EVAL_ALLOW_\\\n  PROMPT_DRIFT"\n', ("w.yml:1",)),
        (f"run: a \\\n  b \\\n  {NAME}=1\n", ("w.yml:3",)),
        (f"# a \\\n{NAME}: 1\n", ("w.yml:2",)),
        ("", ()),
    ],
)
def test_a_comment_line_is_no_use_of_the_variable_and_all_else_is(
    text: str, uses: tuple[str, ...]
) -> None:
    assert drift_uses({"w.yml": text}) == uses


def test_places_are_listed_by_file_and_line() -> None:
    files = {"b.yml": f"{NAME}: 1\nx: 1\n{NAME}: 1", "a.yml": f"\n{NAME}: 1", "c.yml": "x: 1"}
    assert drift_uses(files) == ("a.yml:2", "b.yml:1", "b.yml:3")


def test_a_file_of_continued_lines_is_judged_quickly() -> None:
    started = time.monotonic()
    assert drift_uses({"w.yml": "\\\n" * 50_000}) == ()
    assert time.monotonic() - started < 20
