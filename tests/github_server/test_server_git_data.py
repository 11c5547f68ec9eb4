"""Git data, contents, branches and comparisons on the test GitHub."""

from __future__ import annotations

import base64
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from github import GithubException, InputGitAuthor, InputGitTreeElement
from github.Repository import Repository as PyRepository

from tests.github_server.clients import PlainClient
from tests.github_server.git_store import isolated_git_environment
from tests.github_server.scenario import commit_files, open_pull_request, read_file
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository, Token

REPO = "/repos/octo-org/memory"
ONE_MB = 1_048_576


def commit_over_the_api(
    remote: PyRepository, files: dict[str, str | None], message: str = "Publish"
) -> str:
    """One commit over `main` through blobs, a tree and a commit; the branch is not moved."""
    parent = remote.get_git_ref("heads/main").object.sha
    base = remote.get_git_commit(parent)
    elements = [
        InputGitTreeElement(path, "100644", "blob", content=content)
        if content is not None
        else InputGitTreeElement(path, "100644", "blob", sha=None)
        for path, content in files.items()
    ]
    tree = remote.create_git_tree(elements, base.tree)
    return remote.create_git_commit(message, tree, [base]).sha


def test_a_commit_made_over_the_api_can_be_cloned_with_plain_git(
    repo: Repository, remote: PyRepository, tmp_path: Path
) -> None:
    blob = remote.create_git_blob(base64.b64encode(b"\x00\xffbinary").decode(), "base64")
    main = remote.get_git_commit(remote.get_git_ref("heads/main").object.sha)
    tree = remote.create_git_tree(
        [
            InputGitTreeElement("web_data/x.bin", "100644", "blob", sha=blob.sha),
            InputGitTreeElement("web_data/deep/é ü.txt", "100755", "blob", content="text\n"),
        ],
        main.tree,
    )
    author = InputGitAuthor("Bench Bot", "bench@example.org", "2026-03-04T05:06:07+02:00")
    message = "Publish a run\n\nSigned-off-by: Bench Bot <bench@example.org>"
    made = remote.create_git_commit(message, tree, [main], author=author, committer=author)
    remote.create_git_ref("refs/heads/data", made.sha)

    def git(*arguments: str) -> str:
        environment = isolated_git_environment(tmp_path)
        command = ["git", *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, env=environment, cwd=tmp_path, text=True
        ).stdout

    git("clone", "--quiet", "--branch", "data", str(repo.git.git_dir), "copy")
    assert (tmp_path / "copy/web_data/x.bin").read_bytes() == b"\x00\xffbinary"
    assert (tmp_path / "copy/web_data/deep/é ü.txt").read_text() == "text\n"
    assert (tmp_path / "copy/README.md").exists()
    shown = git("-C", "copy", "log", "-1", "--format=%H|%an|%ae|%aI|%cn|%B")
    expected = f"{made.sha}|Bench Bot|bench@example.org|2026-03-04T05:06:07+02:00|Bench Bot|"
    assert shown.strip() == expected + message
    assert git("-C", "copy", "fsck", "--strict") == ""


def test_a_commit_without_author_is_the_tokens_at_the_servers_time(
    github_server: GitHubServer, remote: PyRepository
) -> None:
    github_server.state.clock = lambda: 1_767_225_600.0
    commit = remote.get_git_commit(commit_over_the_api(remote, {"a.txt": "a"}))
    assert commit.author.name == "github-actions[bot]"
    assert commit.author.email == "41898282+github-actions[bot]@users.noreply.github.com"
    assert commit.committer.date == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_blob_comes_back_in_base64_or_raw(remote: PyRepository, plain: PlainClient) -> None:
    blob = remote.create_git_blob("grüße", "utf-8")
    assert base64.b64decode(remote.get_git_blob(blob.sha).content).decode() == "grüße"
    headers = {"Accept": "application/vnd.github.raw+json"}
    reply = plain.ask("GET", f"{REPO}/git/blobs/{blob.sha}", headers=headers)
    assert reply.body.decode() == "grüße"


def test_a_tree_is_read_flat_or_recursive_by_sha_or_branch(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    commit_files(github_server, repo, {"a/b/c.txt": "c"})
    flat = remote.get_git_tree("main")
    assert [(entry.path, entry.type) for entry in flat.tree] == [
        ("README.md", "blob"),
        ("a", "tree"),
    ]
    deep = remote.get_git_tree(flat.sha, recursive=True)
    assert [entry.path for entry in deep.tree] == ["README.md", "a", "a/b", "a/b/c.txt"]
    assert deep.tree[3].size == 1


def test_a_null_sha_deletes_a_path_and_the_folders_it_empties(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    commit_files(github_server, repo, {"a/b/c.txt": "c"})
    sha = commit_over_the_api(remote, {"a/b/c.txt": None})
    paths = [entry.path for entry in remote.get_git_tree(sha, recursive=True).tree]
    assert paths == ["README.md"]


@pytest.mark.parametrize(
    "item",
    [
        {"path": "absent.txt", "mode": "100644", "type": "blob", "sha": None},
        {"path": "a/../b", "mode": "100644", "type": "blob", "content": "x"},
        {"path": "/a", "mode": "100644", "type": "blob", "content": "x"},
        {"path": "a", "mode": "100644", "type": "blob", "sha": "1" * 40},
        {"path": "a", "mode": "100644", "type": "blob"},
    ],
)
def test_a_malformed_tree_entry_is_422(plain: PlainClient, item: dict[str, object]) -> None:
    base = plain.ask("GET", f"{REPO}/git/trees/main").json["sha"]
    body = {"base_tree": base, "tree": [item]}
    assert plain.ask("POST", f"{REPO}/git/trees", body).status == 422


def test_a_ref_is_read_matched_created_moved_and_deleted(remote: PyRepository) -> None:
    sha = commit_over_the_api(remote, {"a.txt": "a"})
    main = remote.get_git_ref("heads/main")
    ref = remote.create_git_ref("refs/heads/chore/bench-data-publish", main.object.sha)
    ref.edit(sha)
    assert remote.get_git_ref("heads/chore/bench-data-publish").object.sha == sha
    assert [one.ref for one in remote.get_git_matching_refs("heads/chore/")] == [ref.ref]
    ref.delete()
    with pytest.raises(GithubException) as refused:
        remote.get_git_ref("heads/chore/bench-data-publish")
    assert refused.value.status == 404


def test_an_existing_ref_cannot_be_created_again(remote: PyRepository) -> None:
    with pytest.raises(GithubException) as refused:
        remote.create_git_ref("refs/heads/main", remote.get_git_ref("heads/main").object.sha)
    assert refused.value.status == 422
    assert refused.value.data["message"] == "Reference already exists"


def test_a_ref_that_is_only_a_prefix_is_404(remote: PyRepository, plain: PlainClient) -> None:
    assert plain.ask("GET", f"{REPO}/git/ref/heads/mai").status == 404
    assert plain.ask("GET", f"{REPO}/git/ref/heads").status == 404


def test_a_non_fast_forward_is_422_unless_forced(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    mine = commit_over_the_api(remote, {"a.txt": "mine"})
    theirs = commit_files(github_server, repo, {"a.txt": "theirs"})
    ref = remote.get_git_ref("heads/main")
    with pytest.raises(GithubException) as refused:
        ref.edit(mine)
    assert refused.value.status == 422
    assert refused.value.data["message"] == "Update is not a fast forward"
    assert repo.git.read_ref("refs/heads/main") == theirs
    ref.edit(mine, force=True)
    assert repo.git.read_ref("refs/heads/main") == mine


def test_of_many_updates_from_one_commit_exactly_one_wins(
    github_server: GitHubServer, repo: Repository, remote: PyRepository, token: Token
) -> None:
    rivals = [commit_over_the_api(remote, {"a.txt": str(number)}) for number in range(12)]

    def move(sha: str) -> int:
        client = PlainClient(github_server.url, token.value)
        reply = client.ask("PATCH", f"{REPO}/git/refs/heads/main", {"sha": sha})
        client.close()
        return reply.status

    with ThreadPoolExecutor(12) as pool:
        statuses = list(pool.map(move, rivals))
    assert sorted(statuses) == [200] + [422] * 11
    assert repo.git.read_ref("refs/heads/main") == rivals[statuses.index(200)]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/git/refs/heads/absent", {"sha": "1" * 40}),
        ("DELETE", "/git/refs/heads/absent", None),
        ("POST", "/git/refs", {"ref": "main", "sha": "1" * 40}),
        ("POST", "/git/refs", {"ref": "refs/heads/x", "sha": "1" * 40}),
        ("POST", "/git/commits", {"message": "x", "tree": "1" * 40}),
        ("POST", "/git/blobs", {"content": "%", "encoding": "base64"}),
    ],
)
def test_what_names_nothing_is_422(
    plain: PlainClient, method: str, path: str, body: object
) -> None:
    assert plain.ask(method, REPO + path, body).status == 422


def test_a_file_comes_with_its_content_and_at_a_ref(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    before = repo.git.read_ref("refs/heads/main")
    commit_files(github_server, repo, {"web_data/ä b.json": "{}"})
    found = remote.get_contents("web_data/ä b.json")
    assert not isinstance(found, list)
    assert found.decoded_content == b"{}"
    with pytest.raises(GithubException) as refused:
        remote.get_contents("web_data/ä b.json", ref=str(before))
    assert refused.value.status == 404


def test_a_directory_is_a_list_of_entries(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    commit_files(github_server, repo, {"web_data/a.json": "{}", "web_data/sub/b.json": "{}"})
    found = remote.get_contents("web_data")
    root = remote.get_contents("")
    assert isinstance(found, list)
    assert isinstance(root, list)
    assert [(one.path, one.type) for one in found] == [
        ("web_data/a.json", "file"),
        ("web_data/sub", "dir"),
    ]
    assert [one.path for one in root] == ["README.md", "web_data"]


def test_above_one_megabyte_the_json_has_no_content_and_raw_is_whole(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    content = b"x" * (ONE_MB + 1)
    commit_files(github_server, repo, {"big.json": content, "edge.json": content[:-1]})
    shown = plain.ask("GET", f"{REPO}/contents/big.json").json
    assert (shown["content"], shown["encoding"]) == ("", "none")
    assert shown["size"] == ONE_MB + 1
    edge = plain.ask("GET", f"{REPO}/contents/edge.json").json
    assert (len(base64.b64decode(edge["content"])), edge["encoding"]) == (ONE_MB, "base64")
    headers = {"Accept": "application/vnd.github.raw+json"}
    raw = plain.ask("GET", f"{REPO}/contents/big.json", headers=headers)
    assert raw.body == content
    assert raw.headers["content-type"] == "application/vnd.github.raw+json; charset=utf-8"
    blob = plain.ask("GET", f"{REPO}/git/blobs/{shown['sha']}").json
    assert base64.b64decode(blob["content"]) == content


def test_above_a_hundred_megabytes_contents_are_403(
    github_server: GitHubServer, repo: Repository, plain: PlainClient
) -> None:
    github_server.state.limits.contents_raw_bytes = 3 * ONE_MB  # stands in for 100 MB
    commit_files(github_server, repo, {"huge.json": b"x" * (3 * ONE_MB + 1)})
    reply = plain.ask("GET", f"{REPO}/contents/huge.json")
    assert reply.status == 403
    assert reply.json["errors"][0]["code"] == "too_large"


def test_a_branch_and_a_commit_show_author_files_and_counts(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    sha = commit_files(github_server, repo, {"a.txt": "1\n2\n"}, branch="feature/x")
    assert remote.get_branch("feature/x").commit.sha == sha
    commit = remote.get_commit(sha)
    assert commit.author.login == "octocat"
    assert (commit.stats.additions, [file.filename for file in commit.files]) == (2, ["a.txt"])
    with pytest.raises(GithubException) as refused:
        remote.get_branch("absent")
    assert refused.value.status == 404


def test_a_comparison_counts_both_sides_and_lists_files(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    commit_files(github_server, repo, {"a.txt": "a"}, branch="feature")
    commit_files(github_server, repo, {"b.txt": "b"})
    found = remote.compare("main", "feature")
    assert (found.status, found.ahead_by, found.behind_by) == ("diverged", 1, 1)
    assert [file.filename for file in found.files] == ["a.txt"]
    assert remote.compare("main", "main").status == "identical"


def test_a_comparison_reaches_into_a_fork(
    github_server: GitHubServer, repo: Repository, remote: PyRepository
) -> None:
    open_pull_request(github_server, repo, head="mallory:feature", files={"x.txt": "x"})
    found = remote.compare("main", "mallory:feature")
    assert (found.status, [file.filename for file in found.files]) == ("ahead", ["x.txt"])


def test_the_bot_s_file_is_seen_by_the_test_s_own_reader(
    repo: Repository, remote: PyRepository
) -> None:
    remote.get_git_ref("heads/main").edit(commit_over_the_api(remote, {"a.txt": "hello"}))
    assert read_file(repo, "a.txt") == b"hello"
    assert read_file(repo, "b.txt") is None
