"""Pull requests on the test GitHub."""

from __future__ import annotations

import pytest
from github import GithubException
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient
from tests.github_server.git_diff import ChangedFile
from tests.github_server.scenario import (
    FileContent,
    commit_files,
    delete_branch,
    open_pull_request,
    read_file,
    squash_merge_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository

PULLS = "/repos/octo-org/memory/pulls"


def test_a_pull_request_is_created_read_and_edited(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    sha = commit_files(github_server, repo, {"a.txt": "a\n"}, branch="data")
    made = remote.create_pull(base="main", head="data", title="Data", body="one")
    assert (made.number, made.head.sha, made.user.login) == (1, sha, "github-actions[bot]")
    assert (made.commits, made.changed_files, made.additions) == (1, 1, 1)
    made.edit(title="Data, again", body="two")
    found = remote.get_pull(1)
    assert (found.title, found.body, found.state) == ("Data, again", "two", "open")
    assert (found.mergeable, found.merged) == (True, False)


def test_a_pull_request_without_commits_is_422(remote: PyRepository) -> None:
    remote.create_git_ref("refs/heads/data", remote.get_git_ref("heads/main").object.sha)
    with pytest.raises(GithubException) as refused:
        remote.create_pull(base="main", head="data", title="Data", body="")
    assert refused.value.status == 422
    assert refused.value.data["errors"][0]["message"] == "No commits between main and data"


def test_a_second_pull_request_from_a_branch_is_422(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="data")
    with pytest.raises(GithubException) as refused:
        remote.create_pull(base="main", head="data", title="Data", body="")
    message = refused.value.data["errors"][0]["message"]
    assert message == "A pull request already exists for octo-org:data."
    remote.get_pull(1).edit(state="closed")
    assert remote.create_pull(base="main", head="data", title="Data", body="").number == 2


@pytest.mark.parametrize(("head", "base"), [("absent", "main"), ("data", "absent")])
def test_a_pull_request_from_or_onto_nothing_is_422(
    github_server: GitHubServer, repo: Repository, plain: PlainClient, head: str, base: str
) -> None:
    commit_files(github_server, repo, {"a.txt": "a"}, branch="data")
    reply = plain.ask("POST", PULLS, {"title": "x", "head": head, "base": base})
    assert (reply.status, reply.json["errors"][0]["code"]) == (422, "invalid")


def test_actions_can_be_forbidden_to_create_pull_requests(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    repo.may_actions_create_pulls = False
    commit_files(github_server, repo, {"a.txt": "a"}, branch="data")
    with pytest.raises(GithubException) as refused:
        remote.create_pull(base="main", head="data", title="Data", body="")
    assert refused.value.status == 403
    assert "not permitted to create or approve" in refused.value.data["message"]


def test_pull_requests_are_listed_by_head_base_and_state(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="data")
    open_pull_request(github_server, repo, head="mallory:data")
    commit_files(github_server, repo, {"r": "r"}, branch="release")
    open_pull_request(github_server, repo, head="other", base="release")
    remote.get_pull(3).edit(state="closed")

    def numbers(**filters: str) -> list[int]:
        return [pull.number for pull in remote.get_pulls(**filters)]

    assert numbers() == [2, 1]
    assert numbers(head="octo-org:data") == [1]
    assert numbers(head="mallory:data") == [2]
    assert numbers(state="closed") == [3]
    assert numbers(state="all", base="release") == [3]
    assert numbers(head="octo-org:absent") == []


def test_a_head_filter_without_owner_filters_nothing_as_on_github(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    open_pull_request(github_server, repo, head="one")
    open_pull_request(github_server, repo, head="two")
    assert len(plain.ask("GET", f"{PULLS}?head=one").json) == 2


def test_a_pull_request_follows_its_branches(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="mallory:data", files={"a.txt": "a"})
    fork = github_server.state.repository("mallory/memory")
    assert fork is not None
    head = commit_files(github_server, fork, {"b.txt": "b"}, branch="data")
    base = commit_files(github_server, repo, {"c.txt": "c"})
    pull = remote.get_pull(1)
    assert (pull.head.sha, pull.base.sha) == (head, base)
    assert pull.head.repo.full_name == "mallory/memory"
    assert [file.filename for file in pull.get_files()] == ["a.txt", "b.txt"]
    assert repo.git.read_ref("refs/pull/1/head") == head
    assert repo.git.read_ref("refs/pull/1/merge") == pull.merge_commit_sha != head


def test_a_conflict_is_not_mergeable(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, files={"README.md": "theirs\n"})
    commit_files(github_server, repo, {"README.md": "ours\n"})
    pull = remote.get_pull(1)
    assert (pull.mergeable, pull.mergeable_state) == (False, "dirty")


def test_the_files_are_the_real_diff_with_both_names_of_a_rename(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    files: dict[str, FileContent] = {
        "bot/prompt.py": text,
        "gone.txt": "x\n",
        "bin": b"\0\1",
        "same ü\n.txt": "1\n",
    }
    commit_files(github_server, repo, files)
    open_pull_request(
        github_server,
        repo,
        files={
            "bot/prompt.py": None,
            "elsewhere/prompt.py": text + "more\n",
            "gone.txt": None,
            "new.txt": "a\nb\n",
            "bin": b"\0\2",
            "same ü\n.txt": "2\n",
        },
    )
    found = {file.filename: file for file in remote.get_pull(1).get_files()}
    assert {name: file.status for name, file in found.items()} == {
        "elsewhere/prompt.py": "renamed",
        "gone.txt": "removed",
        "new.txt": "added",
        "bin": "modified",
        "same ü\n.txt": "modified",
    }
    renamed = found["elsewhere/prompt.py"]
    assert renamed.previous_filename == "bot/prompt.py"
    assert (renamed.additions, renamed.deletions) == (1, 0)
    assert renamed.patch.endswith("\n+more")
    assert found["new.txt"].patch == "@@ -0,0 +1,2 @@\n+a\n+b"
    assert found["bin"].patch is None


def test_the_file_list_stops_at_three_thousand_without_a_word(
    github_server: GitHubServer, repo: Repository, remote: PyRepository, plain: PlainClient
) -> None:
    issue = open_pull_request(github_server, repo)
    assert issue.pull is not None
    issue.pull.files_override = [ChangedFile(f"f{number}") for number in range(3_001)]
    pull = remote.get_pull(1)
    assert pull.changed_files == 3_001
    last = plain.ask("GET", f"{PULLS}/1/files?per_page=100&page=30")
    assert (len(last.json), last.json[-1]["filename"]) == (100, "f2999")
    assert 'rel="next"' not in last.headers["link"]
    assert plain.ask("GET", f"{PULLS}/1/files?per_page=100&page=31").json == []


def test_a_squash_merge_makes_one_commit_and_leaves_the_branch_behind(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="data", files={"a.txt": "a"}, title="Data")
    commit_files(github_server, repo, {"b.txt": "b"}, branch="data")
    tip = repo.git.read_ref("refs/heads/data")
    sha = squash_merge_pull_request(github_server, repo, 1)
    assert read_file(repo, "b.txt") == b"b"
    merged = remote.get_pull(1)
    assert (merged.merged, merged.state, merged.merge_commit_sha) == (True, "closed", sha)
    assert remote.get_commit(sha).commit.message == "Data (#1)"
    assert len(remote.get_commit(sha).parents) == 1
    assert repo.git.read_ref("refs/heads/data") == tip
    assert remote.compare("main", "data").status == "diverged"


def test_deleting_the_head_branch_closes_the_pull_request(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="one")
    open_pull_request(github_server, repo, head="two")
    delete_branch(github_server, repo, "one")
    remote.get_git_ref("heads/two").delete()
    assert [pull.state for pull in remote.get_pulls(state="all")] == ["closed", "closed"]
    with pytest.raises(GithubException) as refused:
        remote.get_pull(1).edit(state="open")
    assert refused.value.status == 422


def test_pull_requests_are_found_by_their_head_commit(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    issue = open_pull_request(github_server, repo, head="mallory:data")
    assert issue.pull is not None
    found = list(remote.get_commit(issue.pull.head_sha).get_pulls())
    assert [pull.number for pull in found] == [1]
