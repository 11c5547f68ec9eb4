"""Less travelled roads: refusals by field, media types, symlinks, faults of the storage."""

from __future__ import annotations

import http.client
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.github_server.clients import PlainClient
from tests.github_server.git_store import TreeEntry
from tests.github_server.scenario import (
    add_comments,
    commit_files,
    create_repository,
    create_token,
    create_workflow_run,
    open_pull_request,
    zip_of,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository

REPO = "/repos/octo-org/memory"
NOWHERE = "1" * 40


@pytest.fixture(autouse=True)
def _pull_request(github_server: GitHubServer, repo: Repository) -> None:
    open_pull_request(github_server, repo)


@pytest.mark.parametrize(
    ("request_line", "body", "status"),
    [
        ("POST /git/blobs", {"content": "x", "encoding": "utf-16"}, 422),
        ("GET /git/blobs/main", None, 422),
        (f"GET /git/blobs/{NOWHERE}", None, 404),
        ("GET /git/trees/absent", None, 404),
        ("POST /git/trees", {"tree": []}, 422),
        ("POST /git/trees", {"tree": [], "base_tree": NOWHERE}, 422),
        ("POST /git/trees", {"tree": [{"path": "a", "content": "x"}]}, 422),
        (f"GET /git/commits/{NOWHERE}", None, 404),
        ("GET /git/commits/main", None, 404),
        ("POST /git/refs", {"ref": "refs/heads/x", "sha": "main"}, 422),
        ("PATCH /git/refs/heads/main", {"sha": NOWHERE}, 422),
        ("GET /contents/README.md?ref=absent", None, 404),
        ("GET /contents/README.md/deeper", None, 404),
        ("GET /commits/absent", None, 422),
        ("GET /commits/absent/pulls", None, 422),
        ("GET /compare/main", None, 404),
        ("GET /compare/main...absent", None, 404),
        ("GET /compare/main...mallory:x", None, 404),
        ("GET /actions/runs/1", None, 404),
        ("GET /actions/artifacts/1", None, 404),
        ("GET /actions/workflows/absent.yml", None, 404),
        ("GET /check-runs/1", None, 404),
        ("GET /pulls/2", None, 404),
        ("GET /issues/2", None, 404),
        ("PATCH /pulls/1", {"base": "absent"}, 422),
        ("PATCH /pulls/1", {"title": ""}, 422),
        ("POST /pulls", {"head": "feature", "base": "main"}, 422),
        ("POST /labels", {"name": "x", "color": "#ffffff"}, 422),
        ("POST /labels", {"name": "x", "description": "x" * 101}, 422),
        ("GET /labels/absent", None, 404),
    ],
)
def test_github_refuses_with_this_status(
    plain: PlainClient, request_line: str, body: object, status: int
) -> None:
    method, path = request_line.split(" ")
    reply = plain.ask(method, REPO + path, body)
    assert (reply.status, reply.json["status"]) == (status, str(status))


def test_a_body_that_is_not_json_is_400(github_server: GitHubServer, plain: PlainClient) -> None:
    reply = plain.ask("POST", f"{REPO}/issues/1/comments", b"{")
    assert (reply.status, reply.message) == (400, "Problems parsing JSON")
    github_server.contract_violations.clear()


def test_the_object_media_type_serves_files_and_directories(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    commit_files(github_server, repo, {"web_data/a.json": "{}"})
    headers = {"Accept": "application/vnd.github.object+json"}
    file = plain.ask("GET", f"{REPO}/contents/web_data/a.json", headers=headers).json
    folder = plain.ask("GET", f"{REPO}/contents/web_data", headers=headers).json
    assert (file["type"], file["encoding"]) == ("file", "base64")
    assert (folder["type"], [one["name"] for one in folder["entries"]]) == ("dir", ["a.json"])


def test_a_symlink_names_its_target(repo: Repository, plain: PlainClient) -> None:
    blob = repo.git.write_blob(b"README.md")
    base = repo.git.object_info("refs/heads/main^{tree}")
    commit = repo.git.read_commit("main")
    assert base is not None
    assert commit is not None
    tree = repo.git.write_tree(base[0], {"link": TreeEntry("link", "120000", blob)})
    made = repo.git.write_commit(tree, [commit.sha], "link", commit.author, commit.author)
    repo.git.set_ref("refs/heads/main", made)
    shown = plain.ask("GET", f"{REPO}/contents/link").json
    assert (shown["type"], shown["target"]) == ("symlink", "README.md")


def test_the_sha_media_type_gives_a_commits_sha_alone(repo: Repository, plain: PlainClient) -> None:
    headers = {"Accept": "application/vnd.github.sha"}
    reply = plain.ask("GET", f"{REPO}/commits/main", headers=headers)
    assert reply.body.decode() == repo.git.read_ref("refs/heads/main")


def test_a_large_blob_is_403(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    github_server.state.limits.blob_bytes = 10
    sha = repo.git.write_blob(b"x" * 11)
    assert plain.ask("GET", f"{REPO}/git/blobs/{sha}").status == 403


def test_since_leaves_older_comments_out(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    github_server.state.clock = lambda: 1_767_225_600.0  # 2026-01-01
    add_comments(github_server, repo, 1)
    github_server.state.clock = lambda: 1_769_904_000.0  # 2026-02-01
    new = add_comments(github_server, repo, 1)[0]
    reply = plain.ask("GET", f"{REPO}/issues/1/comments?since=2026-01-15T00:00:00Z")
    assert [comment["id"] for comment in reply.json] == [new.id]


def test_labels_are_replaced_and_taken_off(repo: Repository, plain: PlainClient) -> None:
    path = f"{REPO}/issues/1/labels"
    plain.ask("POST", path, {"labels": ["a", "b"]})
    assert [one["name"] for one in plain.ask("PUT", path, ["c"]).json] == ["c"]
    assert plain.ask("DELETE", path).status == 204
    assert repo.issues[1].labels == []


def test_a_pull_request_moves_to_another_base_and_is_reopened(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    commit_files(github_server, repo, {"r.txt": "r"}, branch="release")
    moved = plain.ask("PATCH", f"{REPO}/pulls/1", {"base": "release"}).json
    assert (moved["base"]["ref"], moved["changed_files"]) == ("release", 1)
    assert plain.ask("PATCH", f"{REPO}/pulls/1", {"state": "closed"}).json["state"] == "closed"
    assert plain.ask("PATCH", f"{REPO}/pulls/1", {"state": "open"}).json["state"] == "open"


def test_unrelated_histories_have_no_comparison(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    commit = repo.git.read_commit("main")
    assert commit is not None
    orphan = repo.git.write_commit(commit.tree, [], "orphan", commit.author, commit.author)
    repo.git.set_ref("refs/heads/orphan", orphan)
    reply = plain.ask("GET", f"{REPO}/compare/main...orphan")
    assert (reply.status, "No common ancestor" in reply.message) == (404, True)


def test_a_token_for_another_repository_may_read_a_public_one_only(
    github_server: GitHubServer, repo: Repository
) -> None:
    create_repository(github_server, "octo-org/public", is_private=False)
    token = create_token(github_server, repository=repo)
    client = PlainClient(github_server.url, token.value)
    assert client.ask("GET", "/repos/octo-org/public").status == 200
    body: Any = {"event_type": "x"}
    assert client.ask("POST", "/repos/octo-org/public/dispatches", body).status == 403
    client.close()


def test_the_storage_fails_on_command_too(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    create_workflow_run(github_server, repo, artifacts={"a": zip_of({"x": "y"})})
    artifact_id = next(iter(repo.artifacts))
    reply = plain.ask("GET", f"{REPO}/actions/artifacts/{artifact_id}/zip")
    parts = urlsplit(reply.headers["location"])
    storage = PlainClient(github_server.storage_url)
    target = f"{parts.path}?{parts.query}"
    github_server.faults.add(path="^/artifacts/", kind="status", status=503)
    assert storage.ask("GET", target).status == 503
    github_server.faults.add(path="^/artifacts/", kind="close_before_change")
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        storage.ask("GET", target)
    storage.close()
    assert [one.status for one in github_server.storage_requests] == [503, None]
