"""`ci`, as the one step of a workflow calls it: what stands on GitHub, in `--out`, and its code."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.expected_memories import EXPECTED
from bot.evaluation.gold_set import BASELINE, MANIFEST
from tests.commands.conftest import Done, load
from tests.github_server.scenario import create_token, open_pull_request
from tests.github_server.server import GitHubServer
from tests.github_server.state import Issue
from tests.support.github_markdown import read
from tests.support.github_place import DATA, GitHubPlace, history_with
from tests.support.pull_request_run import (
    CONFIG,
    OTHER_SETTINGS,
    PROMPT,
    base_checkout,
    comments,
    pull_of,
    run_bot,
)
from tests.support.runs import run_entry
from tests.workflows import events

Ci = Callable[..., Done]
OUT = Path("out")
NEW_PROMPT = {PROMPT: 'PROMPT = "Extract more."\n'}


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    made = base_checkout(github_server, tmp_path, monkeypatch)
    for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        monkeypatch.setenv(name, name.lower())
    monkeypatch.setenv("GITHUB_RUN_ID", "9057")
    monkeypatch.setenv("GITHUB_RUN_NUMBER", "57")
    return made


@pytest.fixture
def ci(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ci:
    """Runs `ci` on an event."""

    def run(event: str, payload: dict[str, Any], *more: str) -> Done:
        Path("event.json").write_text(json.dumps(payload))
        monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
        monkeypatch.setenv("GITHUB_EVENT_NAME", event)
        return run_bot(capsys, "ci", *more)

    return run


@pytest.fixture
def on_pull(place: GitHubPlace, ci: Ci) -> Ci:
    """Runs `ci` on a pull request whose files lie in the checkout too."""

    def run(issue: Issue, *more: str) -> Done:
        pull_of(place, issue)
        return ci("pull_request", events.pull_request(place, issue), *more)

    return run


def change(place: GitHubPlace, files: dict[str, str], **more: Any) -> Issue:
    """A pull request, and its change in the checkout."""
    for name, text in files.items():
        Path(name).parent.mkdir(exist_ok=True, parents=True)
        Path(name).write_text(text)
    return open_pull_request(place.server, place.repo, files=files, **more)


def outputs() -> dict[str, str]:
    """Of a name that is set twice GitHub takes the last value."""
    return dict(line.split("=", 1) for line in Path("github_output").read_text().splitlines())


def other_baseline() -> str:
    """A baseline that was measured on another gold set: no report of this one can be compared."""
    baseline = load(Path("gold") / BASELINE)
    baseline["gold_set"] = "another"
    return json.dumps(baseline)


def test_a_pull_request_is_judged_and_commented_and_its_files_lie_in_one_folder(
    place: GitHubPlace, on_pull: Ci
) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    done = on_pull(issue)
    assert done.code == 0, done.err
    (body,) = comments(place)
    assert "✅ Extraction quality: PASS" in body
    assert "Oracle-cassette policy: ✅ PASS" in read(body).text
    assert pull_of(place, issue).head_sha[:7] in body
    assert {path.name for path in OUT.iterdir()} >= {
        "policy-result.json",
        "latest.json",
        "gate-result.json",
        "comment.md",
        "extraction-quality-benchmark-data.json",
    }
    assert load(OUT / "policy-result.json")["status"] == "pass"
    assert load(OUT / "gate-result.json")["status"] == "pass"
    assert [run["run_number"] for run in load(OUT / Path(DATA).name)["runs"]] == [57]


def test_the_history_of_the_checkout_is_not_touched(place: GitHubPlace, on_pull: Ci) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    Path(DATA).parent.mkdir()
    Path(DATA).write_text("not even read")
    assert on_pull(issue).code == 0
    assert Path(DATA).read_text() == "not even read"
    assert [path.name for path in Path(DATA).parent.iterdir()] == [Path(DATA).name]


def published_runs(count: int, **changes: Any) -> str:
    """A history of the checkout's gold set, evaluated long ago, one commit a run."""
    metrics = {"recall_macro": 0.5}
    runs = [
        run_entry(n, sha=f"{n:07x}{'0' * 33}", metrics=metrics, **changes)
        for n in range(1, count + 1)
    ]
    return history_with(*runs)


