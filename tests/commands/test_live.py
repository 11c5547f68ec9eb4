"""Live evaluation over HTTP: what is asked, what comes of bad answers, and what a run may cost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Bot, load
from tests.commands.live import CONFIG, JOURNAL, KEY, LATEST, QUICK, configure, evaluate, server
from tests.model_server import replies
from tests.model_server.replies import Asked, Behaviour, Reply, fails, rate_limited
from tests.model_server.server import ModelServer
from tests.support.gold import Said, write_gold_set

__all__ = ["server"]

ONCE = {"deploys": 1, "flag": 1, "key": 1}


def failures() -> dict[str, int]:
    found: dict[str, int] = load(LATEST)["answering"]["failures"]
    return found


def test_a_model_that_answers_right_is_called_once_a_conversation_and_scores_one(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot)
    assert done.code == 0, done.err
    report = load(LATEST)
    assert dict(server.calls) == ONCE
    assert report["metrics"]["recall_macro"] == report["metrics"]["precision_macro"] == 1.0
    assert (report["mode"], report["provider"], report["enforcement"]) == ("live", "openai", "ci")
    assert report["model"] == "gpt-4o-mini", "the model that was recorded, when none is named"
    assert report["cassette_kind"] is None
    assert report["answering"]["failures"] == {}
    assert report["answering"]["usage"] == {"prompt_tokens": 300, "completion_tokens": 60}
    assert report["answering"]["served_models"] == ["served-model-2026"]
    assert report["answering"]["latency_ms"]["p50"] > 0
    assert not JOURNAL.exists(), "a journal that has served is deleted"


def test_the_request_carries_prompt_framed_turns_parameters_and_a_strict_schema(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    evaluate(bot, "--model", "gpt-5-nano")
    asked = next(asked for asked in server.asked if asked.conversation_id == "flag")
    body = asked.body
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["seed"]) == ("gpt-5-nano", 0.0, 7)
    assert body["messages"][0]["role"] == "system"
    assert body["messages"][0]["content"].startswith("You extract long-term memories")
    assert body["messages"][1]["content"] == (
        '<turn index="0" role="user">The flag is on until 30 September 2026.</turn>\n'
        '<turn index="1" role="user">Thanks a lot!</turn>'
    )
    schema = body["response_format"]["json_schema"]
    assert body["response_format"]["type"] == "json_schema"
    assert schema["strict"] is True
    memory = schema["schema"]["$defs"]["ExtractedMemory"]
    assert memory["required"] == [
        "content",
        "categories",
        "confidence",
        "valid_from",
        "valid_until",
    ]
    assert memory["additionalProperties"] is False


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (replies.refusal, "refusal"),
        (replies.says("{}", finish_reason="content_filter"), "refusal"),
        (replies.no_json, "invalid_json"),
        (replies.fenced, "invalid_json"),
        (replies.says(None), "invalid_json"),
        (replies.says("\ud800"), "invalid_json"),
        (replies.says('{"turns": NaN}'), "invalid_json"),
        (replies.says("[" * 100_000), "invalid_json"),
        (replies.eleven_memories, "schema_violation"),
        (replies.remembers(replies.memory(confidence=2)), "schema_violation"),
        (replies.remembers(replies.memory(extra=1)), "schema_violation"),
        (replies.wrong_turn, "wrong_turns"),
        (replies.says('{"turns": []}'), "wrong_turns"),
        (replies.truncated, "truncated"),
        (fails(400, "the prompt is against our policy"), "rejected"),
        (fails(413, "too large"), "rejected"),
    ],
)
def test_a_bad_answer_is_counted_by_its_kind_asked_once_and_scored_as_empty(
    place: Path, bot: Bot, server: ModelServer, behaviour: Behaviour, kind: str
) -> None:
    server.script("key", behaviour)
    done = evaluate(bot)
    assert done.code == 0, done.err
    assert failures() == {kind: 1}
    assert dict(server.calls) == ONCE
    report = load(LATEST)
    # `key` holds the one procedural memory: empty, so it is missed and nothing is invented
    assert report["metrics"]["recall_procedural"] == 0.0
    assert report["metrics"]["precision_preference"] == 1.0
    assert [case["kind"] for case in report["cases"]] == ["missed"]
    (failed,) = report["answering"]["failed"]
    assert (failed["conversation_id"], failed["kind"]) == ("key", kind)
    assert "key" in done.out


@pytest.mark.parametrize(
    "behaviour",
    [
        rate_limited(),
        rate_limited("0"),
        rate_limited("nonsense"),
        fails(500),
        fails(503),
        fails(529),
        replies.cut,
        replies.html_page,
    ],
)
def test_a_passing_fault_is_tried_again_and_costs_no_score(
    place: Path, bot: Bot, server: ModelServer, behaviour: Behaviour
) -> None:
    server.script("key", behaviour, behaviour)
    assert evaluate(bot).code == 0
    assert failures() == {}
    assert dict(server.calls) == ONCE | {"key": 3}
    assert load(LATEST)["answering"]["calls"] == 5


def test_a_retry_after_is_waited_for_by_all_calls(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("deploys", rate_limited("1"))
    evaluate(bot, "--concurrency", "3")
    gaps = [late - early for early, late in zip(server.times, server.times[1:], strict=False)]
    assert gaps[0] >= 0.99
    assert failures() == {}


def test_a_server_that_asks_to_wait_too_long_ends_the_run(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("key", rate_limited("86400"))
    done = evaluate(bot)
    assert done.code == 3
    assert "asks to wait 86400 seconds" in done.err
    assert not LATEST.exists()


@pytest.mark.parametrize("behaviour", [replies.drips(0.02), replies.late(2)])
def test_an_answer_that_takes_too_long_is_a_timeout(
    place: Path, bot: Bot, server: ModelServer, behaviour: Behaviour
) -> None:
    configure(QUICK.replace("= 5", "= 0.4") + "max_attempts = 2\n")
    server.script("key", behaviour, behaviour)
    assert evaluate(bot).code == 0
    assert failures() == {"timeout": 1}
    assert server.calls["key"] == 2


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (fails(401, "Incorrect API key provided: sk-test-abcdefghij"), "HTTP 401"),
        (fails(403), "HTTP 403"),
        (fails(404, "The model `gpt-9` does not exist"), "does not exist"),
        (lambda asked: Reply(302, headers={"Location": "http://127.0.0.1:1/"}), "HTTP 302"),
    ],
)
def test_a_server_that_refuses_us_ends_the_run_at_once_with_exit_3(
    place: Path, bot: Bot, server: ModelServer, behaviour: Behaviour, message: str
) -> None:
    server.default = behaviour
    done = evaluate(bot)
    assert done.code == 3
    assert message in done.err
    assert done.err.count("\n") == 1
    assert "sk-test" not in done.err + done.out
    assert len(server.asked) == 1
    assert not LATEST.exists()


def test_a_quota_that_is_used_up_is_not_tried_again(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    body = b'{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    server.default = lambda asked: Reply(429, body)
    assert evaluate(bot).code == 3
    assert len(server.asked) == 1


def test_no_server_at_all_is_exit_3(place: Path, bot: Bot) -> None:
    configure(QUICK)
    done = evaluate(
        bot, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--api-key-env", "NONE"
    )
    assert done.code == 3
    assert done.err.startswith("error: 127.0.0.1:9: ")


def test_one_conversation_without_any_answer_is_data(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    configure(QUICK + "max_attempts = 2\n")
    server.script("key", *[fails(500)] * 2)
    assert evaluate(bot).code == 0
    assert failures() == {"unavailable": 1}


def test_an_outage_half_way_ends_the_run_and_keeps_what_was_answered(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three conversations without an answer after all attempts are no measurement of a model."""
    configure(QUICK + "max_attempts = 2\n")
    write_gold_set(place / "gold", {f"c{n}": [Said(f"I own boat {n}.")] for n in range(9)})
    with ModelServer(place / "gold").running() as server:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        for n in range(4, 9):
            server.script(f"c{n}", fails(503), fails(503))
        flags = ("--base-url", server.base_url, "--concurrency", "1")
        done = evaluate(bot, *flags)
        assert done.code == 3
        assert "3 conversations were not answered at all" in done.err
        assert not LATEST.exists()
        assert evaluate(bot, *flags, "--resume").code == 0
        assert failures() == {"unavailable": 2}, "c7 and c8; c4 to c6 were asked again"
        assert server.calls["c0"] == 1


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://host/v1", "http://", "http://user:pw@host/v1", "http://[::1"]
)
def test_an_address_that_is_none_is_bad_input(place: Path, bot: Bot, url: str) -> None:
    done = evaluate(bot, "--model", "m", "--base-url", url)
    assert done.code == 2
    assert "is no address of a server" in done.err
    assert "pw" not in done.err


