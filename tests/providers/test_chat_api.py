"""The pure half of the API: schemas, error texts, Retry-After."""

from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.extraction.request import strict_answer_schema
from bot.extraction.schema import BatchExtractionResult
from bot.providers.chat_api import ServerError, parse_completion, parse_error
from bot.providers.chat_client import retry_after_seconds

SCHEMA = strict_answer_schema(BatchExtractionResult.model_json_schema())
NOW = datetime(2026, 9, 15, 12, 0, tzinfo=UTC)

labels = st.lists(
    st.sampled_from(["factual", "preference", "behavioral"]), min_size=1, max_size=3, unique=True
)
memories = st.builds(
    lambda content, names, confidence, until: {
        "content": content,
        "categories": [{"label": name, "confidence": confidence} for name in names],
        "confidence": confidence,
        "valid_from": None,
        "valid_until": until,
    },
    st.text(st.characters(exclude_categories=["Cs"]), min_size=5, max_size=30),
    labels,
    st.floats(0, 1),
    st.sampled_from([None, "2026-09-30T23:59:59Z"]),
)
answers = st.lists(st.lists(memories, max_size=3), max_size=3).map(
    lambda turns: {"turns": [{"turn_index": i, "memories": m} for i, m in enumerate(turns)]}
)


@given(answers)
def test_every_valid_answer_fits_the_schema_that_servers_are_given(answer: Any) -> None:
    BatchExtractionResult.model_validate(answer)
    jsonschema.validate(answer, SCHEMA)


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object schema within `schema`."""
    if isinstance(schema, list):
        return [found for item in schema for found in objects(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for item in schema.values() for found in objects(item)]


def test_the_schema_follows_the_rules_of_strict_structured_output() -> None:
    """OpenAI: every property required, nothing additional, no default, no minLength."""
    found = objects(SCHEMA)
    assert len(found) == 4
    for schema in found:
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
    for word in ("default", "title", "minLength", "maxLength"):
        assert f"'{word}'" not in str(SCHEMA)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Incorrect API key provided: sk-proj-abc123def456.", "sk-proj-abc123def456"),
        ("key sk-ab****************wxyz is wrong", "sk-ab*"),
        ("no access for org-AbCdEfGh1234", "org-AbCdEfGh1234"),
        ("Authorization: Bearer abcdef", "abcdef"),
    ],
)
def test_keys_and_organisations_in_a_servers_words_are_hidden(text: str, hidden: str) -> None:
    shown = parse_error({"error": {"message": text}}).shown
    assert hidden not in shown
    assert "[hidden]" in shown


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"message": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"error": {"message": ["m"]}}, "['m']"),
        (None, ""),
        ([], ""),
        ({"error": 5}, ""),
    ],
)
def test_an_error_is_read_in_the_forms_that_servers_use(payload: Any, message: str) -> None:
    assert parse_error(payload).message == message


def test_a_long_or_many_lined_error_is_shown_as_one_short_line() -> None:
    shown = ServerError("a\nb" * 1000).shown
    assert "\n" not in shown
    assert len(shown) <= 200


@pytest.mark.parametrize(
    "payload",
    [None, [], {}, {"choices": []}, {"choices": [5]}, {"choices": [{}]}, {"choices": {"0": 1}}],
)
def test_what_is_no_completion_is_none(payload: Any) -> None:
    assert parse_completion(payload) is None


@pytest.mark.parametrize(
    "usage",
    [5, {}, {"prompt_tokens": -1, "completion_tokens": 0}, {"prompt_tokens": "9"}],
)
def test_a_count_of_tokens_that_is_none_is_unknown(usage: Any) -> None:
    payload = {"choices": [{"message": {"content": "x"}}], "usage": usage}
    completion = parse_completion(payload)
    assert completion is not None
    assert completion.usage is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Tue, 15 Sep 2026 12:00:30 GMT", 30.0),
        ("Tue, 15 Sep 2026 11:00:00 GMT", 0.0),
        ("Tue, 15 Sep 2026 12:00:30 -0000", 30.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds
