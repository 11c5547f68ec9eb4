"""What the policy asks of a pull request, read from the test GitHub."""

from pathlib import Path

import pytest

from bot.cli import main
from bot.commands.pull_request_facts import pull_request_facts
from tests.github_server.git_diff import ChangedFile
from tests.github_server.scenario import commit_files, open_pull_request
from tests.github_server.server import GitHubServer
from tests.support.github_place import GitHubPlace, github_place


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    return github_place(github_server, {"old/prompt.py": "PROMPT = 'x'\n" * 30})


@pytest.fixture
def check(
    place: GitHubPlace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, existing: Path
) -> list[str]:
    """The command line, but for the contract path; its manifest is oracle-aligned."""
    for name, value in place.env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    manifest = str(existing / "cassette_manifest.older.json")
    return ["check-oracle-policy", "--manifest", manifest, "--pr-number", "1", "--contract-path"]


def test_all_pages_of_files_are_read(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, files={f"f{n}.txt": "x" for n in range(250)})
    changed, _ = pull_request_facts(place.api(), 1)
    assert (len(changed.paths), changed.complete) == (250, True)


def test_three_thousand_files_less_one_are_a_complete_list(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, files={"a.txt": "x"})
    pull = place.repo.issues[1].pull
    assert pull is not None
    pull.files_override = [ChangedFile(filename=f"f{n}.txt") for n in range(2_999)]
    before = place.calls()
    changed, _ = pull_request_facts(place.api(), 1)
    assert (len(changed.paths), changed.complete, place.calls() - before) == (2_999, True, 31)


def test_a_body_that_was_never_written_is_empty(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, body=None)
    assert pull_request_facts(place.api(), 1)[1] == ""


def test_both_names_of_a_renamed_file_count(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, files={"new/prompt.py": "PROMPT = 'x'\n" * 30})
    commit_files(place.server, place.repo, {"old/prompt.py": None}, branch="feature")
    changed, _ = pull_request_facts(place.api(), 1)
    assert {"old/prompt.py", "new/prompt.py"} <= changed.paths


def test_where_github_stops_the_list_is_not_complete(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, files={"a.txt": "x"})
    pull = place.repo.issues[1].pull
    assert pull is not None
    pull.files_override = [ChangedFile(filename=f"f{n}.txt") for n in range(3_500)]
    changed, _ = pull_request_facts(place.api(), 1)
    assert (len(changed.paths), changed.complete) == (3_000, False)


def test_the_policy_is_judged_by_the_files_and_the_body_on_github(
    place: GitHubPlace, check: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    issue = open_pull_request(place.server, place.repo, files={"a.txt": "a"})
    assert main([*check, "b.txt"]) == 0
    assert main([*check, "a.txt"]) == 1
    assert "a.txt" in capsys.readouterr().err
    issue.body = "Why: a comment.\r\n\r\nEXTRACTION_EVAL_ORACLE_OK=1\r\n"
    assert main([*check, "a.txt"]) == 0


def test_a_prompt_that_was_renamed_away_counts_as_changed(
    place: GitHubPlace, check: list[str]
) -> None:
    open_pull_request(place.server, place.repo, files={"new/prompt.py": "PROMPT = 'x'\n" * 30})
    commit_files(place.server, place.repo, {"old/prompt.py": None}, branch="feature")
    assert main([*check, "old/prompt.py"]) == 1


def test_where_github_stops_a_contract_change_is_assumed(
    place: GitHubPlace, check: list[str]
) -> None:
    open_pull_request(place.server, place.repo, files={"a.txt": "x"})
    pull = place.repo.issues[1].pull
    assert pull is not None
    pull.files_override = [ChangedFile(filename=f"f{n}.txt") for n in range(3_000)]
    assert main([*check, "old/prompt.py"]) == 1


@pytest.mark.parametrize(("path", "code"), [("/files$", 3), ("/pulls/1$", 3)])
def test_a_list_that_cannot_be_read_is_never_a_pass(
    place: GitHubPlace, check: list[str], capsys: pytest.CaptureFixture[str], path: str, code: int
) -> None:
    open_pull_request(place.server, place.repo, files={"a.txt": "x"})
    place.server.faults.add(path=path, kind="status", status=404, times=None)
    assert main([*check, "old/prompt.py"]) == code
    assert capsys.readouterr().err.count("\n") == 1
