"""The sticky comment, from the command line, on the test GitHub."""

import json
import threading
from pathlib import Path

import pytest

from bot.cli import main
from bot.comment.sections import COMMENT_MARKER, Section, parse_sections, splice
from tests.commands.conftest import Done
from tests.github_server.scenario import (
    add_comments,
    create_token,
    lock_issue,
    open_pull_request,
)
from tests.github_server.server import GitHubServer
from tests.github_server.state import Comment
from tests.support.github_place import GitHubPlace, github_place, history_with
from tests.support.runs import run_entry

HUMAN_NOTES = {"body": "Looks good to me."}


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    made = github_place(github_server)
    open_pull_request(github_server, made.repo, files={"a.txt": "a"})
    for name, value in made.env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bot.github.sticky_comment.SETTLE_SECONDS", 0.05)
    monkeypatch.setattr("bot.github.retry.FIRST_BACKOFF_SECONDS", 0.01)
    return made


def head(place: GitHubPlace) -> str:
    return place.git("rev-parse", "feature").strip()


def write_data(place: GitHubPlace, **changes: object) -> None:
    Path("data.json").write_text(history_with(run_entry(5, sha=head(place), **changes)))


def post(capsys: pytest.CaptureFixture[str], *more: str) -> Done:
    capsys.readouterr()
    arguments = ["post-extraction-pr-comment", "--pr-number", "1"]
    code = main([*arguments, "--extraction-benchmark-data", "data.json", *more])
    said = capsys.readouterr()
    return Done(code, said.out, said.err)


def ours(place: GitHubPlace) -> list[Comment]:
    found = [c for c in place.repo.comments.values() if c.body.startswith(COMMENT_MARKER)]
    return [c for c in found if c.user.login == "github-actions[bot]"]


FAILED = {
    "status": "fail",
    "gate_summary": {
        "status": "fail",
        "checks": [
            {
                "name": "openai.recall_macro regression (pp)",
                "value": 9.0,
                "limit": 3.0,
                "ok": False,
                "current": 0.91,
                "baseline": 1.0,
            }
        ],
    },
}


