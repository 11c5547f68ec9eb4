import pytest

from bot.commands.pull_request_facts import pull_request_facts
from tests.github_server.git_diff import ChangedFile
from tests.github_server.scenario import commit_files, open_pull_request
from tests.github_server.server import GitHubServer
from tests.support.github_place import GitHubPlace, github_place


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    return github_place(github_server, {"old/prompt.py": "PROMPT = 'x'\n" * 30})


def test_all_pages_of_files_are_read(place: GitHubPlace) -> None:
    open_pull_request(place.server, place.repo, files={f"f{n}.txt": "x" for n in range(250)})
    changed, _ = pull_request_facts(place.api(), 1)
    assert (len(changed.paths), changed.complete) == (250, True)


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
