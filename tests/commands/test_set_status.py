"""`set-status` from the command line, on the test GitHub."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.commands.set_status import in_repository
from tests.commands.conftest import Done
from tests.github_server.scenario import create_token, open_pull_request
from tests.github_server.server import GitHubServer
from tests.github_server.state import CheckRun, CommitStatus
from tests.support.github_place import GitHubPlace, github_place

GATE, POLICY = "Extraction quality: gate", "Extraction quality: oracle policy"


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    made = github_place(github_server)
    open_pull_request(github_server, made.repo, files={"a.txt": "a"})
    for name, value in made.env(GITHUB_RUN_ID="42").items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    write_gate()
    write_policy()
    return made


def write_gate(current: float = 1.0, *summary: str) -> None:
    status = "pass" if current > 0.96 else "fail"
    check = {
        "name": "openai.recall_macro regression (pp)",
        "value": (1 - current) * 100,
        "limit": 3.0,
        "ok": status == "pass",
        "current": current,
        "baseline": 1.0,
    }
    gate = {
        "status": status,
        "checks": [check],
        "summary_lines": list(summary) or [f"gate {status}"],
    }
    Path("gate.json").write_text(json.dumps(gate))


def write_policy(**changes: Any) -> None:
    policy = {"status": "pass", "reasons": ["nothing changed"], "contract_changes": []}
    Path("policy.json").write_text(json.dumps(policy | changes))


def head(place: GitHubPlace) -> str:
    return place.git("rev-parse", "feature").strip()


def set_status(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], *more: str, files: bool = True
) -> Done:
    capsys.readouterr()
    given = ["--gate", "gate.json", "--policy", "policy.json"] if files else []
    code = main(["set-status", "--sha", head(place), *given, *more])
    said = capsys.readouterr()
    return Done(code, said.out, said.err)


def statuses(place: GitHubPlace) -> dict[str, CommitStatus]:
    return {one.context: one for one in place.repo.statuses}


def checks(place: GitHubPlace) -> dict[str, CheckRun]:
    return {one.name: one for one in place.repo.check_runs.values()}


def test_gate_and_policy_have_a_status_each_that_leads_to_the_run(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gate(0.9, "recall_macro fell 10 points")
    assert set_status(place, capsys).code == 0
    gate, policy = statuses(place)[GATE], statuses(place)[POLICY]
    assert (gate.state, gate.description) == ("failure", "recall_macro fell 10 points")
    assert (policy.state, policy.description) == ("success", "nothing changed")
    assert {gate.sha, policy.sha} == {head(place)}
    assert gate.target_url == f"{place.server.url}/octo-org/memory/actions/runs/42"
    assert place.calls() == 2


def test_on_a_pull_request_the_head_commit_and_not_the_merge_commit_gets_it(
    place: GitHubPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = {"pull_request": {"number": 1, "head": {"sha": head(place), "ref": "feature"}}}
    Path("event.json").write_text(json.dumps(event))
    monkeypatch.setenv("GITHUB_EVENT_PATH", "event.json")
    monkeypatch.setenv("GITHUB_SHA", place.git("rev-parse", "main").strip())
    assert main(["set-status", "--gate", "gate.json"]) == 0
    assert [one.sha for one in place.repo.statuses] == [head(place)]


def test_one_of_the_two_is_enough_and_none_is_bad_input(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_status(place, capsys, "--policy", "policy.json", files=False).code == 0
    assert list(statuses(place)) == [POLICY]
    done = set_status(place, capsys, files=False)
    assert (done.code, done.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("broken", ["gate.json", "policy.json"])
def test_when_one_file_cannot_be_read_nothing_is_set(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], broken: str
) -> None:
    Path(broken).write_text("{")
    assert set_status(place, capsys).code == 2
    assert place.server.writes == []


def test_a_long_description_is_cut_and_a_line_break_is_shown(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gate(0.9, "first\n::error::second " + "x" * 300)
    assert set_status(place, capsys).code == 0
    description = statuses(place)[GATE].description
    assert description is not None
    assert len(description) == 140
    assert description.startswith("first\\n::error::second")


def test_a_check_run_points_at_the_baseline_and_at_the_changed_contract_files(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gate(0.9, "recall_macro fell 10 points", "and a\n# heading")
    write_policy(status="fail", reasons=["changed"], contract_changes=["p.py", "s.py"])
    (Path.cwd() / ".github").mkdir()
    Path(".github/extraction-bot.toml").write_text('gold_set = "gold/v2"\n')
    assert set_status(place, capsys, "--check-run").code == 0
    gate, policy = checks(place)[GATE], checks(place)[POLICY]
    assert (gate.status, gate.conclusion, gate.head_sha) == ("completed", "failure", head(place))
    assert [(a["path"], a["start_line"], a["end_line"]) for a in gate.annotations] == [
        ("gold/v2/baseline_results.json", 1, 1)
    ] * 2
    assert [(a["path"], a["start_line"]) for a in policy.annotations] == [("p.py", 1), ("s.py", 1)]
    assert gate.details_url == f"{place.server.url}/octo-org/memory/actions/runs/42"
    assert gate.summary == "    recall_macro fell 10 points\n    and a\\n# heading"


def test_a_verdict_that_holds_has_no_annotations(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_policy(contract_changes=["p.py"])
    assert set_status(place, capsys, "--check-run").code == 0
    assert [(one.conclusion, one.annotations) for one in checks(place).values()] == [
        ("success", [])
    ] * 2


def test_more_annotations_than_a_request_takes_follow_in_further_ones(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    write_policy(status="fail", reasons=["changed"] * 60, contract_changes=["a.txt", "b.txt"])
    assert set_status(place, capsys, "--check-run").code == 0
    assert len(checks(place)[POLICY].annotations) == 120
    assert [len(one.json["output"]["annotations"]) for one in place.server.writes] == [
        0,
        50,
        50,
        20,
    ]


@pytest.mark.parametrize("flag", [[], ["--check-run"]])
@pytest.mark.parametrize(("current", "code"), [(1.0, 0), (0.9, 1)])
def test_with_a_forks_token_it_warns_and_exits_by_the_verdict(
    place: GitHubPlace,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flag: list[str],
    current: float,
    code: int,
) -> None:
    token = create_token(place.server, "actions", {"contents": "read"}, repository=place.repo)
    monkeypatch.setenv("GITHUB_TOKEN", token.value)
    write_gate(current)
    done = set_status(place, capsys, *flag)
    assert done.code == code
    assert "warning: no status could be set" in done.err
    assert place.repo.statuses == []


def test_a_commit_that_is_not_there_is_exit_code_3(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["set-status", "--gate", "gate.json", "--sha", "0" * 40]) == 3
    assert capsys.readouterr().err.count("\n") == 1


def test_on_an_enterprise_server_the_run_is_linked_there(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", place.server.enterprise_url)
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://ghe.example.org")
    assert set_status(place, capsys).code == 0
    url = "https://ghe.example.org/octo-org/memory/actions/runs/42"
    assert {one.target_url for one in place.repo.statuses} == {url}


def test_a_baseline_outside_of_the_repository_is_named_alone() -> None:
    root = Path("/repo")
    assert (
        in_repository(Path("gold/v1/baseline_results.json"), root)
        == "gold/v1/baseline_results.json"
    )
    assert (
        in_repository(Path("/repo/gold/baseline_results.json"), root)
        == "gold/baseline_results.json"
    )
    assert in_repository(Path("/lib/gold/baseline_results.json"), root) == "baseline_results.json"
