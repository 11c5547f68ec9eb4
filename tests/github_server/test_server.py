"""The server as a whole: addresses, headers, authentication, permissions, labels, speed."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from github import GithubException
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient, pygithub
from tests.github_server.scenario import (
    add_comments,
    create_repository,
    create_token,
    fork_repository,
    open_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import ALL_READ, Repository, Token

REPO = "/repos/octo-org/memory"


def test_the_api_answers_at_the_root_and_below_api_v3(
    github_server: GitHubServer, repo: Repository, token: Token
) -> None:
    for enterprise in (False, True):
        with pygithub(github_server, token, enterprise=enterprise) as client:
            found = client.get_repo(repo.full_name)
            assert found.url.startswith(client.requester.base_url)
            assert found.get_branch("main").commit.commit.message == "Start"


def test_an_unknown_path_answers_404_in_github_s_shape(plain: PlainClient) -> None:
    reply = plain.ask("GET", "/nowhere")
    assert reply.status == 404
    assert reply.message == "Not Found"
    assert set(reply.json) == {"message", "documentation_url", "status"}


def test_every_answer_carries_github_s_usual_headers(plain: PlainClient) -> None:
    reply = plain.ask("GET", REPO)
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    assert reply.headers["x-github-request-id"]
    assert int(reply.headers["x-ratelimit-remaining"]) == 1_000 - 1
    assert int(reply.headers["x-ratelimit-reset"]) > time.time()
    assert reply.headers["x-accepted-github-permissions"] == "metadata=read"


def test_an_unchanged_resource_answers_304_to_its_etag(plain: PlainClient) -> None:
    etag = plain.ask("GET", REPO).headers["etag"]
    reply = plain.ask("GET", REPO, headers={"If-None-Match": etag})
    assert (reply.status, reply.body) == (304, b"")


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "Basic abc"])
def test_a_missing_or_bad_token_is_401(
    github_server: GitHubServer, repo: Repository, authorization: str | None
) -> None:
    client = PlainClient(github_server.url)
    headers = {} if authorization is None else {"Authorization": authorization}
    reply = client.ask("GET", REPO, headers=headers)
    client.close()
    assert (reply.status, reply.message) == (401, "Bad credentials")


def test_a_request_without_user_agent_is_refused(plain: PlainClient) -> None:
    assert plain.ask("GET", REPO, headers={"User-Agent": ""}).status == 403


def test_a_read_without_permission_is_403_on_a_private_repository(
    github_server: GitHubServer, repo: Repository
) -> None:
    token = create_token(github_server, permissions={"contents": "read"})
    client = PlainClient(github_server.url, token.value)
    reply = client.ask("GET", f"{REPO}/pulls")
    assert (reply.status, reply.message) == (403, "Resource not accessible by integration")
    assert client.ask("GET", f"{REPO}/contents/README.md").status == 200
    client.close()


def test_a_public_repository_can_be_read_by_every_token_but_not_written(
    github_server: GitHubServer,
) -> None:
    public = create_repository(github_server, "octo-org/public", is_private=False)
    open_pull_request(github_server, public)
    token = create_token(github_server, permissions={})
    client = PlainClient(github_server.url, token.value)
    assert client.ask("GET", "/repos/octo-org/public/pulls").status == 200
    reply = client.ask("POST", "/repos/octo-org/public/issues/1/comments", {"body": "x"})
    assert reply.status == 403
    client.close()


def test_a_repository_outside_the_token_is_404_when_private(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    create_repository(github_server, "octo-org/other")
    assert plain.ask("GET", "/repos/octo-org/other").status == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/issues/1/comments", {"body": "x"}),
        ("PATCH", "/issues/comments/1", {"body": "x"}),
        ("POST", "/pulls", {"title": "x", "head": "feature", "base": "main"}),
        ("POST", "/git/blobs", {"content": "x"}),
        ("POST", "/git/refs", {"ref": "refs/heads/x", "sha": "0" * 40}),
        ("POST", f"/statuses/{'0' * 40}", {"state": "success"}),
        ("POST", "/check-runs", {"name": "x", "head_sha": "0" * 40}),
        ("POST", "/labels", {"name": "x"}),
        ("POST", "/dispatches", {"event_type": "x"}),
    ],
)
def test_every_write_is_403_for_a_token_that_may_only_read(
    github_server: GitHubServer, repo: Repository, method: str, path: str, body: object
) -> None:
    token = create_token(github_server, permissions=ALL_READ)
    client = PlainClient(github_server.url, token.value)
    reply = client.ask(method, REPO + path, body)
    client.close()
    assert (reply.status, reply.message) == (403, "Resource not accessible by integration")


def test_a_fork_carries_its_parent(github_server: GitHubServer, repo: Repository) -> None:
    fork_repository(github_server, repo, "mallory")
    token = create_token(github_server, "personal", login="mallory")
    with pygithub(github_server, token) as client:
        fork = client.get_repo("mallory/memory")
        assert fork.fork
        assert fork.parent.full_name == "octo-org/memory"


def test_labels_are_made_once_and_put_on_issues(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo)
    remote.create_label("benchmark-data", "0e8a16", "Published benchmark data")
    with pytest.raises(GithubException) as refused:
        remote.create_label("Benchmark-Data", "0e8a16")
    assert refused.value.status == 422
    assert refused.value.data["errors"][0]["code"] == "already_exists"
    pull = remote.get_pull(1)
    pull.add_to_labels("benchmark-data", "made-on-the-way")
    pull.add_to_labels("benchmark-data")
    assert [label.name for label in pull.get_labels()] == ["benchmark-data", "made-on-the-way"]
    assert [label.name for label in remote.get_pull(1).labels] == [
        "benchmark-data",
        "made-on-the-way",
    ]
    assert remote.get_label("made-on-the-way").color == "ededed"
    assert {label.name for label in remote.get_labels()} == {"benchmark-data", "made-on-the-way"}


def test_the_object_form_of_adding_labels_works_too(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    open_pull_request(github_server, repo)
    reply = plain.ask("POST", f"{REPO}/issues/1/labels", {"labels": ["a", {"name": "b"}]})
    assert [label["name"] for label in reply.json] == ["a", "b"]


def test_a_repository_dispatch_is_recorded(repo: Repository, remote: PyRepository) -> None:
    payload = {"run_id": 1, "head_sha": "a" * 40, "run_number": 7}
    assert remote.create_repository_dispatch("extraction_benchmark_main_complete", payload)
    assert repo.dispatches[0].event_type == "extraction_benchmark_main_complete"
    assert repo.dispatches[0].client_payload == payload
    assert repo.dispatches[0].sender.login == "github-actions[bot]"


def test_a_dispatch_payload_of_more_than_ten_properties_is_422(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    body = {"event_type": "x", "client_payload": {str(n): n for n in range(11)}}
    assert plain.ask("POST", f"{REPO}/dispatches", body).status == 422
    assert repo.dispatches == []
    assert github_server.contract_violations.pop().startswith("#1 request POST")


def test_requests_are_logged_with_method_path_status_and_token(
    github_server: GitHubServer, repo: Repository, token: Token, plain: PlainClient
) -> None:
    open_pull_request(github_server, repo)
    plain.ask("GET", f"{REPO}/issues/1/comments?per_page=100")
    plain.ask("POST", f"{REPO}/issues/1/comments", {"body": "hello"})
    listed, created = github_server.requests
    assert str(listed) == f"GET {REPO}/issues/1/comments?per_page=100 → 200"
    assert listed.operation == "/repos/{owner}/{repo}/issues/{issue_number}/comments"
    assert (created.status, created.json, created.token) == (201, {"body": "hello"}, token.value)
    assert github_server.writes == [created]
    assert github_server.asked("GET", "/comments$", token.value) == [listed]
    assert token.value not in repr(github_server.requests)


def test_ids_are_the_same_in_every_run() -> None:
    seen = []
    for _ in range(2):
        with GitHubServer() as server:
            repo = create_repository(server)
            issue = open_pull_request(server, repo)
            seen.append((issue.id, add_comments(server, repo, 1)[0].id, repo.id))
    assert seen[0] == seen[1]
    assert seen[0][1] > 2**31


def test_thirty_two_clients_at_once_are_served_whole(
    github_server: GitHubServer, repo: Repository, token: Token
) -> None:
    open_pull_request(github_server, repo)
    start = threading.Barrier(32)

    def work(number: int) -> None:
        client = PlainClient(github_server.url, token.value)
        start.wait()
        for turn in range(12):
            if turn % 3:
                assert client.ask("GET", f"{REPO}/git/ref/heads/main").status == 200
            else:
                body = {"body": f"{number}/{turn}"}
                assert client.ask("POST", f"{REPO}/issues/1/comments", body).status == 201
        client.close()

    began = time.perf_counter()
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(work, range(32)))
    seconds = time.perf_counter() - began
    bodies = {comment.body for comment in repo.comments.values()}
    assert len(bodies) == 32 * 4
    assert len(github_server.requests) == 32 * 12
    assert seconds < 20  # generous: measured 2 to 3 s on two cores
