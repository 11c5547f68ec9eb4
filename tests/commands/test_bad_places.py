"""Places and words that cannot be used: one line, exit code 2, and nothing half-written."""

import http.client
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.commands.dashboard import _Quiet, _Server
from tests.commands.conftest import Bot, load
from tests.support.github_place import ROOT

ACTION = f"octo-org/bot@{'a' * 40}"
RUN = ["run", "--gold-set", "gold"]


def files() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


def assert_refused(bot: Bot, words: list[str], says: str) -> None:
    before = files()
    done = bot(*words)
    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert says in done.err
    assert files() == before, "nothing was written"


@pytest.mark.parametrize(
    ("blocked", "words"),
    [
        ("web_data", RUN),
        ("web_data/archive", RUN),
        ("out", RUN),
        ("out", ["evaluate", "--gold-set", "gold", "--out", "out/latest.json"]),
        (".github", ["init", "--action", ACTION]),
        (".github/workflows", ["init", "--action", ACTION]),
        ("web_data", ["show"]),
        ("web_data", ["history", "--metric", "recall_macro"]),
        ("web_data", ["dashboard", "build", "--out", "site"]),
        ("web_data/archive", ["dashboard", "build", "--archive", "--out", "site"]),
    ],
)
def test_a_file_where_a_folder_belongs_is_said_before_anything_is_written(
    place: Path, bot: Bot, blocked: str, words: list[str]
) -> None:
    Path(blocked).parent.mkdir(exist_ok=True)
    Path(blocked).touch()
    assert_refused(bot, words, "is no folder")


def test_a_folder_where_a_file_belongs_is_bad_input(place: Path, bot: Bot) -> None:
    assert_refused(bot, [*RUN, "--data", "."], "is a directory")


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(place: Path, bot: Bot) -> None:
    bot(*RUN)
    os.mkfifo("pipe")
    baseline = ["--baseline", "gold/baseline_results.json"]
    assert_refused(
        bot, ["gate", "--latest", "out/latest.json", *baseline, "--out", "pipe"], "no regular file"
    )
    assert_refused(bot, ["evaluate", "--gold-set", "gold", "--out", "pipe"], "no regular file")
    assert Path("pipe").is_fifo()


def test_a_folder_that_may_not_be_written_is_said_before_anything_is_written(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("web_data").mkdir()
    may = os.access  # root may write anywhere, so the answer is another's
    monkeypatch.setattr(
        "os.access", lambda path, mode: "web_data" not in str(path) and may(path, mode)
    )
    assert_refused(bot, RUN, "cannot be written: Permission denied")


def test_a_lock_that_cannot_be_taken_is_bad_input(place: Path, bot: Bot) -> None:
    bot(*RUN)
    Path("gold/baseline_results.json.lock").unlink(missing_ok=True)
    Path("gold/baseline_results.json.lock").mkdir()
    words = ["baseline", "set", "openai", "--latest", "out/latest.json"]
    assert_refused(bot, [*words, "--baseline", "gold/baseline_results.json"], "cannot be written")


@pytest.mark.parametrize(
    "words",
    [
        [*RUN, "--branch", "b\udcff"],
        [*RUN, "--run-url", "http://a\udcff"],
        ["init", "--action", ACTION, "--gold-set", "a\udcff"],
        ["init", "--action", ACTION, "--prompt", "a\udcff:b"],
    ],
)
def test_words_that_are_no_utf_8_are_bad_input(place: Path, bot: Bot, words: list[str]) -> None:
    assert_refused(bot, words, "is no UTF-8")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--branch", "b" * 501], "the branch: is longer than 500"),
        (["--run-url", f"https://{'a' * 2_000}"], "is longer than 2,000"),
        (["--run-number", "9" * 29], "the run's number: is over"),
    ],
)
def test_what_the_published_file_cannot_hold_is_bad_input(
    place: Path, bot: Bot, words: list[str], says: str
) -> None:
    assert_refused(bot, [*RUN, *words], says)


def test_a_branch_of_the_environment_is_held_to_the_same(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REF_NAME", "b\udcff")
    assert_refused(bot, RUN, "the branch")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_what_is_no_number_is_bad_input(place: Path, bot: Bot, number: str) -> None:
    bot(*RUN)
    assert_refused(bot, ["power", "--latest", "out/latest.json", "--drop", number], "--drop")


def test_the_bots_own_baseline_is_not_set_from_another_repository(place: Path, bot: Bot) -> None:
    bot(*RUN)
    own = ROOT / "bot/evaluation/gold_set/v1/baseline_results.json"
    before = own.read_bytes()
    assert_refused(bot, ["baseline", "set", "openai", "--latest", "out/latest.json"], "bot's own")
    assert own.read_bytes() == before


def test_init_says_that_the_gold_set_is_not_there_yet(place: Path, bot: Bot) -> None:
    done = bot("init", "--action", ACTION, "--gold-set", "nope")
    assert done.code == 0
    assert "nope: there is no such gold set yet" in done.err


def test_doctor_sees_templates_that_are_not_there_and_a_folder_that_is_no_repository(
    place: Path, bot: Bot
) -> None:
    bot("init", "--action", ACTION, "--gold-set", "gold")
    with Path(".github/extraction-bot.toml").open("a") as config:
        config.write('templates = "nope"\n')
    done = bot("doctor")
    assert done.code == 1
    assert "templates: nope is no folder" in done.err
    assert "no git repository" in done.err


def test_a_repository_that_is_none_is_bad_input(
    place: Path, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "t")
    done = bot("doctor", "--github-repository", "a b/c")
    assert done.code == 2
    assert "is no OWNER/NAME" in done.err


def test_output_that_cannot_be_written_is_one_line(place: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for command in ("schema", "--help"):
        with Path("/dev/full").open("w") as full:
            words = [sys.executable, "-m", "bot", command]
            done = subprocess.run(
                words,
                cwd=place,
                env=env,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, done.stderr) == (2, "error: the output: No space left on device\n")


def test_an_archive_that_is_not_there_is_said(place: Path, bot: Bot) -> None:
    bot(*RUN)
    Path("web_data/archive/extraction-quality.jsonl").unlink()
    done = bot("dashboard", "build", "--archive", "--out", "site")
    assert done.code == 0
    assert "there is no archive" in done.err
    assert len(load(Path("site/data/extraction_quality.json"))["runs"]["sha"]) == 1


@pytest.fixture
def port(place: Path) -> Iterator[int]:
    """What `dashboard serve` serves with."""
    Path("index.html").write_text("ours")
    with _Server(("127.0.0.1", 0), _Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        ("127.0.0.1:{port}", "/", 200),
        ("localhost:{port}", "/index.html", 200),
        ("evil.example", "/", 421),
        ("evil.example:{port}", "/", 421),
        ("127.0.0.1:{port}", "/%00", 404),
    ],
)
def test_the_site_is_served_under_names_of_this_machine_only(
    port: int, host: str, path: str, status: int
) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    client.request("GET", path, headers={"Host": host.format(port=port)})
    assert client.getresponse().status == status


def test_a_client_that_goes_away_is_no_news(port: int, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(5):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"GET / HTTP/1.1\r\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()  # with a reset
    again = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    again.request("GET", "/")
    assert again.getresponse().status == 200
    assert "Traceback" not in capfd.readouterr().err
