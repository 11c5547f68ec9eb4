"""Publishing to GitHub: one commit, one pull request, and never a lost run."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli import main
from bot.commands.publish_remote import RemoteRequest, merge_versions, run_publish_remote
from bot.errors import BadInput, Unreachable
from bot.evaluation.gold_set import BASELINE
from bot.history.model import StoredRun
from bot.settings import Settings
from bot.suites import EXTRACTION_QUALITY, Suite
from tests.github_server.scenario import (
    commit_files,
    create_token,
    squash_merge_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.support.github_place import (
    ARCHIVE,
    DATA,
    DATA_BRANCH,
    FakeTime,
    GitHubPlace,
    github_place,
    history_with,
    silent,
)
from tests.support.gold import write_gold_set
from tests.support.runs import EPOCH, run_entry

REQUEST = RemoteRequest(Path(DATA), DATA_BRANCH, EPOCH, "main")
OTHER_SUITE = replace(
    EXTRACTION_QUALITY,
    name="candidate_staging",
    data_file=Path("web_data/candidate-staging-benchmark-data.json"),
    archive_name="candidate-staging.jsonl",
)
OTHER_DATA = str(OTHER_SUITE.data_file)


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    return github_place(github_server, {"README.md": "x", DATA: history_with(run_entry(1))})


def publish(
    place: GitHubPlace,
    number: int,
    suite: Suite = EXTRACTION_QUALITY,
    request: RemoteRequest = REQUEST,
) -> int:
    run = StoredRun.of(run_entry(number))
    request = replace(request, data=suite.data_file)
    return run_publish_remote(
        run, request, suite, Settings(), place.api(), silent(place.env()), lambda _: None
    )


def open_numbers(place: GitHubPlace) -> list[int]:
    return [n for n, issue in place.repo.issues.items() if issue.pull and issue.state == "open"]


def test_a_publisher_alone_makes_one_signed_commit_and_one_pull_request(
    place: GitHubPlace,
) -> None:
    before = place.calls()
    assert publish(place, 2) == 0
    assert place.calls() - before <= 12
    assert place.published() == [2, 1]
    assert place.archived() == [1, 2]
    assert place.git("rev-list", "--count", f"main..{DATA_BRANCH}").strip() == "1"
    assert sorted(place.git("diff", "--name-only", "main", DATA_BRANCH).split()) == [
        ARCHIVE,
        "web_data/extraction-quality-badge.json",
        "web_data/extraction-quality-badge.svg",
        DATA,
        "web_data/extraction-quality-benchmark-data.schema.json",
    ]
    message = place.git("log", "-1", "--format=%B", DATA_BRANCH)
    assert "Signed-off-by: github-actions[bot] <github-actions[bot]@users.noreply" in message
    (number,) = open_numbers(place)
    issue = place.repo.issues[number]
    assert "CI-enforced" in (issue.body or "")
    assert "PASS" in (issue.body or "")
    assert list(issue.labels) == ["benchmark-data"]


def test_the_next_publishers_use_the_same_branch_and_pull_request(place: GitHubPlace) -> None:
    publish(place, 2)
    before = place.calls()
    publish(place, 3)
    assert place.calls() - before <= 12
    assert place.published() == [3, 2, 1]
    assert len(open_numbers(place)) == 1


def test_a_replay_is_skipped_and_a_half_done_publication_is_finished(place: GitHubPlace) -> None:
    place.server.faults.add(method="POST", path="/pulls$", kind="status", times=None)
    with pytest.raises(Unreachable):
        publish(place, 2)
    assert open_numbers(place) == []
    place.server.faults.clear()
    assert publish(place, 2) == 0
    assert len(open_numbers(place)) == 1
    writes = len(place.server.writes)
    assert publish(place, 2) == 0
    assert len(place.server.writes) == writes


def test_a_run_that_main_holds_already_is_skipped(place: GitHubPlace) -> None:
    publish(place, 2)
    squash_merge_pull_request(place.server, place.repo, open_numbers(place)[0])
    writes = len(place.server.writes)
    assert publish(place, 2) == 0
    assert len(place.server.writes) == writes
    assert open_numbers(place) == []


def test_an_older_run_is_sorted_in_and_nothing_newer_overwritten(place: GitHubPlace) -> None:
    publish(place, 9)
    publish(place, 5)
    assert place.published() == [9, 5, 1]


def test_a_branch_left_over_from_a_squash_merge_is_brought_up_without_undoing(
    place: GitHubPlace,
) -> None:
    publish(place, 2)
    publish(place, 1, OTHER_SUITE)
    squash_merge_pull_request(place.server, place.repo, open_numbers(place)[0])
    commit_files(place.server, place.repo, {"src/new.py": "x = 1"})
    before = place.calls()
    publish(place, 3)
    assert place.calls() - before <= 14
    assert place.published() == [3, 2, 1]
    assert place.published(path=OTHER_DATA) == [1]
    assert place.git("show", f"{DATA_BRANCH}:src/new.py") == "x = 1"
    changed = place.git("diff", "--name-only", f"main...{DATA_BRANCH}").split()
    assert changed == [ARCHIVE, DATA]
    squash_merge_pull_request(place.server, place.repo, open_numbers(place)[0])
    assert place.published("main") == [3, 2, 1]
    assert sorted(place.archived("main")) == [1, 2, 3]


def test_rows_that_only_the_left_over_branch_holds_are_kept(place: GitHubPlace) -> None:
    publish(place, 2)
    publish(place, 1, OTHER_SUITE)
    (number,) = open_numbers(place)
    squash_merge_pull_request(place.server, place.repo, number)
    # a publisher that saw the pull request open wrote after the merge
    late = StoredRun.of(run_entry(7))
    tip = place.git("rev-parse", DATA_BRANCH).strip()
    held = json.loads(place.git("show", f"{tip}:{OTHER_DATA}"))
    held["runs"].insert(0, dict(late.raw))
    commit_files(place.server, place.repo, {OTHER_DATA: json.dumps(held)}, branch=DATA_BRANCH)
    publish(place, 3)
    assert place.published(path=OTHER_DATA) == [7, 1]
    assert place.published() == [3, 2, 1]


def test_two_suites_on_one_branch_never_touch_each_others_files(place: GitHubPlace) -> None:
    publish(place, 2)
    ours = place.git("show", f"{DATA_BRANCH}:{DATA}")
    publish(place, 8, OTHER_SUITE)
    assert place.git("show", f"{DATA_BRANCH}:{DATA}") == ours
    theirs = place.git("show", f"{DATA_BRANCH}:{OTHER_DATA}")
    publish(place, 3)
    assert place.git("show", f"{DATA_BRANCH}:{OTHER_DATA}") == theirs
    (number,) = open_numbers(place)
    body = place.repo.issues[number].body or ""
    assert "name=extraction_quality" in body
    assert "name=candidate_staging" in body


def test_thirty_two_publishers_at_once_lose_no_run(place: GitHubPlace) -> None:
    place.token.rate_limit = 5_000  # how many requests it takes is the benchmark's to say
    barrier = threading.Barrier(32)
    failures: list[BaseException] = []

    def job(number: int) -> None:
        barrier.wait()
        try:
            run = StoredRun.of(run_entry(number))
            code = run_publish_remote(
                run, REQUEST, EXTRACTION_QUALITY, Settings(), place.api(), silent(place.env())
            )
            assert code == 0
        except BaseException as error:
            failures.append(error)

    jobs = [threading.Thread(target=job, args=(number,)) for number in range(2, 34)]
    for one in jobs:
        one.start()
    for one in jobs:
        one.join()
    assert failures == []
    assert place.published() == list(range(33, 0, -1))
    assert sorted(place.archived()) == list(range(1, 34))
    assert len(open_numbers(place)) == 1
    commits = place.git("log", "--format=%(trailers:key=Signed-off-by)%x00", f"main..{DATA_BRANCH}")
    assert commits.count("Signed-off-by") == commits.count("\0") == 32  # none was pushed away


@pytest.mark.parametrize("kind", ["status_after_change", "close_after_change"])
@pytest.mark.parametrize("path", ["/git/refs", "/pulls$"])
def test_a_change_whose_answer_was_lost_is_not_made_twice(
    place: GitHubPlace, kind: str, path: str
) -> None:
    place.server.faults.add(method="POST", path=path, kind=kind)
    assert publish(place, 2) == 0
    assert place.published() == [2, 1]
    assert place.git("rev-list", "--count", f"main..{DATA_BRANCH}").strip() == "1"
    assert len(open_numbers(place)) == 1


def test_a_moved_branch_whose_answer_was_lost_is_not_published_twice(place: GitHubPlace) -> None:
    publish(place, 2)
    place.server.faults.add(method="PATCH", path="/git/refs", kind="close_after_change")
    assert publish(place, 3) == 0
    assert place.git("rev-list", "--count", f"main..{DATA_BRANCH}").strip() == "2"


def test_a_history_over_one_megabyte_is_read_whole(github_server: GitHubServer) -> None:
    entries = [run_entry(n, notes="x" * 40_000) for n in range(1, 41)]
    big = history_with(*entries)
    assert len(big) > 1_000_000
    place = github_place(github_server, {DATA: big})
    publish(place, 50)
    assert place.published() == [50, *range(40, 0, -1)]


@pytest.mark.parametrize(
    "content", ["", '{"schema_version": 2, "runs": [', '{"schema_version": 9}']
)
def test_a_history_that_cannot_be_read_is_never_taken_for_empty(
    github_server: GitHubServer, content: str
) -> None:
    place = github_place(github_server, {DATA: content or "\n"})
    with pytest.raises(BadInput) as caught:
        publish(place, 2)
    assert caught.value.exit_code == 2
    assert place.server.writes == []


def test_a_first_run_creates_everything(github_server: GitHubServer) -> None:
    place = github_place(github_server)
    before = place.calls()
    assert publish(place, 1) == 0
    assert place.calls() - before <= 12
    assert place.published() == [1]


def test_without_permission_it_is_exit_code_3(place: GitHubPlace) -> None:
    token = create_token(place.server, "actions", {"contents": "read", "pull_requests": "read"})
    with pytest.raises(Unreachable) as caught:
        run_publish_remote(
            StoredRun.of(run_entry(2)),
            REQUEST,
            EXTRACTION_QUALITY,
            Settings(),
            place.api(token=token),
            silent(),
            FakeTime().sleep,
        )
    assert caught.value.exit_code == 3


def test_the_command_publishes_and_a_dry_run_says_what_it_would(
    place: GitHubPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in place.env().items():
        monkeypatch.setenv(name, value)
    write_gold_set(tmp_path / "gold")
    baseline = f"gold/{BASELINE}"
    main(["evaluate", "--gold-set", "gold", "--out", "latest.json"])
    main(["gate", "--latest", "latest.json", "--baseline", baseline, "--out", "gate.json"])
    arguments = ["publish", "--latest", "latest.json", "--gate", "gate.json"]
    arguments += ["--baseline", baseline, "--sha", "c0ffee1", "--run-number", "4"]
    arguments += ["--github-repository", place.repo.full_name]
    assert main([*arguments, "--dry-run"]) == 0
    assert f"would write {DATA}" in capsys.readouterr().out
    assert place.server.writes == []
    assert main([*arguments, "--branch", "data/other"]) == 0
    assert place.published("data/other") == [4, 1]
    assert not (tmp_path / "web_data").exists()


def test_two_versions_of_a_file_are_merged_by_what_they_are() -> None:
    assert merge_versions("a/x.jsonl", b"1\n2\n", b"1\n3", 50) == b"1\n2\n3\n"
    merged = merge_versions(
        "web_data/x-benchmark-data.json",
        history_with(run_entry(1), run_entry(3)).encode(),
        history_with(run_entry(1), run_entry(2)).encode(),
        50,
    )
    assert [run["run_number"] for run in json.loads(merged)["runs"]] == [3, 2, 1]
    assert merge_versions("web_data/x.schema.json", b"main", b"branch", 50) == b"main"