def test_a_comment_is_created_then_updated_then_left_alone(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    assert post(capsys).code == 0
    (comment,) = ours(place)
    assert parse_sections(comment.body)[0].sha == head(place)

    before = place.calls()
    writes = len(place.server.writes)
    done = post(capsys)
    assert "comment unchanged" in done.out
    assert len(place.server.writes) == writes
    assert place.calls() - before <= 5

    write_data(place, **FAILED)
    before = place.calls()
    done = post(capsys)
    assert done.code == 1
    assert "comment updated" in done.out
    assert place.calls() - before <= 5
    (comment,) = ours(place)
    assert "FAIL" in comment.body


def test_creating_costs_at_most_five_requests_under_a_hundred_comments(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    add_comments(place.server, place.repo, 1, 90)
    write_data(place)
    before = place.calls()
    assert post(capsys).code == 0
    assert place.calls() - before <= 5


def test_ours_is_found_on_the_third_page_and_a_persons_copy_is_left_alone(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    add_comments(place.server, place.repo, 1, 210)
    (copied,) = add_comments(place.server, place.repo, 1, 1, body=f"{COMMENT_MARKER}\nmine now")
    write_data(place)
    post(capsys)
    add_comments(place.server, place.repo, 1, 40)
    write_data(place, **FAILED)
    post(capsys)
    assert len(ours(place)) == 1
    assert "FAIL" in ours(place)[0].body
    assert place.repo.comments[copied.id].body == f"{COMMENT_MARKER}\nmine now"


def test_another_bots_comment_with_our_marker_is_left_alone(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = f"{COMMENT_MARKER}\ncopied"
    (other,) = add_comments(place.server, place.repo, 1, body=copy, login="copycat[bot]")
    write_data(place)
    post(capsys)
    assert place.repo.comments[other.id].body == copy
    assert len(ours(place)) == 1


@pytest.mark.parametrize("kind", ["status_after_change", "close_after_change"])
def test_a_post_that_was_done_although_it_failed_is_not_repeated(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    place.server.faults.add(method="POST", path="/comments$", kind=kind)
    write_data(place)
    assert post(capsys).code == 0
    assert len(ours(place)) == 1
    assert len(place.server.asked("POST", "/comments$", place.token.value)) == 1


@pytest.mark.parametrize("kind", ["status", "close_before_change"])
def test_a_post_that_was_not_done_is_tried_again(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    place.server.faults.add(method="POST", path="/comments$", kind=kind, status=502)
    write_data(place)
    assert post(capsys).code == 0
    assert len(ours(place)) == 1


def test_a_comment_deleted_between_list_and_edit_is_created_anew_once(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    post(capsys)
    (old,) = ours(place)

    def delete(_: object) -> None:
        place.repo.comments.pop(old.id, None)

    place.server.before("PATCH", "/issues/comments/", delete)
    write_data(place, **FAILED)
    assert post(capsys).code == 1
    (new,) = ours(place)
    assert new.id != old.id


def test_two_jobs_at_once_leave_one_comment(place: GitHubPlace, tmp_path: Path) -> None:
    write_data(place)
    barrier = threading.Barrier(2)
    codes: list[int] = []

    def job() -> None:
        barrier.wait()
        arguments = ["post-extraction-pr-comment", "--pr-number", "1"]
        codes.append(main([*arguments, "--extraction-benchmark-data", "data.json"]))

    jobs = [threading.Thread(target=job) for _ in range(2)]
    for one in jobs:
        one.start()
    for one in jobs:
        one.join()
    assert codes == [0, 0]
    assert len(ours(place)) == 1


def test_a_second_comment_of_ours_is_merged_into_the_oldest(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    bodies = [
        splice(None, Section(name, head(place), 1, "pass", name), head(place))
        for name in ("candidate_staging", "future_suite")
    ]
    bot = place.token.app
    for body in bodies:
        add_comments(
            place.server, place.repo, 1, 1, body=body, login="github-actions[bot]", app=bot
        )
    write_data(place)
    post(capsys)
    (comment,) = ours(place)
    assert {section.name for section in parse_sections(comment.body)} == {
        "candidate_staging",
        "future_suite",
        "extraction_quality",
    }


def test_what_another_suite_writes_over_ours_is_written_once_more(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    post(capsys)
    (comment,) = ours(place)
    stale = comment.body
    other = Section("candidate_staging", head(place), 1, "pass", "C")

    def overwrite(_: object) -> None:
        comment.body = splice(stale, other, head(place))

    place.server.after("PATCH", "/issues/comments/", overwrite)
    write_data(place, **FAILED)
    post(capsys)
    found = {section.name: section.status for section in parse_sections(comment.body)}
    assert found == {"extraction_quality": "fail", "candidate_staging": "pass"}


def test_an_older_run_that_finishes_last_does_not_overwrite(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data.json").write_text(history_with(run_entry(9, sha=head(place), **FAILED)))
    post(capsys)
    Path("data.json").write_text(history_with(run_entry(8, sha=head(place))))
    assert "comment unchanged" in post(capsys).out
    assert parse_sections(ours(place)[0].body)[0].run_number == 9


def test_a_run_of_another_commit_never_stands_in(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data.json").write_text(history_with(run_entry(5)))
    assert post(capsys).code == 0
    assert "No result for this commit" in ours(place)[0].body


def test_a_job_whose_commit_is_no_longer_the_head_says_so(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {"pull_request": {"head": {"sha": "a" * 40, "ref": "feature"}}}
    Path("event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
    Path("data.json").write_text(history_with(run_entry(5, sha="a" * 40)))
    post(capsys)
    assert "speaks of an older commit, aaaaaaa" in ours(place)[0].body


def test_an_empty_history_is_a_neutral_comment(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    done = post(capsys)
    assert done.code == 0
    assert "No baseline yet" in ours(place)[0].body


@pytest.mark.parametrize("status", ["pass", "fail"])
@pytest.mark.parametrize("reason", ["read-only", "locked"])
def test_where_it_may_not_write_it_warns_and_exits_by_the_verdict(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    reason: str,
) -> None:
    if reason == "locked":
        lock_issue(place.repo, 1)
    else:
        token = create_token(place.server, "actions", {"pull_requests": "read", "issues": "read"})
        monkeypatch.setenv("GITHUB_TOKEN", token.value)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    write_data(place, **(FAILED if status == "fail" else {}))
    done = post(capsys)
    assert done.code == (1 if status == "fail" else 0)
    assert "warning: the comment could not be posted" in done.err
    assert "Extraction quality" in Path("summary.md").read_text()
    assert ours(place) == []


def test_a_dry_run_prints_the_comment_and_writes_nothing(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    done = post(capsys, "--dry-run")
    assert COMMENT_MARKER in done.out
    assert place.server.writes == []


def test_github_that_does_not_answer_is_exit_code_3_and_one_line(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    place.server.faults.add(path="/pulls/1$", kind="status", status=503, times=None)
    write_data(place)
    done = post(capsys)
    assert done.code == 3
    assert done.err.count("\n") == 1
    assert "after 6 attempts" in done.err


def test_an_enterprise_server_is_reached_and_its_runs_are_linked(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", place.server.enterprise_url)
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://ghe.example.org")
    write_data(place, run_url="https://ghe.example.org/octo-org/memory/actions/runs/9")
    assert post(capsys).code == 0
    assert "](https://ghe.example.org/octo-org/memory/actions/runs/9)" in ours(place)[0].body


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("GITHUB_TOKEN", "", "no GitHub token"),
        ("GITHUB_REPOSITORY", "nonsense", "'nonsense' is no OWNER/NAME"),
        ("GITHUB_REPOSITORY", "", "no repository is named"),
        ("EXTRACTION_BOT_APP_ID", "12", "is missing beside the App's id"),
    ],
)
def test_a_missing_credential_is_bad_input(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    message: str,
) -> None:
    monkeypatch.setenv(variable, value)
    done = post(capsys)
    assert (done.code, message in done.err) == (2, True)


def test_the_policy_reads_files_and_body_from_github(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = Path(__file__).parent.parent / "fixtures/existing/cassette_manifest.older.json"
    arguments = ["check-oracle-policy", "--manifest", str(manifest), "--pr-number", "1"]
    assert main([*arguments, "--contract-path", "b.txt"]) == 0
    assert main([*arguments, "--contract-path", "a.txt"]) == 1
    issue = place.repo.issues[1]
    issue.body = "Why: a comment.\r\n\r\nEXTRACTION_EVAL_ORACLE_OK=1\r\n"
    assert main([*arguments, "--contract-path", "a.txt"]) == 0


@pytest.mark.parametrize("flag", [[], ["--check-run"]])
def test_gate_and_policy_are_set_on_the_head_commit(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], flag: list[str]
) -> None:
    existing = Path(__file__).parent.parent / "fixtures/existing/gate-result.json"
    Path("policy.json").write_text(
        json.dumps({"status": "fail", "reasons": ["changed"] * 60, "contract_changes": ["a.txt"]})
    )
    arguments = ["set-status", "--gate", str(existing), "--policy", "policy.json"]
    assert main([*arguments, "--sha", head(place), *flag]) == 0
    path = "/check-runs" if flag else "/statuses/"
    made = [request for request in place.server.writes if path in request.path]
    assert len(made) == (3 if flag else 2)  # 60 annotations take a second request
