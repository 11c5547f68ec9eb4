"""Publishing that a person starts, and what a dispatch may not leave out for it."""

import json
from pathlib import Path

import pytest

from tests.github_server.scenario import commit_files
from tests.github_server.server import GitHubServer
from tests.support.github_place import GitHubPlace
from tests.support.main_run import (
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


def started_by_hand(inputs: dict[str, str]) -> Path:
    """The event of a workflow_dispatch: an input is a text, whatever its type."""
    path = Path("event.json")
    repository = {"default_branch": "main"}
    path.write_text(json.dumps({"inputs": inputs, "ref": "main", "repository": repository}))
    return path


def test_who_starts_it_by_hand_names_the_run_alone(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, started_by_hand({"run_id": str(run.id), "dry_run": "false"}))
    assert done.code == 0, done.err
    assert place.published() == [7]


def test_a_run_named_by_hand_must_be_of_main_all_the_same(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    commit_files(place.server, place.repo, {"a.txt": "a"}, branch="feature")
    run = workflow_run(place, head_branch="feature")
    attach(place, run, entry_of(place, run))
    done = dispatch(capsys, started_by_hand({"run_id": str(run.id)}))
    assert (done.code, "branch: got feature" in done.err, place.server.writes) == (1, True, [])


@pytest.mark.parametrize("left_out", ["head_sha", "run_number", "run_id", "all"])
def test_a_dispatchs_payload_may_leave_nothing_out(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], left_out: str
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    path = event(run)
    sent = json.loads(path.read_text())
    payload = sent["client_payload"]
    for name in list(payload) if left_out == "all" else [left_out]:
        del payload[name]
    sent["inputs"] = {"run_id": str(run.id)}  # what a dispatch does not have does not help it
    path.write_text(json.dumps(sent))
    done = dispatch(capsys, path)
    assert (done.code, done.err.count("\n"), place.server.writes) == (2, 1, [])


def test_a_dispatch_that_names_the_run_alone_is_refused(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    path = event(run)
    path.write_text(json.dumps({"client_payload": {"run_id": run.id}}))
    done = dispatch(capsys, path)
    assert (done.code, "head_sha: should be a full commit hash" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("value", "published"), [("true", []), ("1", []), ("false", [7]), ("", [7])]
)
def test_the_dry_run_of_the_variable_writes_nothing(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    value: str,
    published: list[int],
) -> None:
    run = workflow_run(place)
    attach(place, run, entry_of(place, run))
    monkeypatch.setenv("EXTRACTION_BOT_DRY_RUN", value)
    done = dispatch(capsys, event(run))
    assert done.code == 0, done.err
    assert bool(place.server.writes) == bool(published)
    assert (place.published() if published else []) == published
