"""Record mode: a model's answers become cassettes, all of them or none."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.expected_memories import EXPECTED
from bot.evaluation.gold_set import CASSETTES, CONVERSATIONS, MANIFEST
from tests.commands.conftest import Bot, Done, load
from tests.commands.live import JOURNAL, KEY, LATEST, QUICK, configure, evaluate, server
from tests.model_server import replies
from tests.model_server.replies import Reply, completion, fails
from tests.model_server.server import ModelServer
from tests.support.gold import edit_jsonl

__all__ = ["server"]

GOLD = Path("gold")


def record(bot: Bot, *arguments: str) -> Done:
    return evaluate(bot, *arguments, mode="record")


def cassettes() -> dict[str, dict[str, Any]]:
    lines = (GOLD / CASSETTES).read_text(encoding="utf-8").splitlines()
    return {row["conversation_id"]: row for row in map(json.loads, lines)}


def files() -> tuple[bytes, bytes]:
    return (GOLD / CASSETTES).read_bytes(), (GOLD / MANIFEST).read_bytes()


def change_turn(name: str, text: str) -> None:
    def edit(row: dict[str, Any]) -> dict[str, Any]:
        if row["conversation_id"] == name:
            row["turns"][0]["content"] = text
        return row

    edit_jsonl(GOLD / CONVERSATIONS, edit)


def test_a_recording_is_the_raw_answer_byte_for_byte_with_its_question_and_replays(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    odd = '{ "turns" : [ {"turn_index":0,"memories":[ ]} ]  }\n\t'
    server.script("key", replies.says(odd))
    done = record(bot, "--model", "gpt-4o-mini")
    assert done.code == 0, done.err
    rows = cassettes()
    assert rows["key"]["raw_json"] == odd
    assert list(rows) == sorted(rows)
    assert set(rows["key"]) == {
        "conversation_id",
        "model",
        "raw_json",
        "request_sha256",
        "recorded_at",
        "usage",
        "finish_reason",
        "attempts",
    }
    manifest = load(GOLD / MANIFEST)
    assert manifest["cassette_kind"] == "live_openai_recorded"
    assert manifest["model"] == "gpt-4o-mini"
    assert manifest["gold_set"] == "small"
    for name, field in (
        (CONVERSATIONS, "conversations_sha256"),
        (EXPECTED, "expected_memories_sha256"),
        (CASSETTES, "cassettes_sha256"),
    ):
        assert manifest[field] == hashlib.sha256((GOLD / name).read_bytes()).hexdigest()
    report = load(LATEST)
    assert (report["mode"], report["cassette_kind"]) == ("record", "live_openai_recorded")
    assert report["answering"]["calls"] == 3
    replayed = evaluate(bot, mode="cassette")
    assert replayed.code == 0, replayed.err
    assert load(LATEST)["metrics"] == report["metrics"]
    assert load(LATEST)["metrics"]["recall_procedural"] == 0.0
    assert bot("validate", "gold").code == 0


def test_the_question_is_the_hash_of_model_prompt_schema_parameters_and_turns(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    """Computed here from CONTRACTS section 2, not by the code under test."""
    from bot.extraction.prompt_v2 import EXTRACTION_SYSTEM_PROMPT_BATCH
    from bot.extraction.schema import BatchExtractionResult

    record(bot)
    question = {
        "model": "gpt-4o-mini",
        "prompt": EXTRACTION_SYSTEM_PROMPT_BATCH,
        "schema": BatchExtractionResult.model_json_schema(),
        "parameters": {"temperature": 0.0, "seed": 7, "max_output_tokens": 4096},
        "turns": '<turn index="0" role="user">Rotate the key, then restart the workers.</turn>',
    }
    text = json.dumps(question, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert cassettes()["key"]["request_sha256"] == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "fault",
    [replies.refusal, replies.truncated, replies.eleven_memories, replies.fenced, fails(400)],
)
def test_one_failure_records_nothing_and_resume_asks_for_it_alone(
    place: Path, bot: Bot, server: ModelServer, fault: Any
) -> None:
    before = files()
    server.script("key", fault)
    done = record(bot)
    assert done.code == 3
    assert "nothing recorded: 1 of 3 conversations failed" in done.err
    assert "'key'" in done.err
    assert files() == before
    assert not LATEST.exists()
    assert record(bot, "--resume").code == 0
    assert dict(server.calls) == {"deploys": 1, "flag": 1, "key": 2}
    assert not JOURNAL.exists()
    assert load(LATEST)["answering"]["resumed"] == 2


def test_a_recording_that_stops_half_way_is_resumed_without_paying_twice(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    before = files()
    server.script("key", fails(401))
    assert record(bot, "--concurrency", "1").code == 3
    assert files() == before
    assert record(bot, "--resume").code == 0
    assert dict(server.calls) == {"deploys": 1, "flag": 1, "key": 2}


def test_a_recording_that_cannot_be_written_leaves_both_files_and_the_journal(
    place: Path, bot: Bot, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of the two files fails to take its place: the first is put back."""
    before = files()
    replace = Path.replace

    def no_manifest(self: Path, target: Path) -> Path:
        if Path(target).name == MANIFEST:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", no_manifest)
    done = record(bot)
    assert done.code == 2
    assert "No space left on device" in done.err
    assert files() == before
    assert JOURNAL.exists()
    assert not [path for path in GOLD.iterdir() if path.name.startswith(".")]
    monkeypatch.undo()


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN RSA PRIVATE KEY-----",
        KEY,
    ],
)
def test_a_text_that_looks_like_a_key_stops_the_recording_and_is_not_shown(
    place: Path, bot: Bot, server: ModelServer, secret: str
) -> None:
    before = files()
    server.script("key", replies.remembers(replies.memory(f"User's token is {secret}")))
    done = record(bot)
    assert done.code == 2
    assert "'key' holds what looks like a key" in done.err
    assert secret not in done.err + done.out
    assert files() == before


