import json
import subprocess
import threading
from pathlib import Path

import pytest

from bot.environment import Overrides, identify_run, pull_request_head, server_url
from bot.errors import BadInput
from bot.files import locked, parse_json, read_bytes

NOTHING = Overrides()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"pull_request": 3}',
        b'{"pull_request": {"head": []}}',
        b'{"pull_request": {"head": {"sha": 1, "ref": "x"}}}',
    ],
)
def test_an_event_that_is_no_pull_requests_is_no_pull_request(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "event.json").write_bytes(content)
    assert pull_request_head({"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}) is None


def test_a_missing_event_file_is_no_event(tmp_path: Path) -> None:
    assert pull_request_head({"GITHUB_EVENT_PATH": str(tmp_path / "nowhere")}) is None


def test_what_the_command_line_says_goes_before_githubs_variables(tmp_path: Path) -> None:
    env = {"GITHUB_SHA": "a" * 40, "GITHUB_REF_NAME": "main", "GITHUB_RUN_NUMBER": "5"}
    said = Overrides(sha="C0FFEE1", branch="x", run_number=0, run_url="")
    found = identify_run(said, env, tmp_path)
    assert (found.sha, found.branch, found.run_number) == ("c0ffee1", "x", 0)


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "\u0663"])
def test_a_run_number_that_is_none_is_bad_input_and_an_empty_one_is_zero(
    tmp_path: Path, number: str
) -> None:
    env = {"GITHUB_SHA": "a" * 40, "GITHUB_RUN_NUMBER": number}
    if number:
        with pytest.raises(BadInput, match="GITHUB_RUN_NUMBER"):
            identify_run(NOTHING, env, tmp_path)
    else:
        assert identify_run(NOTHING, env, tmp_path).run_number == 0


def test_a_detached_head_has_a_commit_and_no_branch(tmp_path: Path) -> None:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for arguments in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["checkout", "-q", "--detach"],
    ):
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True)
    found = identify_run(NOTHING, {}, tmp_path)
    assert len(found.sha) == 40
    assert found.branch == "local"


def test_without_git_on_the_machine_there_is_a_clear_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert identify_run(NOTHING, {}, tmp_path).sha == "0" * 40


def test_the_server_is_github_unless_the_environment_says_otherwise() -> None:
    assert server_url({}) == server_url({"GITHUB_SERVER_URL": ""}) == "https://github.com"
    assert server_url({"GITHUB_SERVER_URL": "https://ghe.example.org"}) == "https://ghe.example.org"


def test_a_lock_that_another_writer_keeps_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.files.LOCK_TIMEOUT_SECONDS", 0.05)
    path = tmp_path / "data.json"
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(path):
            entered.set()
            leave.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(10)
    with pytest.raises(BadInput, match="another writer holds the lock"), locked(path):
        pass
    leave.set()
    holder.join()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1, "a": 2}', "key 'a' is given twice"),
        ("1" * 5_000, "is not JSON"),
        ("[" * 50_000, "nested too deeply"),
    ],
)
def test_json_is_read_strictly(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parse_json(text, "x.json")


def test_nan_is_let_in_where_a_caller_judges_it() -> None:
    assert json.dumps(parse_json('{"a": NaN}', "x", allow_nan=True)) == '{"a": NaN}'


def test_a_path_that_cannot_be_opened_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_bytes(tmp_path / ("x" * 300))