def test_the_trend_is_read_from_the_history_of_the_checkout_which_stays_as_it_is(
    place: GitHubPlace, on_pull: Ci
) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    Path(DATA).parent.mkdir()
    Path(DATA).write_text(text := published_runs(2, gold_set="small"))
    assert on_pull(issue).code == 0
    # from 45 (a tenth of the spread below 50) to 100: 5 of 55 is 0.6 of the 7 steps
    assert "Macro recall: ▂▂█ 50.00% → 100.00% (+50.00 points)" in read(comments(place)[0]).text
    assert Path(DATA).read_text() == text
    assert [run["run_number"] for run in load(OUT / Path(DATA).name)["runs"]] == [57]


@pytest.mark.parametrize("history", [None, "not even read", published_runs(5)])
def test_without_comparable_runs_there_is_no_trend_and_nothing_fails(
    place: GitHubPlace, on_pull: Ci, history: str | None
) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    if history is not None:
        Path(DATA).parent.mkdir()
        Path(DATA).write_text(history)
    done = on_pull(issue)
    assert done.code == 0
    assert "Trend" not in comments(place)[0]
    assert ("no trend is shown" in done.err) == (history == "not even read")


def test_the_outputs_of_the_step_are_status_address_and_files(
    place: GitHubPlace, on_pull: Ci
) -> None:
    on_pull(change(place, {"README.md": "# Better\n"}))
    (comment,) = place.repo.comments.values()
    assert outputs() == {
        "status": "pass",
        "report": "out/latest.json",
        "gate-result": "out/gate-result.json",
        "policy-result": "out/policy-result.json",
        "comment": "out/comment.md",
        "comment-url": f"{place.server.url}/octo-org/memory/pull/1#issuecomment-{comment.id}",
    }


def test_a_failed_gate_is_commented_and_exit_code_1(place: GitHubPlace, on_pull: Ci) -> None:
    issue = change(place, {f"gold/{BASELINE}": other_baseline()})
    done = on_pull(issue)
    assert (done.code, "not comparable: the baseline" in done.err) == (1, True)
    assert "❌ Extraction quality: FAIL" in comments(place)[0]
    assert outputs()["status"] == "fail"


def test_a_failed_policy_is_commented_and_exit_code_1(place: GitHubPlace, on_pull: Ci) -> None:
    done = on_pull(change(place, NEW_PROMPT))
    assert (done.code, PROMPT in done.err) == (1, True)
    assert "gate: pass" in done.out
    (body,) = comments(place)
    assert "❌ Extraction quality: FAIL" in body
    assert "Oracle-cassette policy: ❌ FAIL" in read(body).text
    assert load(OUT / "policy-result.json")["contract_changes"] == [PROMPT]
    assert outputs()["status"] == "fail"


def test_an_exception_counts_as_the_body_is_now_not_as_the_event_has_it(
    place: GitHubPlace, on_pull: Ci, ci: Ci
) -> None:
    issue = change(place, NEW_PROMPT)
    payload = events.pull_request(place, issue)
    issue.body = "A typo.\n\nEXTRACTION_EVAL_ORACLE_OK=1\n"
    assert ci("pull_request", payload).code == 0