def test_no_key_header_or_organisation_is_recorded(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    def with_headers(asked: Any) -> Reply:
        headers = {"openai-organization": "org-secret123456", "x-request-id": "req_1"}
        return Reply(body=completion(replies.empty_answer(asked)), headers=headers)

    server.default = with_headers
    record(bot)
    written = "".join(path.read_text() for path in GOLD.iterdir() if path.is_file())
    assert KEY not in written
    assert "org-secret" not in written
    assert "req_1" not in written


# --- one changed conversation


@pytest.fixture
def recorded(place: Path, bot: Bot, server: ModelServer) -> ModelServer:
    assert record(bot).code == 0
    server.asked.clear()
    return server


def test_a_changed_conversation_is_stale_alone_and_the_message_says_which_why_and_what_to_do(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    change_turn("key", "Rotate the key, then restart all workers.")
    done = evaluate(bot, mode="cassette")
    assert done.code == 2
    assert "1 of 3 cassettes are stale: key (its turns changed)" in done.err
    assert "extraction-bot evaluate --mode record --stale" in done.err


def test_stale_records_the_changed_and_the_new_and_keeps_the_others_byte_for_byte(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    before = cassettes()
    change_turn("key", "Rotate the key, then restart all workers.")
    with (GOLD / CONVERSATIONS).open("a") as file:
        turn = {"turn_index": 0, "role": "user", "content": "I like plums."}
        file.write(json.dumps({"conversation_id": "plums", "turns": [turn]}) + "\n")
    with (GOLD / EXPECTED).open("a") as file:
        row = {"conversation_id": "plums", "turn_index": 0, "expected": [], "temporal_kinds": []}
        file.write(json.dumps(row) + "\n")
    done = record(bot, "--stale")
    assert done.code == 0, done.err
    assert len(recorded.asked) == 2
    after = cassettes()
    assert set(after) == {*before, "plums"}
    assert after["deploys"] == before["deploys"]
    assert after["key"]["request_sha256"] != before["key"]["request_sha256"]
    assert evaluate(bot, mode="cassette").code == 0


def test_stale_with_nothing_stale_calls_nobody(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    before = cassettes()
    assert record(bot, "--stale").code == 0
    assert not recorded.asked
    assert cassettes() == before


def test_only_records_the_named_one(place: Path, bot: Bot, recorded: ModelServer) -> None:
    assert record(bot, "--only", "flag").code == 0
    assert dict(recorded.calls) == {"flag": 1}
    assert evaluate(bot, mode="cassette").code == 0


def test_only_is_refused_before_any_call_while_others_are_stale(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    change_turn("key", "Rotate the key, then restart all workers.")
    done = record(bot, "--only", "flag")
    assert done.code == 2
    assert "1 other cassettes are stale: key (its turns changed)" in done.err
    assert not recorded.asked


def test_another_prompt_makes_every_cassette_stale(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    (place / "mine.py").write_text("PROMPT = 'Extract.'\n")
    configure('prompt = "mine:PROMPT"\n' + QUICK)
    done = evaluate(bot, mode="cassette")
    assert done.code == 2
    assert "3 of 3 cassettes are stale: deploys (the prompt changed)" in done.err
    assert record(bot, "--stale").code == 0
    assert recorded.asked[0].body["messages"][0]["content"] == "Extract."
    assert evaluate(bot, mode="cassette").code == 0


def test_a_part_of_an_oracle_set_cannot_be_recorded(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = record(bot, "--only", "key")
    assert done.code == 2
    assert "record all of them once" in done.err
    assert not server.asked


def test_an_edited_expectation_needs_no_model_only_a_new_manifest(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    edit_jsonl(
        GOLD / EXPECTED,
        lambda row: (
            row | {"expected": [], "temporal_kinds": []} if row["conversation_id"] == "key" else row
        ),
    )
    recorded_at = load(GOLD / MANIFEST)["recorded_at"]
    assert evaluate(bot, mode="cassette").code == 2
    before = (GOLD / CASSETTES).read_bytes()
    assert bot("refresh-manifest", "--gold-set", "gold").code == 0
    assert (GOLD / CASSETTES).read_bytes() == before
    assert load(GOLD / MANIFEST)["recorded_at"] == recorded_at
    assert evaluate(bot, mode="cassette").code == 0
    assert not recorded.asked


def test_refresh_manifest_does_not_hide_a_stale_recording(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    change_turn("key", "Rotate the key, then restart all workers.")
    done = bot("refresh-manifest", "--gold-set", "gold")
    assert done.code == 2
    assert "key (its turns changed)" in done.err


def test_recordings_without_a_question_are_as_fresh_as_their_manifest(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    """Written by another producer: nothing but id, model and answer."""
    edit_jsonl(
        GOLD / CASSETTES,
        lambda row: {name: row[name] for name in ("conversation_id", "model", "raw_json")},
    )
    manifest = load(GOLD / MANIFEST)
    manifest["cassettes_sha256"] = hashlib.sha256((GOLD / CASSETTES).read_bytes()).hexdigest()
    (GOLD / MANIFEST).write_text(json.dumps(manifest))
    assert evaluate(bot, mode="cassette").code == 0
    assert record(bot, "--only", "key").code == 0
    change_turn("key", "Rotate the key, then restart all workers.")
    done = record(bot, "--only", "key")
    assert done.code == 2
    assert "recorded without request_sha256, and the files changed since" in done.err


def test_a_gold_set_that_was_never_recorded_can_be(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    shutil.move(GOLD / MANIFEST, "old.json")
    (GOLD / CASSETTES).unlink()
    done = record(bot, "--model", "gpt-4o-mini")
    assert done.code == 0, done.err
    assert load(GOLD / MANIFEST)["gold_set"] == "gold", "called as its folder"
    assert evaluate(bot, mode="cassette").code == 0


def test_recording_satisfies_the_oracle_policy(
    place: Path, bot: Bot, recorded: ModelServer
) -> None:
    Path("files").write_bytes(b"M\0bot/extraction/prompt_v2.py\0")
    Path("body").write_text("A change.")
    done = bot(
        "check-oracle-policy",
        *("--manifest", str(GOLD / MANIFEST), "--changed-files", "files", "--pr-body-file", "body"),
        *("--out", "policy.json"),
    )
    assert done.code == 0, done.err
