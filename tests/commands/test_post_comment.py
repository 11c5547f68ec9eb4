"""The sticky comment, from the command line, on the test GitHub."""

import json
import threading
from pathlib import Path

import pytest

from bot.cli import main
from bot.comment.sections import (
    COMMENT_MARKER,
    MAX_COMMENT_CHARS,
    Section,
    parse_sections,
    splice,
)
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


def write_latest(existing: Path, count: int) -> None:
    """A report with so many cases."""
    report = json.loads((existing / "latest.older-producer.json").read_text())
    memory = {"content": "Prefers tabs. " * 20, "labels": ["preference"]}
    case = {"conversation_id": "c1", "turn_index": 0, "kind": "missed", "expected": memory}
    Path("latest.json").write_text(json.dumps(report | {"cases": [case] * count}))


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


@pytest.mark.parametrize("kind", ["status_after_change", "close_after_change"])
def test_a_post_that_was_done_although_it_failed_is_not_repeated(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    place.server.faults.add(method="POST", path="/comments$", kind=kind)
    write_data(place)
    assert post(capsys).code == 0
    assert len(ours(place)) == 1
    assert len(place.server.asked("POST", "/comments$", place.token.value)) == 1


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


def test_after_a_crash_neither_run_nor_cases_of_another_commit_stand_in(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], existing: Path
) -> None:
    write_latest(existing, 3)
    Path("data.json").write_text(history_with(run_entry(5)))
    assert post(capsys, "--latest", "latest.json").code == 0
    assert "No result for this commit" in ours(place)[0].body
    assert "Prefers tabs" not in ours(place)[0].body


def test_a_crash_that_left_no_report_is_said_in_the_comment_all_the_same(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data.json").write_text(history_with(run_entry(5)))
    done = post(capsys, "--latest", "out/latest.json", "--base-latest", "base.json")
    assert done.code == 0
    assert "warning: out/latest.json: there is no such report" in done.err
    assert "No result for this commit" in ours(place)[0].body


def test_a_policy_that_left_no_result_is_bad_input_and_never_a_pass(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    assert post(capsys, "--policy", "policy.json").code == 2
    assert place.server.writes == []


def test_a_failed_policy_fails_a_passed_gate_after_the_comment(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    Path("policy.json").write_text('{"status": "fail", "reasons": ["prompt.py changed"]}')
    assert post(capsys, "--policy", "policy.json").code == 1
    assert "prompt.py changed" in ours(place)[0].body


def test_a_comment_that_a_person_edited_in_the_browser_is_still_read(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(place)
    post(capsys)
    (comment,) = ours(place)
    comment.body = comment.body.replace("\n", "\r\n")
    write_data(place, **FAILED)
    post(capsys)
    assert [one.status for one in parse_sections(comment.body)] == ["fail"]
    assert comment.body.count("<!-- extraction-benchmark-bot:section") == 1


def test_a_section_has_the_room_that_the_other_sections_leave(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], existing: Path
) -> None:
    write_latest(existing, 40)
    write_data(place)
    post(capsys, "--latest", "latest.json")
    (comment,) = ours(place)
    alone = comment.body
    other = Section("candidate_staging", head(place), 1, "pass", "\U0001f600" * 30_000)
    comment.body = splice(alone, other, head(place))  # each is two of GitHub's characters
    Path("data.json").write_text(history_with(run_entry(6, sha=head(place), **FAILED)))
    assert post(capsys, "--latest", "latest.json").code == 1
    assert len(comment.body.encode("utf-16-le")) // 2 <= MAX_COMMENT_CHARS
    found = {one.name: one for one in parse_sections(comment.body)}
    assert found["candidate_staging"].text == other.text
    assert found["extraction_quality"].status == "fail"
    assert len(found["extraction_quality"].text) < len(alone)
    assert "CI-enforced" in found["extraction_quality"].text


def test_an_empty_history_is_a_neutral_comment(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    done = post(capsys)
    assert done.code == 0
    assert "No baseline yet" in ours(place)[0].body


@pytest.mark.parametrize("status", ["pass", "fail"])
@pytest.mark.parametrize("reason", ["read-only", "locked", "off"])
def test_where_it_may_not_write_it_warns_and_exits_by_the_verdict(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    status: str,
    reason: str,
) -> None:
    if reason == "locked":
        lock_issue(place.repo, 1)
    elif reason == "off":
        place.server.faults.add(method="POST", kind="status", status=410)
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


def test_both_suites_stand_in_one_thread_each_in_its_own_section(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = (("extraction_quality", "data.json"), ("candidate_staging", "candidates.json"))
    for suite, name in runs:
        flags = ("--sha", head(place), "--run-number", "5", "--data", name, "--out", suite)
        assert main(["run", "--suite", suite, *flags]) == 0
    for suite, name in (*runs, *runs):
        arguments = ["post-extraction-pr-comment", "--pr-number", "1", "--suite", suite]
        assert main([*arguments, "--extraction-benchmark-data", name]) == 0
    capsys.readouterr()
    (comment,) = ours(place)
    assert [section.name for section in parse_sections(comment.body)] == [name for name, _ in runs]
    assert "Extraction quality: PASS" in comment.body
    assert "Candidate staging: PASS" in comment.body


def test_the_trend_of_the_history_stands_in_the_comment(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    head = place.api().pull(1).head_sha
    runs = [run_entry(n, sha=sha) for n, sha in ((1, "1" * 40), (2, "2" * 40), (3, head))]
    Path("data.json").write_text(history_with(*runs))
    arguments = ["--pr-number", "1", "--extraction-benchmark-data", "data.json"]
    assert main(["post-extraction-pr-comment", *arguments]) == 0
    (comment,) = place.repo.comments.values()
    assert "Trend over 3 runs, this one last" in comment.body