@pytest.mark.parametrize("named", [False, True])
def test_a_pull_request_cannot_configure_the_policy_away(
    place: GitHubPlace, on_pull: Ci, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    if named:
        monkeypatch.setenv("EXTRACTION_BOT_CONFIG", CONFIG)
    done = on_pull(change(place, {**NEW_PROMPT, CONFIG: OTHER_SETTINGS}))
    assert (done.code, PROMPT in done.err) == (1, True)


def test_an_evaluation_that_stops_is_exit_code_2_and_said_in_the_comment(
    place: GitHubPlace, on_pull: Ci
) -> None:
    issue = change(place, {f"gold/{EXPECTED}": '{"conversation_id": "@octo-org/all'})
    done = on_pull(issue)
    assert (done.code, done.err.count("\n")) == (2, 1)
    (body,) = comments(place)
    assert "⚪ Extraction quality: no result" in body
    seen = read(body)
    assert f"The evaluation stopped: gold/{EXPECTED}" in seen.text
    assert seen.linkable == []
    assert load(OUT / "policy-result.json")["status"] == "pass"
    assert not (OUT / "latest.json").exists()
    assert outputs()["status"] == "none"
    assert "report" not in outputs()


def test_an_evaluation_that_stops_does_not_hide_that_the_policy_fails(
    place: GitHubPlace, on_pull: Ci
) -> None:
    done = on_pull(change(place, {**NEW_PROMPT, f"gold/{EXPECTED}": "{"}))
    assert done.code == 2
    assert "Oracle-cassette policy: ❌ FAIL" in read(comments(place)[0]).text
    assert outputs()["status"] == "fail"


def test_a_run_that_stops_replaces_the_verdict_of_the_run_before(
    place: GitHubPlace, on_pull: Ci, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    on_pull(issue)
    monkeypatch.setenv("GITHUB_RUN_NUMBER", "58")
    assert on_pull(issue, "--baseline", "nowhere.json").code == 2
    assert "⚪ Extraction quality: no result" in comments(place)[0]


@pytest.mark.parametrize("more", [[], ["--no-comment"]])
def test_pull_request_target_is_refused_before_anything_is_done(
    place: GitHubPlace, ci: Ci, more: list[str]
) -> None:
    issue = change(place, {"README.md": "# Better\n"})
    before = place.calls()
    done = ci("pull_request_target", events.pull_request(place, issue), *more)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "on: pull_request_target: would run a pull request's code" in done.err
    assert place.calls() == before
    assert not OUT.exists()


@pytest.mark.parametrize("payload", [{}, {"pull_request": {"number": "1"}}, {"pull_request": []}])
def test_a_pull_requests_event_that_is_none_is_bad_input(
    place: GitHubPlace, ci: Ci, payload: dict[str, Any]
) -> None:
    done = ci("pull_request", payload)
    assert (done.code, done.err) == (2, "error: GITHUB_EVENT_PATH: is no pull request's event\n")


@pytest.mark.parametrize(("gate", "code"), [("pass", 0), ("fail", 1)])
def test_a_push_is_judged_without_asking_github_and_the_summary_has_the_verdict(
    place: GitHubPlace, ci: Ci, monkeypatch: pytest.MonkeyPatch, gate: str, code: int
) -> None:
    if gate == "fail":
        (Path("gold") / BASELINE).write_text(other_baseline())
    monkeypatch.setenv("GITHUB_SHA", "a" * 40)
    monkeypatch.delenv("GITHUB_TOKEN")
    done = ci("push", events.push(place, "a" * 40))
    assert done.code == code
    assert place.calls() == 0
    summary = Path("github_step_summary").read_text()
    assert f"Extraction quality: {gate.upper()}" in summary
    assert not (OUT / "policy-result.json").exists()
    assert load(OUT / "gate-result.json")["status"] == gate
    assert outputs()["status"] == gate


def test_a_push_whose_evaluation_stops_has_no_result(place: GitHubPlace, ci: Ci) -> None:
    done = ci("push", events.push(place, "a" * 40), "--gold-set", "nowhere")
    assert done.code == 2
    assert "Extraction quality: no result" in Path("github_step_summary").read_text()
    assert outputs()["status"] == "none"


def test_without_a_comment_the_policy_is_judged_and_nothing_is_written_to_github(
    place: GitHubPlace, on_pull: Ci
) -> None:
    done = on_pull(change(place, NEW_PROMPT), "--no-comment")
    assert (done.code, place.server.writes) == (1, [])
    assert "Oracle-cassette policy: ❌ FAIL" in Path("github_step_summary").read_text()
    assert outputs()["status"] == "fail"
    assert "comment-url" not in outputs()


@pytest.mark.parametrize(("files", "code"), [({"README.md": "x"}, 0), (NEW_PROMPT, 1)])
def test_with_a_token_that_may_only_read_it_warns_and_exits_by_the_verdict(
    place: GitHubPlace,
    on_pull: Ci,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, str],
    code: int,
) -> None:
    levels = ("contents", "pull_requests", "issues")
    token = create_token(
        place.server, "actions", dict.fromkeys(levels, "read"), repository=place.repo
    )
    monkeypatch.setenv("GITHUB_TOKEN", token.value)
    done = on_pull(change(place, files))
    assert done.code == code
    assert "warning: the comment could not be posted" in done.err
    assert comments(place) == []
    assert "Extraction quality" in Path("github_step_summary").read_text()


def test_a_gold_set_given_by_a_flag_is_the_one_whose_manifest_is_judged(
    place: GitHubPlace, on_pull: Ci
) -> None:
    manifest = load(Path("gold") / MANIFEST)
    recorded = json.dumps(manifest | {"cassette_kind": "live_openai_recorded"})
    Path("gold").rename("other")
    files = {str(p): p.read_text() for p in Path("other").iterdir()}
    issue = change(place, {**files, **NEW_PROMPT, f"other/{MANIFEST}": recorded})
    assert on_pull(issue, "--gold-set", "other").code == 0
    assert load(OUT / "policy-result.json")["cassette_kind"] == "live_openai_recorded"
