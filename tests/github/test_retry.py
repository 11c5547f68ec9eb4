"""Retries on the test GitHub, with a clock that only sleeping moves."""

import logging
from pathlib import Path

import pytest

from bot.errors import Unreachable
from bot.github.interface import Ambiguous, GitHubRefused, GitHubUnreachable
from bot.github.retry import MAX_ATTEMPTS, MAX_TOTAL_SECONDS, Answer, limit_pause
from tests.github_server.scenario import create_token, open_pull_request
from tests.github_server.server import GitHubServer
from tests.support.github_place import FakeTime, GitHubPlace, github_place


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    made = github_place(github_server)
    open_pull_request(github_server, made.repo, files={"a.txt": "a"})
    return made


@pytest.mark.parametrize("kind", ["status", "close_before_change", "close_after_change"])
def test_a_read_that_fails_is_repeated_with_growing_pauses(place: GitHubPlace, kind: str) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind=kind, status=502, times=3)
    assert place.api(time).pull(1).number == 1
    assert len(time.slept) == 3
    assert time.slept == sorted(time.slept)
    assert time.slept[0] > 0


@pytest.mark.parametrize("status", [500, 502, 503])
def test_after_the_last_try_it_is_exit_code_3_and_one_line(place: GitHubPlace, status: int) -> None:
    place.server.faults.add(path="/pulls/1$", kind="status", status=status, times=None)
    with pytest.raises(GitHubUnreachable, match=f"after {MAX_ATTEMPTS} attempts") as caught:
        place.api().pull(1)
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("path", "status"), [("/pulls/1$", 403), ("/pulls/99$", 404)])
def test_a_refusal_is_not_repeated(place: GitHubPlace, path: str, status: int) -> None:
    if status == 403:
        place.server.faults.add(path=path, kind="status", status=403, times=None)
    time = FakeTime()
    with pytest.raises(GitHubRefused) as caught:
        place.api(time).pull(1 if status == 403 else 99)
    assert (caught.value.status, time.slept) == (status, [])


def test_an_invalid_request_is_not_repeated(place: GitHubPlace) -> None:
    time = FakeTime()
    with pytest.raises(GitHubRefused) as caught:
        place.api(time).create_pull("t", "b", "no-such-branch", "main")
    assert (caught.value.status, time.slept) == (422, [])


def test_retry_after_is_honoured(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="secondary_rate_limit", retry_after=17)
    place.api(time).pull(1)
    assert time.slept == [17]


def test_a_secondary_limit_without_retry_after_waits_about_a_minute(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="secondary_rate_limit")
    place.api(time).pull(1)
    assert time.slept == [60]


def test_a_primary_limit_waits_for_its_reset() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1045"}
    assert limit_pause(Answer(403, headers, "API rate limit exceeded"), 1000.0) == 46.0


def test_a_reset_too_far_away_ends_at_once_with_exit_code_3(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="primary_rate_limit", reset_in=10**9, times=None)
    with pytest.raises(GitHubUnreachable):
        place.api(time).pull(1)
    assert time.slept == []


def test_no_request_takes_more_than_five_minutes_in_all(place: GitHubPlace) -> None:
    time = FakeTime()
    started = time.now()
    fault = {"kind": "secondary_rate_limit", "retry_after": 100, "times": None}
    place.server.faults.add(path="/pulls/1$", **fault)  # type: ignore[arg-type]
    with pytest.raises(GitHubUnreachable):
        place.api(time).pull(1)
    assert time.now() - started <= MAX_TOTAL_SECONDS


def test_a_plain_403_with_a_stray_retry_after_is_a_refusal() -> None:
    refused = Answer(403, {"retry-after": "9"}, "Resource not accessible by integration")
    assert limit_pause(refused, 0.0) is None


@pytest.mark.parametrize("value", ["soon", "", "-5"])
def test_a_retry_after_that_is_no_number_does_no_harm(value: str) -> None:
    pause = limit_pause(Answer(429, {"retry-after": value}, "slow down"), 0.0)
    assert pause in (0.0, 60.0)


def test_what_may_have_been_done_is_not_repeated_blindly(place: GitHubPlace) -> None:
    place.server.faults.add(method="POST", path="/comments$", kind="close_after_change")
    with pytest.raises(Ambiguous):
        place.api().create_comment(1, "hello")
    assert len(place.repo.comments) == 1


def test_what_was_limited_was_not_done_and_is_repeated(place: GitHubPlace) -> None:
    place.server.faults.add(
        method="POST", path="/comments$", kind="secondary_rate_limit", retry_after=2
    )
    place.api().create_comment(1, "hello")
    assert len(place.repo.comments) == 1


def test_no_secret_is_in_any_message_or_log(
    place: GitHubPlace, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    token = create_token(place.server, "actions", {"metadata": "read"}, repository=place.repo)
    said: list[str] = []
    for kind in ("status", "close_before_change", "secondary_rate_limit", "primary_rate_limit"):
        place.server.faults.add(path="/pulls/1$", kind=kind, times=None, reset_in=10**6)
        for value in (place.token, token):
            with pytest.raises(Unreachable) as caught:
                place.api(token=value).pull(1)
            said.append(f"{caught.value} {caught.value.__cause__} {caught.getrepr(style='long')}")
        place.server.faults.clear()
    everything = " ".join(said) + caplog.text
    assert place.token.value not in everything
    assert token.value not in everything
