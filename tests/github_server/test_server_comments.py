"""Issue comments on the test GitHub."""

from __future__ import annotations

import pytest
from github import GithubException
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient, pygithub
from tests.github_server.scenario import (
    add_comments,
    create_token,
    lock_issue,
    open_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import ACTIONS_BOT_ID, Repository

COMMENTS = "/repos/octo-org/memory/issues/1/comments"


@pytest.fixture(autouse=True)
def _pull_request(github_server: GitHubServer, repo: Repository) -> None:
    open_pull_request(github_server, repo)


def test_a_comment_is_created_read_edited_and_deleted(
    repo: Repository, remote: PyRepository
) -> None:
    made = remote.get_issue(1).create_comment("one")
    assert remote.get_issue(1).get_comment(made.id).body == "one"
    made.edit("two")
    assert repo.comments[made.id].body == "two"
    made.delete()
    assert repo.comments == {}


def test_the_actions_token_writes_as_the_actions_bot(remote: PyRepository) -> None:
    made = remote.get_pull(1).create_issue_comment("hello")
    assert (made.user.login, made.user.id) == ("github-actions[bot]", ACTIONS_BOT_ID)
    assert made.user.type == "Bot"
    assert made.raw_data["performed_via_github_app"]["slug"] == "github-actions"


def test_a_personal_token_writes_as_its_user(github_server: GitHubServer, repo: Repository) -> None:
    token = create_token(github_server, "personal", login="hubot")
    with pygithub(github_server, token) as client:
        made = client.get_repo(repo.full_name).get_issue(1).create_comment("hello")
        assert (made.user.login, made.user.type) == ("hubot", "User")
        assert made.raw_data["performed_via_github_app"] is None


def test_comments_come_in_pages_of_thirty_with_links(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    add_comments(github_server, repo, 1, 65)
    first = plain.ask("GET", COMMENTS)
    own = github_server.url + COMMENTS
    assert len(first.json) == 30
    assert first.headers["link"] == f'<{own}?page=2>; rel="next", <{own}?page=3>; rel="last"'
    last = plain.ask("GET", f"{COMMENTS}?page=3")
    assert len(last.json) == 5
    assert last.headers["link"] == f'<{own}?page=1>; rel="first", <{own}?page=2>; rel="prev"'
    assert plain.ask("GET", f"{COMMENTS}?page=4").json == []


def test_a_page_holds_at_most_a_hundred_comments(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    add_comments(github_server, repo, 1, 101)
    assert len(plain.ask("GET", f"{COMMENTS}?per_page=1000").json) == 100


def test_pygithub_follows_the_pages_on_both_bases(
    github_server: GitHubServer, repo: Repository
) -> None:
    add_comments(github_server, repo, 1, 250)
    token = create_token(github_server)
    for enterprise in (False, True):
        with pygithub(github_server, token, enterprise=enterprise) as client:
            client.per_page = 100
            found = list(client.get_repo(repo.full_name).get_issue(1).get_comments())
        assert [comment.id for comment in found] == list(repo.comments)
    pages = github_server.asked("GET", "/comments$")
    assert len(pages) == 2 * 3


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_body_over_65536_characters_is_422(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, method: str
) -> None:
    comment = add_comments(github_server, repo, 1, body="before")[0]
    edit = f"/repos/octo-org/memory/issues/comments/{comment.id}"
    path = COMMENTS if method == "POST" else edit
    reply = plain.ask(method, path, {"body": "é" * 65_537})
    assert (reply.status, reply.message) == (422, "Validation Failed")
    assert "maximum is 65536 characters" in reply.json["errors"][0]["message"]
    assert [one.body for one in repo.comments.values()] == ["before"]
    assert plain.ask(method, path, {"body": "é" * 65_536}).status in (200, 201)


def test_a_locked_thread_is_403_for_a_bot_and_open_for_a_maintainer(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    lock_issue(repo, 1)
    reply = plain.ask("POST", COMMENTS, {"body": "x"})
    assert reply.status == 403
    assert reply.message == "Unable to create comment because issue is locked."
    maintainer = create_token(github_server, "personal", login="maintainer")
    with pygithub(github_server, maintainer) as client:
        client.get_repo(repo.full_name).get_issue(1).create_comment("still here")
    assert len(repo.comments) == 1


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_a_deleted_comment_is_404(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, method: str
) -> None:
    comment = add_comments(github_server, repo, 1)[0]
    repo.comments.clear()
    body = {"body": "x"} if method == "PATCH" else None
    path = f"/repos/octo-org/memory/issues/comments/{comment.id}"
    assert plain.ask(method, path, body).status == 404


def test_a_bot_with_write_permission_can_edit_a_persons_comment_as_on_github(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    theirs = add_comments(github_server, repo, 1, body="pasted marker")[0]
    remote.get_issue(1).get_comment(theirs.id).edit("overwritten")
    assert repo.comments[theirs.id].body == "overwritten"
    assert repo.comments[theirs.id].user.login == "octocat"


def test_pull_request_write_alone_is_enough_to_comment(
    github_server: GitHubServer, repo: Repository
) -> None:
    token = create_token(github_server, permissions={"pull_requests": "write"})
    client = PlainClient(github_server.url, token.value)
    assert client.ask("POST", COMMENTS, {"body": "x"}).status == 201
    client.close()


def test_a_missing_issue_and_a_blank_body_are_refused(
    remote: PyRepository, plain: PlainClient
) -> None:
    assert plain.ask("GET", "/repos/octo-org/memory/issues/99/comments").status == 404
    with pytest.raises(GithubException) as refused:
        remote.get_issue(1).create_comment(" \n")
    assert refused.value.status == 422


def test_an_issue_knows_that_it_is_a_pull_request(remote: PyRepository) -> None:
    issue = remote.get_issue(1)
    assert issue.pull_request is not None
    assert issue.as_pull_request().head.ref == "feature"
    issue.edit(state="closed")
    assert remote.get_pull(1).state == "closed"
