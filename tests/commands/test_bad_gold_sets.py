"""A gold set that cannot be trusted stops the run: exit code 2, the file, the id, the next step."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.expected_memories import EXPECTED
from bot.evaluation.gold_set import BASELINE, CASSETTES, CONVERSATIONS, MANIFEST
from bot.extraction.fingerprint import sha256_hex
from bot.settings import Settings, load_contract
from bot.suites import EXTRACTION_QUALITY
from tests.commands.conftest import Bot, load
from tests.support.gold import edit_jsonl

FIVE = [CONVERSATIONS, EXPECTED, CASSETTES, MANIFEST, BASELINE]


def rehash(gold: Path) -> None:
    """Let the manifest describe the files as they are, so that only the fault under test is one."""
    manifest = load(gold / MANIFEST)
    manifest |= {
        "conversations_sha256": sha256_hex((gold / CONVERSATIONS).read_bytes()),
        "expected_memories_sha256": sha256_hex((gold / EXPECTED).read_bytes()),
        "cassettes_sha256": sha256_hex((gold / CASSETTES).read_bytes()),
    }
    (gold / MANIFEST).write_text(json.dumps(manifest))


def change_manifest(gold: Path, **changes: Any) -> None:
    manifest = load(gold / MANIFEST) | changes
    kept = {name: value for name, value in manifest.items() if value is not ...}
    (gold / MANIFEST).write_text(json.dumps(kept))


def assert_refused(bot: Bot, *messages: str) -> None:
    done = bot("run", "--gold-set", "gold")
    assert done.code == 2, done
    for message in messages:
        assert message in done.err, done.err
    assert done.err.count("\n") == 1
    assert not Path("web_data").exists()
    assert not Path("out").exists()


@pytest.mark.parametrize("name", FIVE)
def test_one_missing_file_is_named(place: Path, bot: Bot, name: str) -> None:
    (place / "gold" / name).unlink()
    assert_refused(bot, name)


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "is not UTF-8"), (b"{", "is not JSON"), (b"[1]\n", "")],
)
def test_one_broken_file_is_named(
    place: Path, bot: Bot, name: str, content: bytes, message: str
) -> None:
    (place / "gold" / name).write_bytes(content)
    assert_refused(bot, name, message)


def test_an_empty_conversations_file_is_no_gold_set(place: Path, bot: Bot) -> None:
    (place / "gold" / CONVERSATIONS).write_text("")
    (place / "gold" / EXPECTED).write_text("")
    assert_refused(bot, "the gold set has no conversation")


def test_a_conversations_file_of_200_megabytes_is_refused(place: Path, bot: Bot) -> None:
    with (place / "gold" / CONVERSATIONS).open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    assert_refused(bot, CONVERSATIONS, "is larger than")


def duplicate(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[0]]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (CONVERSATIONS, "conversation 'deploys' is given twice"),
        (EXPECTED, "turn 0 of 'deploys' is given twice"),
        (CASSETTES, "conversation 'deploys' has two cassettes"),
    ],
)
def test_a_duplicate_is_named(place: Path, bot: Bot, name: str, message: str) -> None:
    duplicate(place / "gold" / name)
    rehash(place / "gold")
    assert_refused(bot, name, message)


def blank(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"conversation_id": "  "} if row["conversation_id"] == "key" else row


def without_key(row: dict[str, Any]) -> dict[str, Any] | None:
    return None if row["conversation_id"] == "key" else row


@pytest.mark.parametrize("name", [CONVERSATIONS, EXPECTED, CASSETTES])
def test_a_blank_id_is_refused(place: Path, bot: Bot, name: str) -> None:
    edit_jsonl(place / "gold" / name, blank)
    rehash(place / "gold")
    assert_refused(bot, name, "conversation_id: is blank")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (CONVERSATIONS, "conversation 'key' is not in conversations.jsonl"),
        (EXPECTED, "conversation 'key' has no row"),
        (CASSETTES, "no cassette for conversation 'key' (1 missing)"),
    ],
)
def test_an_id_that_one_file_lacks_is_named(place: Path, bot: Bot, name: str, message: str) -> None:
    edit_jsonl(place / "gold" / name, without_key)
    rehash(place / "gold")
    assert_refused(bot, message)


def test_a_cassette_too_many_is_named(place: Path, bot: Bot) -> None:
    for name in (CONVERSATIONS, EXPECTED):
        edit_jsonl(place / "gold" / name, without_key)
    rehash(place / "gold")
    assert_refused(bot, "a cassette for conversation 'key', which is not in")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prompt_sha256": "0" * 64}, "cassettes are stale: prompt_sha256 is 000000000000…"),
        ({"schema_sha256": "0" * 64}, "cassettes are stale: schema_sha256 is 000000000000…"),
        ({"prompt_sha256": ...}, "cassettes are stale: prompt_sha256 is missing"),
        ({"schema_sha256": ...}, "cassettes are stale: schema_sha256 is missing"),
        ({"schema_sha256": None}, "cassettes are stale: schema_sha256 is missing"),
        ({"prompt_sha256": "abc"}, "prompt_sha256: String should match"),
        ({"cassettes_sha256": "0" * 64}, "openai_cassettes.jsonl has changed"),
        ({"conversations_sha256": "0" * 64}, "conversations.jsonl has changed"),
        ({"expected_memories_sha256": "0" * 64}, "expected_memories.jsonl has changed"),
        ({"conversations_sha256": ...}, "conversations_sha256 is missing"),
        ({"conversation_count": 4}, "conversation_count is 4, the files hold 3"),
        ({"cassette_count": 2}, "cassette_count is 2, the files hold 3"),
        ({"multi_label_memories": 9}, "multi_label_memories is 9, the files hold 1"),
        ({"supersession_memories": 9}, "supersession_memories is 9, the files hold 1"),
        ({"model": "gpt-5"}, "is by model 'gpt-4o-mini', the manifest says 'gpt-5'"),
        ({"cassette_kind": "real"}, "cassette_kind: Input should be"),
        ({"cassette_kind": ...}, "cassette_kind: Field required"),
    ],
)
def test_a_manifest_that_does_not_describe_the_files_or_the_contract_is_refused(
    place: Path, bot: Bot, change: dict[str, Any], message: str
) -> None:
    change_manifest(place / "gold", **change)
    assert_refused(bot, MANIFEST if "model" not in change else CASSETTES, message)


def edited_answer(edit: Callable[[str], str]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"raw_json": edit(row["raw_json"])} if row["conversation_id"] == "key" else row

    return change


def eleven(raw: str) -> str:
    answer = json.loads(raw)
    answer["turns"][0]["memories"] *= 11
    return json.dumps(answer)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda raw: "I cannot answer that.", "is not JSON"),
        (lambda raw: "", "is empty"),
        (lambda raw: raw[:40], "is not JSON"),
        (lambda raw: f"```json\n{raw}\n```", "wrapped in a Markdown fence"),
        (eleven, "turns.0.memories: Tuple should have at most 10 items"),
        (lambda raw: raw.replace("procedural", "mood"), "categories.0.label"),
        (lambda raw: raw.replace("0.9", "NaN"), "NaN is not JSON"),
        (lambda raw: raw.replace("0.9", "true"), "confidence"),
        (lambda raw: raw.replace('"turns"', '"decisions"'), "turns: Field required"),
    ],
)
def test_an_answer_that_cannot_be_used_names_its_conversation(
    place: Path, bot: Bot, edit: Callable[[str], str], message: str
) -> None:
    edit_jsonl(place / "gold" / CASSETTES, edited_answer(edit))
    rehash(place / "gold")
    assert_refused(bot, CASSETTES, "conversation 'key'", message)


def test_one_temporal_kind_too_few_is_refused(place: Path, bot: Bot) -> None:
    edit_jsonl(
        place / "gold" / EXPECTED,
        lambda row: row | {"temporal_kinds": []} if row["expected"] else row,
    )
    rehash(place / "gold")
    assert_refused(bot, EXPECTED, "0 temporal_kinds for 2 memories")


def test_the_drift_variable_lets_a_local_experiment_pass_with_a_warning(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_manifest(place / "gold", prompt_sha256="0" * 64)
    monkeypatch.setenv("EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT", "1")
    done = bot("run", "--gold-set", "gold")
    assert done.code == 0
    assert "warning: gold/cassette_manifest.json: prompt_sha256 is 000000000000…" in done.err
    monkeypatch.setenv("EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT", "true")
    assert bot("run", "--gold-set", "gold").code == 2


def test_the_drift_variable_does_not_excuse_a_changed_file(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT", "1")
    change_manifest(place / "gold", cassettes_sha256="0" * 64)
    assert_refused(bot, "has changed")


def test_an_older_manifest_without_schema_and_file_hashes_works_with_a_warning(
    place: Path, bot: Bot, existing: Path
) -> None:
    older = load(existing / "cassette_manifest.older.json")
    contract = load_contract(Settings().of(EXTRACTION_QUALITY)).fingerprint
    current = load(place / "gold" / MANIFEST)
    (place / "gold" / MANIFEST).write_text(
        json.dumps(
            older
            | {
                "prompt_sha256": contract.prompt_sha256,
                "conversation_count": 3,
                "cassette_count": 3,
            }
        )
    )
    assert "schema_sha256" in current
    done = bot("evaluate", "--gold-set", "gold", "--out", "latest.json")
    assert done.code == 0
    assert "an older manifest without schema and file hashes" in done.err
