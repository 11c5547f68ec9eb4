"""Failing on command, and changing state between two calls."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time

import pytest

from tests.github_server.clients import PlainClient
from tests.github_server.faults import FaultKind
from tests.github_server.request_log import RecordedRequest
from tests.github_server.scenario import (
    add_comments,
    commit_files,
    create_token,
    open_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository, Token

COMMENTS = "/repos/octo-org/memory/issues/1/comments"


@pytest.fixture(autouse=True)
def _pull_request(github_server: GitHubServer, repo: Repository) -> None:
    open_pull_request(github_server, repo)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_the_nth_matching_call_fails_and_the_next_one_works(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, status: int
) -> None:
    faults = github_server.faults
    faults.add(method="POST", path="/comments$", nth=2, kind="status", status=status)
    statuses = [plain.ask("POST", COMMENTS, {"body": "x"}).status for _ in range(3)]
    assert statuses == [201, status, 201]
    assert len(repo.comments) == 2


def test_a_fault_can_repeat_and_can_be_for_ever(
    github_server: GitHubServer, plain: PlainClient
) -> None:
    github_server.faults.add(method="GET", path="/comments$", times=2, kind="status")
    assert [plain.ask("GET", COMMENTS).status for _ in range(3)] == [500, 500, 200]
    github_server.faults.add(path="", times=None, kind="status", status=503)
    assert [plain.ask("GET", COMMENTS).status for _ in range(3)] == [503, 503, 503]
    github_server.faults.clear()
    assert plain.ask("GET", COMMENTS).status == 200


def test_a_fault_can_be_for_one_token_only(
    github_server: GitHubServer, plain: PlainClient, token: Token
) -> None:
    other = create_token(github_server)
    github_server.faults.add(kind="status", token=other.value, times=None)
    assert plain.ask("GET", COMMENTS).status == 200
    plain.token = other.value
    assert plain.ask("GET", COMMENTS).status == 500


@pytest.mark.parametrize(
    ("kind", "made"), [(FaultKind.STATUS, 0), (FaultKind.STATUS_AFTER_CHANGE, 1)]
)
def test_a_500_can_come_before_or_after_the_change(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, kind: FaultKind, made: int
) -> None:
    github_server.faults.add(method="POST", kind=kind, status=500)
    assert plain.ask("POST", COMMENTS, {"body": "x"}).status == 500
    assert len(repo.comments) == made


@pytest.mark.parametrize(
    ("kind", "made"), [(FaultKind.CLOSE_BEFORE_CHANGE, 0), (FaultKind.CLOSE_AFTER_CHANGE, 1)]
)
def test_the_connection_can_close_before_or_after_the_change(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, kind: FaultKind, made: int
) -> None:
    github_server.faults.add(method="POST", kind=kind)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        plain.ask("POST", COMMENTS, {"body": "x"})
    assert len(repo.comments) == made
    assert github_server.requests[-1].status is None
    assert github_server.requests[-1].fault == kind.value


@pytest.mark.parametrize(
    ("kind", "made"), [(FaultKind.TIMEOUT, 0), (FaultKind.TIMEOUT_AFTER_CHANGE, 1)]
)
def test_a_timeout_holds_one_connection_and_not_the_server(
    github_server: GitHubServer, repo: Repository, token: Token, kind: FaultKind, made: int
) -> None:
    github_server.faults.add(method="POST", kind=kind)
    slow = PlainClient(github_server.url, token.value, timeout=0.5)
    quick = PlainClient(github_server.url, token.value)
    waiting = threading.Thread(target=_post_and_give_up, args=(slow,))
    waiting.start()
    time.sleep(0.1)
    assert quick.ask("GET", COMMENTS).status == 200
    waiting.join()
    quick.close()
    slow.close()
    assert len(repo.comments) == made


def _post_and_give_up(client: PlainClient) -> None:
    with contextlib.suppress(TimeoutError):
        client.ask("POST", COMMENTS, {"body": "x"})


def test_a_held_connection_closes_after_the_given_seconds(
    github_server: GitHubServer, plain: PlainClient
) -> None:
    github_server.faults.add(kind="timeout", seconds=0.2)
    began = time.perf_counter()
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        plain.ask("GET", COMMENTS)
    assert 0.2 <= time.perf_counter() - began < 2


@pytest.mark.parametrize(("status", "retry_after"), [(403, 7), (429, 7), (403, None), (429, None)])
def test_a_secondary_rate_limit_comes_with_or_without_retry_after(
    github_server: GitHubServer, plain: PlainClient, status: int, retry_after: int | None
) -> None:
    github_server.faults.add(kind="secondary_rate_limit", status=status, retry_after=retry_after)
    reply = plain.ask("GET", COMMENTS)
    assert reply.status == status
    assert reply.message.startswith("You have exceeded a secondary rate limit")
    assert "secondary-rate-limits" in reply.json["documentation_url"]
    assert reply.headers.get("retry-after") == (None if retry_after is None else "7")
    assert reply.headers["x-ratelimit-remaining"] != "0"


def test_a_primary_rate_limit_names_its_reset(
    github_server: GitHubServer, plain: PlainClient
) -> None:
    github_server.faults.add(kind="primary_rate_limit", reset_in=90)
    reply = plain.ask("GET", COMMENTS)
    assert reply.status == 403
    assert reply.headers["x-ratelimit-remaining"] == "0"
    assert 88 <= int(reply.headers["x-ratelimit-reset"]) - time.time() <= 91


def test_a_comment_can_vanish_between_list_and_edit(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    comment = add_comments(github_server, repo, 1)[0]
    github_server.after("GET", "/comments$", lambda _: repo.comments.clear())
    listed = plain.ask("GET", COMMENTS).json
    assert [one["id"] for one in listed] == [comment.id]
    edit = f"/repos/octo-org/memory/issues/comments/{comment.id}"
    assert plain.ask("PATCH", edit, {"body": "x"}).status == 404


def test_a_ref_can_move_before_its_update(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    mine = commit_files(github_server, repo, {"mine.txt": "x"}, branch="mine")
    seen: list[str] = []

    def move(request: RecordedRequest) -> None:
        seen.append(request.json["sha"])
        commit_files(github_server, repo, {"theirs.txt": "x"})

    github_server.before("PATCH", "/git/refs/heads/main$", move)
    path = "/repos/octo-org/memory/git/refs/heads/main"
    assert plain.ask("PATCH", path, {"sha": mine}).message == "Update is not a fast forward"
    assert seen == [mine]


def test_a_hook_may_call_the_server_itself(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, token: Token
) -> None:
    def rival(_: RecordedRequest) -> None:
        client = PlainClient(github_server.url, token.value)
        client.ask("POST", COMMENTS, {"body": "rival"})
        client.close()

    github_server.before("POST", "/comments$", rival)
    plain.ask("POST", COMMENTS, {"body": "mine"})
    assert [comment.body for comment in repo.comments.values()] == ["rival", "mine"]


def test_a_hook_that_raises_is_reported(github_server: GitHubServer, plain: PlainClient) -> None:
    def fail(_: RecordedRequest) -> None:
        raise AssertionError("seen in the hook")

    github_server.before("GET", "/comments$", fail)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        plain.ask("GET", COMMENTS)
    assert "seen in the hook" in github_server.internal_errors.pop()