def test_a_key_with_a_line_break_is_named_and_not_shown(
    place: Path, bot: Bot, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc\ndef")
    done = evaluate(bot)
    assert done.code == 2
    assert "sk-abc" not in done.err


def test_openai_without_a_key_is_bad_input_before_any_call(place: Path, bot: Bot) -> None:
    done = evaluate(bot)
    assert done.code == 2
    assert "OPENAI_API_KEY" in done.err


def test_the_openai_key_never_goes_to_a_vllm_server(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot, "--model", "Qwen", mode="vllm")
    assert done.code == 0, done.err
    assert all("authorization" not in asked.headers for asked in server.asked)
    report = load(LATEST)
    assert (report["provider"], report["enforcement"]) == ("vllm", "manual")


def test_a_key_of_another_variable_is_sent_when_it_is_named(
    place: Path, bot: Bot, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_KEY", "gpu-secret")
    evaluate(bot, "--model", "Qwen", "--api-key-env", "GPU_KEY", mode="vllm")
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer gpu-secret"}


# --- servers that know less


def refusing(*names: str) -> Any:
    """A server that refuses requests with one of these parameters, by name, as OpenAI does."""

    def check(asked: Asked) -> Reply | None:
        for name in names:
            if name in asked.body:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                body = {"error": {"message": message, "param": name, "code": "unsupported"}}
                return Reply(400, json.dumps(body).encode())
        return None

    return check


def formats(server: ModelServer) -> list[str]:
    return [
        ("schema+" if "schema" in f else "") + f["type"]
        if (f := a.body.get("response_format"))
        else "text"
        for a in server.asked
    ]


@pytest.mark.parametrize("status", [400, 422, 500, 501])
def test_a_server_without_structured_output_is_asked_in_json_mode_then_in_plain_text(
    place: Path, bot: Bot, server: ModelServer, status: int
) -> None:
    server.check = lambda asked: (
        fails(status, "response_format is not supported")(asked)
        if "response_format" in asked.body
        else None
    )
    done = evaluate(bot)
    assert done.code == 0, done.err
    assert formats(server) == ["json_schema", "schema+json_object", "json_object", *["text"] * 3]
    assert load(LATEST)["metrics"]["recall_macro"] == 1.0
    assert load(LATEST)["answering"]["parameters"]["request"] == "text, max_tokens"
    assert "the server refused a part of the request" in done.err


def test_a_server_with_json_mode_only_stays_there(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.check = lambda asked: (
        fails(400, "unknown response_format type json_schema")(asked)
        if asked.body["response_format"]["type"] == "json_schema"
        else None
    )
    evaluate(bot)
    assert formats(server) == ["json_schema", *["schema+json_object"] * 3]


def test_parameters_that_a_model_refuses_are_left_out_for_all_further_calls(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.check = refusing("temperature", "seed", "max_tokens")
    assert evaluate(bot).code == 0
    last = server.asked[-1].body
    assert not {"temperature", "seed", "max_tokens"} & set(last)
    assert last["max_completion_tokens"] == 4096
    assert len(server.asked) == 3 + 3, "one refused call for each parameter, not for each turn"
    assert failures() == {}


def test_a_conversation_too_long_for_the_model_is_one_rejected_conversation(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    text = "This model's maximum context length is 512 tokens, max_tokens is too large"
    server.script("key", fails(400, text))
    evaluate(bot)
    assert failures() == {"rejected": 1}
    assert dict(server.calls) == ONCE


@pytest.mark.parametrize(
    ("setting", "where"),
    [("guided_json", ("guided_json",)), ("structured_outputs", ("structured_outputs", "json"))],
)
def test_vllm_can_be_given_the_schema_in_its_own_parameter(
    place: Path, bot: Bot, server: ModelServer, setting: str, where: tuple[str, ...]
) -> None:
    configure(QUICK + f'structured_output = "{setting}"\n')
    evaluate(bot, "--model", "Qwen", mode="vllm")
    value: Any = server.asked[0].body
    for name in where:
        value = value[name]
    assert value["required"] == ["turns"]
    assert "response_format" not in server.asked[0].body


# --- what it may cost, and when it stops

PRICE = '[prices."gpt-4o-mini"]\ninput = 0.15\noutput = 0.60\n'


def test_the_cost_is_tokens_times_price(place: Path, bot: Bot, server: ModelServer) -> None:
    configure(QUICK + PRICE)
    done = evaluate(bot)
    # 3 x (100 x 0.15 + 20 x 0.60) / 1,000,000
    assert load(LATEST)["answering"]["cost_usd"] == pytest.approx(0.000081)
    assert "cost 0.0001 USD" in done.out


def test_an_unknown_price_is_unknown_and_not_zero(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot)
    assert load(LATEST)["answering"]["cost_usd"] is None
    assert "cost unknown" in done.out


def test_a_server_that_counts_no_tokens_makes_the_cost_unknown(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    configure(QUICK + PRICE)
    server.script("key", lambda a: Reply(body=replies.completion("{}", usage=None)))
    evaluate(bot)
    assert load(LATEST)["answering"]["cost_usd"] is None


def test_max_cost_without_a_price_is_refused_before_any_call(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot, "--max-cost", "1")
    assert done.code == 2
    assert '[prices."gpt-4o-mini"]' in done.err
    assert not server.asked


@pytest.mark.parametrize("sum_of_money", ["nan", "inf", "-1"])
def test_a_bound_that_is_no_sum_of_money_is_bad_input(
    place: Path, bot: Bot, server: ModelServer, sum_of_money: str
) -> None:
    configure(QUICK + PRICE)
    done = evaluate(bot, "--max-cost", sum_of_money)
    assert done.code == 2
    assert "--max-cost" in done.err
    assert not server.asked


def test_max_cost_is_never_passed_and_what_was_paid_for_is_kept(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    """A call is held to cost at most its bytes and 4,096 tokens; each turns out to cost 0.2 USD."""
    configure(QUICK + '[prices."gpt-4o-mini"]\ninput = 0\noutput = 10000\n')
    # most: 40.96 USD a call; real: 20 tokens = 0.2 USD. 41.3 USD: two calls, then 40.9 are left
    done = evaluate(bot, "--max-cost", "41.3", "--concurrency", "3")
    assert done.code == 3
    assert "--max-cost 41.3 USD" in done.err
    assert "0.4000 USD spent" in done.err
    assert len(server.asked) == 2
    assert JOURNAL.read_text().count("\n") == 2
    assert not LATEST.exists()


def test_max_failures_stops_early_with_exit_3_and_resume_goes_on(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("deploys", replies.refusal)
    done = evaluate(bot, "--max-failures", "0", "--concurrency", "1")
    assert done.code == 3
    assert "more than --max-failures 0" in done.err
    assert dict(server.calls) == {"deploys": 1}
    done = evaluate(bot, "--resume")
    assert done.code == 0
    assert dict(server.calls) == ONCE, "a refusal was paid for and is not asked again"
    assert failures() == {"refusal": 1}
    assert load(LATEST)["answering"]["resumed"] == 1


def test_calls_are_bounded_and_do_run_at_once(place: Path, bot: Bot, server: ModelServer) -> None:
    server.default = replies.late(0.3)
    evaluate(bot, "--concurrency", "2")
    assert server.most_under_way == 2


def test_only_the_first_call_goes_alone(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gold_set(place / "gold", {f"c{n}": [Said(f"I own boat {n}.")] for n in range(5)})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer(place / "gold").running() as server:
        server.default = replies.late(0.5)
        assert evaluate(bot, "--base-url", server.base_url, "--concurrency", "4").code == 0
        assert server.most_under_way == 4


def test_limit_makes_a_partial_report_that_the_gate_does_not_pass(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot, "--limit", "2")
    assert done.code == 0
    assert "a partial report: 2 of 3 conversations" in done.err
    report = load(LATEST)
    assert (report["conversation_count"], report["gold_conversation_count"]) == (2, 3)
    gated = bot(
        "gate", "--latest", str(LATEST), "--baseline", "gold/baseline_results.json", "--out", "g"
    )
    assert gated.code == 1
    assert "the report covers 2 of 3 conversations" in gated.err


def test_only_asks_for_the_named_conversations(place: Path, bot: Bot, server: ModelServer) -> None:
    evaluate(bot, "--only", "key", "--only", "flag")
    assert dict(server.calls) == {"key": 1, "flag": 1}


# --- the journal


def test_a_run_that_did_not_finish_is_not_begun_anew_by_accident(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("flag", fails(401))
    assert evaluate(bot, "--concurrency", "1").code == 3
    done = evaluate(bot)
    assert done.code == 2
    assert "--resume" in done.err
    assert server.calls["deploys"] == 1


def test_resume_asks_again_for_what_changed_meanwhile(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("key", fails(401))
    evaluate(bot, "--concurrency", "1")
    assert evaluate(bot, "--resume", "--model", "another").code == 0
    assert dict(server.calls) == {"deploys": 2, "flag": 2, "key": 2}


def test_resume_asks_again_after_a_timeout_and_keeps_the_other_answers(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    configure(QUICK.replace("= 5", "= 0.3") + "max_attempts = 1\n")
    server.script("deploys", replies.late(1))
    assert evaluate(bot, "--max-failures", "0", "--concurrency", "1").code == 3
    assert evaluate(bot, "--resume").code == 0
    assert failures() == {}
    assert dict(server.calls) == ONCE | {"deploys": 2}


@pytest.mark.parametrize("tail", ['{"conversation_id": "key", "raw', "\x00\xff", "[]\n{}\n"])
def test_a_journal_with_a_broken_line_is_read_around_it(
    place: Path, bot: Bot, server: ModelServer, tail: str
) -> None:
    server.script("key", fails(401))
    evaluate(bot, "--concurrency", "1")
    with JOURNAL.open("a", encoding="latin-1") as file:
        file.write(tail)
    assert evaluate(bot, "--resume").code == 0
    assert dict(server.calls) == ONCE | {"key": 2}


def test_an_edited_journal_cannot_smuggle_a_bad_answer_in(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("key", fails(401))
    evaluate(bot, "--concurrency", "1")
    JOURNAL.write_text(JOURNAL.read_text().replace("turn_index", "turn"))
    evaluate(bot, "--resume")
    assert failures() == {"schema_violation": 2}


def test_no_key_stands_in_the_journal_or_the_report(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    server.script("key", fails(401, f"bad key {KEY} of org-abcdefghijk"))
    done = evaluate(bot, "--concurrency", "1")
    everything = JOURNAL.read_text() + done.out + done.err
    assert KEY not in everything
    assert "org-abcdefghijk" not in everything


def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(place: Path, server: ModelServer) -> None:
    """A real process, a real signal."""
    server.script("flag", replies.late(30))
    command = [sys.executable, "-m", "bot", "evaluate", "--gold-set", "gold", "--mode", "live"]
    command += ["--out", str(LATEST), "--concurrency", "1"]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 20
    while server.calls["flag"] < 1 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "what was answered is kept in out/live-journal.jsonl: --resume goes on" in err
    assert "Traceback" not in err
    assert JOURNAL.read_text().count("\n") == 1
    done = subprocess.run(
        [*command, "--resume"], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert server.calls["deploys"] == 1


# --- weekly full runs


def test_a_full_run_without_a_key_replays_the_cassettes_and_says_so(place: Path, bot: Bot) -> None:
    done = evaluate(bot, mode="full")
    assert done.code == 0
    assert "no OPENAI_API_KEY: replays the cassettes instead of calling a model" in done.err
    assert load(LATEST)["mode"] == "cassette"


def test_the_main_job_runs_live_and_shows_failures_cost_and_latency_in_the_comment(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    configure(QUICK + PRICE)
    server.script("key", replies.refusal)
    done = bot("run", "--gold-set", "gold", "--mode", "full")
    assert done.code == 1, "a refused conversation is a miss, and the gate sees it"
    comment = Path("out/comment.md").read_text()
    assert "1 of 3&#58; 1 refused" in comment
    assert "0.0001 USD" in comment
    assert "p50" in comment
    run = load(Path("web_data/extraction-quality-benchmark-data.json"))["runs"][0]
    assert run["mode"] == "full"
    assert run["providers"][0]["answering"]["failures"] == {"refusal": 1}
    assert run["providers"][0]["answering"]["failed"] == []


def test_a_bad_baseline_is_found_before_a_model_is_asked(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    assert bot("run", "--gold-set", "gold", "--mode", "live", "--baseline", "none").code == 2
    assert not server.asked


def test_a_server_or_key_cannot_be_configured_in_a_file_that_a_pull_request_changes(
    place: Path, bot: Bot
) -> None:
    configure('[live]\nbase_url = "http://elsewhere/v1"\n')
    done = evaluate(bot)
    assert done.code == 2
    assert "live.base_url" in done.err
    assert str(CONFIG) in done.err


def test_repeats_ask_again_and_tell_the_models_own_spread(
    place: Path, bot: Bot, server: ModelServer
) -> None:
    done = evaluate(bot, "--repeats", "3")
    assert done.code == 0, done.err
    assert dict(server.calls) == dict.fromkeys(ONCE, 3)
    repeats = load(LATEST)["repeats"]
    assert repeats["count"] == 3
    spread = repeats["metrics"]["recall_macro"]
    assert (spread["mean"], spread["between_repeats_pp"]) == (1.0, 0.0)
    assert "over 3 repeats: mean 100.00%" in done.out
    assert list(LATEST.parent.glob("live-journal*")) == []


@pytest.mark.parametrize("mode", ["cassette", "record"])
def test_repeats_go_with_a_mode_that_asks_a_model(
    place: Path, bot: Bot, server: ModelServer, mode: str
) -> None:
    done = evaluate(bot, "--repeats", "2", mode=mode)
    assert done.code == 2
    assert "--repeats" in done.err
    assert not server.calls
