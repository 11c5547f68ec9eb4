"""Retries on the test GitHub, with a clock that only sleeping moves."""

from email.utils import formatdate

import pytest

from bot.github.interface import Ambiguous, GitHubRefused, GitHubUnreachable
from bot.github.pygithub import Credentials, PyGithubApi
from bot.github.retry import (
    LIMIT_JITTER,
    MAX_ATTEMPTS,
    MAX_TOTAL_SECONDS,
    Answer,
    Failed,
    Retrier,
    limit_pause,
)
from tests.github_server.scenario import commit_files, open_pull_request
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


def test_pauses_are_left_to_chance_by_half_so_that_jobs_do_not_return_together() -> None:
    shortest, longest = Retrier(chance=lambda: 0.0), Retrier(chance=lambda: 1.0)
    assert [shortest.backoff(n) for n in range(7)] == [0.25, 0.5, 1, 2, 4, 8, 15]
    assert [longest.backoff(n) for n in range(7)] == [0.5, 1, 2, 4, 8, 16, 30]


def test_chance_differs_from_job_to_job() -> None:
    assert Retrier().backoff(5) != Retrier().backoff(5)


def test_a_server_that_cannot_be_reached_is_tried_a_bounded_number_of_times() -> None:
    time = FakeTime()
    retrier = Retrier(time.now, time.sleep, lambda: 0.5)
    api = PyGithubApi("o/r", Credentials(token="ghs_x"), "http://127.0.0.1:1", retrier)
    with pytest.raises(GitHubUnreachable, match=r"no answer \(ConnectionError\), after 6 attempts"):
        api.pull(1)
    assert len(time.slept) == MAX_ATTEMPTS - 1


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


def test_retry_after_is_honoured_and_a_little_is_left_to_chance(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="secondary_rate_limit", retry_after=17)
    place.api(time).pull(1)
    assert time.slept == [pytest.approx(17 * (1 + LIMIT_JITTER / 2))]


def test_retry_after_of_a_server_error_is_honoured(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="status", status=503, retry_after=23)
    place.api(time).pull(1)
    assert time.slept == [23]


def test_a_secondary_limit_without_retry_after_waits_a_minute_then_two(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="secondary_rate_limit", times=2)
    place.api(time).pull(1)
    assert time.slept == [pytest.approx(63), pytest.approx(126)]


def test_a_primary_limit_waits_for_its_reset() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1045"}
    assert limit_pause(Answer(403, headers, "API rate limit exceeded"), 1000.0) == 46.0


def test_the_reset_is_read_by_the_servers_clock_when_ours_is_wrong(place: GitHubPlace) -> None:
    time = FakeTime(seconds=4_000_000_000.0)
    place.server.faults.add(path="/pulls/1$", kind="primary_rate_limit", reset_in=90)
    place.api(time).pull(1)
    assert 90 <= time.slept[0] <= 92 * (1 + LIMIT_JITTER)
    headers = {"x-ratelimit-reset": "1045", "date": formatdate(1000)}
    assert limit_pause(Answer(403, headers, "API rate limit exceeded"), 9e9) == 46.0


def test_a_refusal_with_the_last_request_of_the_hour_is_a_refusal() -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1045"}
    assert limit_pause(Answer(403, headers, "Resource not accessible by integration"), 0) is None
    assert limit_pause(Answer(429, headers, "slow down"), 1000) == 46


def test_a_reset_too_far_away_ends_at_once_with_exit_code_3(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(path="/pulls/1$", kind="primary_rate_limit", reset_in=10**9, times=None)
    with pytest.raises(GitHubUnreachable, match="after 1 attempt, and it asks to wait 1,"):
        place.api(time).pull(1)
    assert time.slept == []


def test_all_requests_of_a_job_together_lose_no_more_than_five_minutes(place: GitHubPlace) -> None:
    time = FakeTime()
    api = place.api(time)
    fault = {"kind": "secondary_rate_limit", "retry_after": 100}
    place.server.faults.add(path="/pulls/1$", times=1, **fault)  # type: ignore[arg-type]
    api.pull(1)
    place.server.faults.add(path="/pulls/1$", times=None, **fault)  # type: ignore[arg-type]
    with pytest.raises(GitHubUnreachable, match="after 2 attempts"):
        api.pull(1)
    assert sum(time.slept) == api._retrier.lost_seconds == pytest.approx(210)


def test_time_that_attempts_take_counts_as_lost() -> None:
    time = FakeTime()

    def slow() -> None:
        time.seconds += 160
        raise Failed(None, "no answer")

    with pytest.raises(GitHubUnreachable, match="after 2 attempts"):
        Retrier(time.now, time.sleep).call(slow, where="here", repeatable=True)
    assert time.seconds - 1_800_000_000 <= MAX_TOTAL_SECONDS + 160


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_repository_that_has_moved_is_a_refusal(place: GitHubPlace, status: int) -> None:
    place.server.faults.add(kind="status", status=status, times=None)
    with pytest.raises(GitHubRefused, match=f"{status}: it has moved") as caught:
        place.api().pull(1)
    with pytest.raises(GitHubRefused):
        place.api().add_labels(1, ["x"])
    assert (caught.value.exit_code, place.calls()) == (3, 2)


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


def test_a_pull_request_whose_answer_was_lost_is_not_opened_twice(place: GitHubPlace) -> None:
    commit_files(place.server, place.repo, {"b.txt": "b"}, branch="other")
    place.server.faults.add(method="POST", path="/pulls$", kind="close_after_change")
    with pytest.raises(Ambiguous):
        place.api().create_pull("t", "b", "other", "main")
    assert (len(place.repo.pulls), len(place.server.asked("POST", "/pulls$"))) == (2, 1)


def test_what_was_limited_was_not_done_and_is_repeated(place: GitHubPlace) -> None:
    place.server.faults.add(
        method="POST", path="/labels$", kind="secondary_rate_limit", retry_after=2
    )
    place.api().add_labels(1, ["benchmark-data"])
    assert [one.status for one in place.server.asked("POST", "/labels$")] == [403, 200]


def test_a_comment_that_had_to_wait_is_left_to_its_caller_to_make_anew(place: GitHubPlace) -> None:
    time = FakeTime()
    place.server.faults.add(
        method="POST", path="/comments$", kind="secondary_rate_limit", retry_after=20
    )
    with pytest.raises(Ambiguous):
        place.api(time).create_comment(1, "hello")
    assert (time.slept, len(place.repo.comments)) == ([21], 0)
