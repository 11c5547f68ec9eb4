"""The template context: numbers ready to print, and what is documented of it."""

import json
import re
from pathlib import Path

from bot.comment.provider_rows import points
from bot.comment.view import CommentInput, build_context
from bot.suites import EXTRACTION_QUALITY
from tests.comment.test_render import case, passing, policy, provider, report_with
from tests.support.runs import run_entry


def test_a_change_shows_enough_decimals_to_see_that_the_limit_is_passed() -> None:
    assert points(-3.0, 3.0) == "−3.00"
    assert points(-3.004, 3.0) == "−3.004"
    assert points(-3.0000004, 3.0) == "−3.0000004"
    assert points(7.000000000000001) == "+7.00"
    assert points(0.0) == points(-0.0) == points(0.001) == "0.00"


def documented_keys() -> set[str]:
    page = Path(__file__).parent.parent.parent / "docs" / "template-context.md"
    keys: set[str] = set()
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            keys |= set(re.findall(r"`(\w+)`", line.split("|")[1]))
    return keys


def test_the_documented_context_is_the_one_that_is_passed() -> None:
    run = passing(providers=[provider("vllm")])
    data = CommentInput(
        words=EXTRACTION_QUALITY.words,
        run=run,
        trend=(run_entry(2), run_entry(1)),
        report=report_with([case()]),
        policy=policy("pass", "fine"),
    )
    context = build_context(data, 5, 100)
    assert set(context) == documented_keys()
    page = (Path(__file__).parent.parent.parent / "docs" / "template-context.md").read_text()
    nested = [context["run"], context["metrics"][0], context["labels"][0], context["providers"][0]]
    nested += [context["policy"], context["case_groups"][0], context["case_groups"][0]["rows"][0]]
    nested += [context["trend"], context["trend"]["lines"][0]]
    for mapping in nested:
        for key in mapping:
            assert f"`{key}`" in page, key


def test_the_context_is_plain_data_that_a_sandbox_can_hold() -> None:
    trend = (run_entry(2), run_entry(1))
    data = CommentInput(words=EXTRACTION_QUALITY.words, run=passing(), trend=trend)
    json.dumps(build_context(data, 5, 100))
