"""From a dispatch to a data pull request, as a workflow would run it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from tests.github_server.scenario import add_artifact, commit_files, fork_repository, zip_of
from tests.github_server.server import GitHubServer
from tests.support.github_place import DATA, DATA_BRANCH, GitHubPlace
from tests.support.main_run import (
    ARTIFACT,
    NAME,
    attach,
    dispatch,
    entry_of,
    event,
    publishing_place,
    workflow_run,
)


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    return publishing_place(github_server, tmp_path, monkeypatch)


def test_a_verified_run_is_published_once_and_a_replay_is_skipped(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, event(run))
    assert done.code == 0, done
    assert place.published() == [7]  # the artifact's newest run alone, not its file
    writes = len(place.server.writes)
    assert dispatch(capsys, event(run)).code == 0
    assert len(place.server.writes) == writes


def test_a_failed_gate_on_main_is_published_with_status_fail(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place, conclusion="failure")
    failed = {"status": "fail", "gate_summary": {"status": "fail", "checks": []}}
    attach(place, run, entry_of(place, run, **failed))
    assert dispatch(capsys, event(run)).code == 0
    published = json.loads(place.git("show", f"{DATA_BRANCH}:{DATA}"))
    assert published["runs"][0]["status"] == "fail"


def test_a_failed_run_whose_artifact_says_pass_crashed_and_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place, conclusion="failure")
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, event(run))
    assert (done.code, "the artifact's status: got pass" in done.err) == (1, True)
    assert place.server.writes == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"workflow_path": ".github/workflows/other.yml"}, "workflow path: got"),
        ({"workflow_name": "Other"}, "workflow name: got Other"),
        ({"event": "pull_request"}, "event: got pull_request"),
        ({"event": "repository_dispatch"}, "event: got repository_dispatch"),
        ({"conclusion": "cancelled"}, "conclusion: got cancelled"),
        ({"conclusion": "timed_out"}, "conclusion: got timed_out"),
        ({"conclusion": "startup_failure"}, "conclusion: got startup_failure"),
        ({"head_branch": "feature"}, "branch: got feature, expected main"),
    ],
)
def test_a_run_that_is_not_what_it_must_be_is_refused(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    reason: str,
) -> None:
    commit_files(place.server, place.repo, {"a.txt": "a"}, branch="feature")
    run = workflow_run(place, **changes)
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, event(run))
    assert (done.code, reason in done.err) == (1, True), done.err
    assert place.server.writes == []


def test_a_forks_branch_called_main_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    fork = fork_repository(place.server, place.repo, "mallory")
    run = workflow_run(place, head_repository=fork)
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, event(run))
    assert (done.code, "head repository: got mallory/memory" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({"head_sha": "a" * 40}, "head sha: got"),
        ({"run_number": 8}, "run number: got 7, expected 8"),
        ({"run_id": 999_999}, "there is no workflow run 999999"),
    ],
)
def test_a_claim_that_does_not_hold_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], claim: dict[str, Any], reason: str
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, event(run, **claim))
    assert (done.code, reason in done.err) == (1, True), done.err
    assert place.server.writes == []


@pytest.mark.parametrize(
    "claim",
    [
        {"run_id": "x"},
        {"run_id": -1},
        {"run_id": True},
        {"run_id": 10**30},
        {"run_id": None},
        {"head_sha": "main"},
        {"head_sha": "abc1234"},
        {"head_sha": ["a"]},
        {"head_sha": "../../etc/passwd" + "a" * 24},
        {"run_number": 1.5},
    ],
)
def test_a_payload_that_is_malformed_is_bad_input_before_any_request(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], claim: dict[str, Any]
) -> None:
    run = workflow_run(place)
    before = place.calls()
    done = dispatch(capsys, event(run, **claim))
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert place.calls() == before


def test_an_early_dispatch_waits_for_its_run(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place, status="in_progress")
    attach(place, run, entry_of(place, run))

    def finish(_: object) -> None:
        run.status, run.conclusion = "completed", "success"

    place.server.after("GET", f"/actions/runs/{run.id}$", finish, nth=2)
    assert dispatch(capsys, event(run)).code == 0
    assert place.published() == [7]


def test_a_run_that_does_not_finish_in_time_has_a_message_of_its_own(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place, status="in_progress")
    done = dispatch(capsys, event(run))
    assert (done.code, "not finished: run" in done.err) == (1, True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sha": "b" * 40}, "the artifact's sha: got"),
        ({"run_url": "https://github.com/other/repo/actions/runs/1"}, "run address: got"),
    ],
)
def test_an_artifact_of_another_run_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], changes: dict[str, Any], reason: str
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run, **changes))
    done = dispatch(capsys, event(run))
    assert (done.code, reason in done.err) == (1, True)
    assert place.server.writes == []


def test_a_hostile_or_missing_artifact_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    assert "has no artifact" in dispatch(capsys, event(run)).err
    add_artifact(place.server, place.repo, run, ARTIFACT, zip_of({f"../{NAME}": "x"}))
    done = dispatch(capsys, event(run))
    assert (done.code, "leads out of the folder" in done.err) == (2, True)
    add_artifact(place.server, place.repo, run, ARTIFACT, zip_of({NAME: '{"schema_version": 2'}))
    assert dispatch(capsys, event(run)).code == 2
    assert place.server.writes == []


def test_the_tokens_of_storage_and_api_stay_out_of_what_is_said(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    place.server.faults.add(path="^/artifacts/", kind="status", status=403, times=None)
    done = dispatch(capsys, event(run))
    assert done.code == 3
    signed = [request.path for request in place.server.storage_requests]
    for secret in (place.token.value, "sig=", "signature", *signed):
        assert secret not in done.out + done.err


def test_verify_dispatch_alone_says_what_holds(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    flags = ["--run-id", str(run.id), "--head-sha", run.head_sha, "--run-number", "7"]
    assert main(["verify-dispatch", *flags]) == 0
    assert "every claim of the dispatch holds" in capsys.readouterr().out
    assert main(["verify-dispatch", *flags[:4], "--run-number", "6"]) == 1


def test_notify_sends_the_dispatch_of_its_own_run(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_RUN_ID", "9057")
    monkeypatch.setenv("GITHUB_SHA", "a" * 40)
    monkeypatch.setenv("GITHUB_RUN_NUMBER", "57")
    assert main(["notify"]) == 0
    (sent,) = place.repo.dispatches
    assert sent.event_type == "extraction_benchmark_main_complete"
    assert sent.client_payload == {"run_id": 9057, "head_sha": "a" * 40, "run_number": 57}
