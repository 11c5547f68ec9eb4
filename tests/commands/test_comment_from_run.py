"""The comment on a pull request from its run: which run may speak, and what is written where."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.commands.comment_from_run import FORK_NOTE
from bot.comment.sections import COMMENT_MARKER
from bot.escape import escape_text
from tests.commands.conftest import Done
from tests.github_server.scenario import commit_files, create_token, open_pull_request
from tests.github_server.server import GitHubServer
from tests.github_server.state import Issue, WorkflowRun
from tests.support.github_markdown import read
from tests.support.github_place import DATA, GitHubPlace, history_with
from tests.support.pull_request_run import (
    artifact,
    base_checkout,
    comments,
    make_report,
    pull_of,
    run_bot,
    run_of,
)
from tests.support.runs import run_entry
from tests.workflows import events

CHANGE = {"README.md": "# Better\n"}


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    return base_checkout(github_server, tmp_path, monkeypatch)


@pytest.fixture
def fork(place: GitHubPlace) -> Issue:
    return open_pull_request(place.server, place.repo, head="mallory:feature", files=CHANGE)


def comment(capsys: pytest.CaptureFixture[str], run: WorkflowRun, *more: str) -> Done:
    return run_bot(capsys, "comment-from-run", "--run-id", str(run.id), *more)


def refused(done: Done, place: GitHubPlace, reason: str) -> bool:
    """Exit 1 for that reason, and nothing written."""
    return (done.code, reason in done.err, place.server.writes) == (1, True, [])


def test_a_forks_run_is_commented_and_said_to_be_the_forks_own(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    done = comment(capsys, run)
    assert done.code == 0, done.err
    (body,) = comments(place)
    assert "✅ Extraction quality: PASS" in body
    assert FORK_NOTE in read(body).text
    assert run.head_sha[:7] in body


def test_a_branch_of_the_repository_itself_is_commented_without_that_note(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = open_pull_request(place.server, place.repo, files=CHANGE)
    run = run_of(place, issue, artifacts=artifact(make_report()))
    monkeypatch.setenv("GITHUB_REPOSITORY", "Octo-Org/Memory")  # GitHub does not mind the case
    assert comment(capsys, run).code == 0
    (body,) = comments(place)
    assert "✅ Extraction quality: PASS" in body
    assert "fork" not in body


@pytest.mark.parametrize("is_readable", [True, False])
def test_the_trend_is_of_the_bases_history_and_never_needed(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str], is_readable: bool
) -> None:
    runs = [run_entry(n, sha=f"{n:040x}", gold_set="small", metrics={}) for n in (1, 2)]
    Path(DATA).parent.mkdir()
    Path(DATA).write_text(history_with(*runs) if is_readable else "{")
    of_the_fork = history_with(run_entry(3, gold_set="small"))
    run = run_of(
        place,
        fork,
        artifacts=artifact(make_report(), extraction_quality_benchmark_data=of_the_fork),
    )
    assert comment(capsys, run).code == 0
    (body,) = comments(place)
    assert ("Trend over 3 runs" in body) is is_readable
    assert "✅ Extraction quality: PASS" in body


def test_the_run_is_the_one_that_the_workflow_run_event_is_about(
    place: GitHubPlace,
    fork: Issue,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    Path("event.json").write_text(json.dumps(events.workflow_run(place, run)))
    monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
    monkeypatch.setenv("GITHUB_RUN_ID", "999999")  # of the job that comments
    assert run_bot(capsys, "comment-from-run").code == 0
    assert len(comments(place)) == 1


def test_a_head_that_has_moved_on_is_not_commented(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    mallory = place.server.state.repositories["mallory/memory"]
    commit_files(place.server, mallory, {"README.md": "# More\n"}, branch="feature")
    newer = pull_of(place, fork).head_sha
    done = comment(capsys, run)
    assert refused(done, place, f"head has moved on to {newer[:7]}")


def test_of_two_pull_requests_with_one_head_none_is_commented(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    commit_files(place.server, place.repo, {"a.txt": "a"}, branch="release")
    open_pull_request(place.server, place.repo, head="mallory:feature", base="release")
    done = comment(capsys, run_of(place, fork, artifacts=artifact(make_report())))
    assert refused(done, place, "pull requests #2, #1 have the same head")


def test_a_branch_of_that_name_in_another_fork_does_not_speak_for_the_pull_request(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    other = open_pull_request(place.server, place.repo, head="eve:feature", files={"e.txt": "e"})
    eve = place.server.state.repositories["eve/memory"]
    run = run_of(place, fork, head_repository=eve, artifacts=artifact(make_report()))
    done = comment(capsys, run)
    assert refused(done, place, f"moved on to {pull_of(place, other).head_sha[:7]}")


def test_a_closed_pull_request_is_not_commented(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    fork.state = "closed"
    done = comment(capsys, run)
    assert refused(done, place, "no open pull request comes from mallory/memory:feature")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"workflow_path": ".github/workflows/other.yml"},
            "workflow path: got .github/workflows/other.yml, "
            "expected .github/workflows/extraction-eval.yml",
        ),
        ({"workflow_name": "other"}, "workflow name: got other, expected extraction-eval"),
        ({"event": "push"}, "event: got push, expected pull_request"),
        ({"event": "pull_request_target"}, "event: got pull_request_target, expected pull_request"),
        ({"status": "in_progress"}, "the run is not completed"),
        ({"conclusion": "cancelled"}, "conclusion: got cancelled, expected success or failure"),
        ({"conclusion": "timed_out"}, "conclusion: got timed_out, expected success or failure"),
    ],
)
def test_a_run_that_is_not_what_it_must_be_is_refused(
    place: GitHubPlace,
    fork: Issue,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    reason: str,
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()), **changes)
    assert refused(comment(capsys, run), place, reason)


def test_an_unknown_run_is_refused_and_no_run_at_all_is_bad_input(
    place: GitHubPlace,
    fork: Issue,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = run_bot(capsys, "comment-from-run", "--run-id", "999999")
    assert refused(done, place, "there is no workflow run 999999 in octo-org/memory")
    before = place.calls()
    done = run_bot(capsys, "comment-from-run")
    assert (done.code, "neither --run-id nor a workflow_run event" in done.err) == (2, True)
    for event in ({"workflow_run": {"id": "9"}}, {"workflow_run": None}, {"workflow_run": [1]}):
        Path("event.json").write_text(json.dumps(event))
        assert run_bot(capsys, "comment-from-run", "--event-path", "event.json").code == 2
    assert place.calls() == before


def test_a_failed_gate_is_commented_and_the_code_is_0_as_the_comment_stands(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    report = make_report()
    report["metrics"]["recall_macro"] = 0.5
    run = run_of(place, fork, conclusion="failure", artifacts=artifact(report))
    assert comment(capsys, run).code == 0
    (body,) = comments(place)
    assert "❌ Extraction quality: FAIL" in body
    assert "recall_macro fell 50.00 points" in read(body).text


def test_a_report_of_a_newer_program_is_read(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = {"content": "Prefers tabs", "labels": ["preference"], "score": 0.9}
    case = {"conversation_id": "c1", "turn_index": 0, "kind": "missed", "expected": memory, "n": 1}
    report = make_report(cases=[case], newer={"field": 1})
    assert comment(capsys, run_of(place, fork, artifacts=artifact(report))).code == 0
    assert "Prefers tabs" in comments(place)[0]


def test_a_run_without_an_artifact_is_no_result(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(place, fork, conclusion="failure")
    assert comment(capsys, run).code == 0
    (body,) = comments(place)
    assert "⚪ Extraction quality: no result" in body
    assert run.head_sha[:7] in body


def test_set_status_says_both_verdicts_on_the_head_commit(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    report = make_report()
    report["metrics"]["recall_macro"] = 0.5
    run = run_of(place, fork, conclusion="failure", artifacts=artifact(report))
    assert comment(capsys, run, "--set-status").code == 0
    address = f"{place.server.url}/octo-org/memory/actions/runs/{run.id}"
    assert {
        status.context: (status.sha, status.state, status.target_url)
        for status in place.repo.statuses
    } == {
        "Extraction quality: oracle policy": (run.head_sha, "success", address),
        "Extraction quality: gate": (run.head_sha, "failure", address),
    }
    described = {s.context: s.description for s in place.repo.statuses}
    assert "recall_macro dropped 50.00 points" in str(described["Extraction quality: gate"])


def test_a_status_that_may_not_be_set_does_not_keep_the_comment_away(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    place.server.faults.add(method="POST", path="/statuses/", kind="status", status=403, times=None)
    run = run_of(place, fork, artifacts=artifact(make_report()))
    done = comment(capsys, run, "--set-status")
    assert (done.code, "warning: no status could be set" in done.err) == (0, True)
    assert len(comments(place)) == 1


def test_a_dry_run_prints_the_comment_and_writes_nothing(
    place: GitHubPlace, fork: Issue, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    done = comment(capsys, run, "--dry-run", "--set-status")
    assert done.code == 0
    assert COMMENT_MARKER in done.out
    assert escape_text(FORK_NOTE) in done.out
    assert (place.server.writes, place.repo.statuses) == ([], [])


@pytest.fixture
def read_only(place: GitHubPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = ("contents", "actions", "pull_requests", "issues")
    token = create_token(
        place.server, "actions", dict.fromkeys(levels, "read"), repository=place.repo
    )
    monkeypatch.setenv("GITHUB_TOKEN", token.value)


def test_our_own_run_is_commented_before_it_is_completed(
    place: GitHubPlace,
    fork: Issue,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = run_of(place, fork, status="in_progress", artifacts=artifact(make_report()))
    monkeypatch.setenv("GITHUB_RUN_ID", str(run.id))
    Path("event.json").write_text(json.dumps(events.pull_request(place, fork)))
    monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
    assert run_bot(capsys, "comment-from-run").code == 0
    assert "PASS" in comments(place)[0]


@pytest.mark.usefixtures("read_only")
@pytest.mark.parametrize(("is_own", "code", "level"), [(True, 0, "warning"), (False, 3, "error")])
def test_where_it_may_not_comment_only_its_own_run_is_let_off(
    place: GitHubPlace,
    fork: Issue,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    is_own: bool,
    code: int,
    level: str,
) -> None:
    run = run_of(place, fork, artifacts=artifact(make_report()))
    monkeypatch.setenv("GITHUB_RUN_ID", str(run.id) if is_own else "7")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    done = comment(capsys, run)
    assert (done.code, done.err.count("\n")) == (code, 1)
    assert done.err.startswith(f"{level}: the comment could not be posted")
    assert "Extraction quality: PASS" in Path("summary.md").read_text()
    assert comments(place) == []
