"""A fork that wants a better comment than it deserves: its artifact is data, the rules the base's.

Whatever the artifact holds, the policy's verdict stands on the pull request.
"""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.evaluation.gold_set import MANIFEST
from bot.github.artifact_zip import MAX_ZIP_BYTES
from tests.commands.conftest import Done, load
from tests.github_server.git_store import Signature, TreeEntry
from tests.github_server.scenario import open_pull_request, zip_of
from tests.github_server.server import GitHubServer
from tests.github_server.state import Issue
from tests.support.github_markdown import read
from tests.support.github_place import GitHubPlace
from tests.support.pull_request_run import (
    ARTIFACT,
    CONFIG,
    OTHER_SETTINGS,
    PROMPT,
    artifact,
    base_checkout,
    comments,
    make_report,
    pull_of,
    run_bot,
    run_of,
)

NEW_PROMPT = {PROMPT: 'PROMPT = "Say that all is well."\n'}
POLICY_FAILS = "Oracle-cassette policy: ❌ FAIL"


@pytest.fixture
def place(
    github_server: GitHubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    return base_checkout(github_server, tmp_path, monkeypatch)


def fork_with(place: GitHubPlace, files: dict[str, Any], body: str = "") -> Issue:
    return open_pull_request(
        place.server, place.repo, head="mallory:feature", files=files, body=body
    )


def comment(
    capsys: pytest.CaptureFixture[str],
    place: GitHubPlace,
    issue: Issue,
    artifacts: dict[str, bytes],
    **changes: Any,
) -> Done:
    run = run_of(place, issue, artifacts=artifacts, **changes)
    return run_bot(capsys, "comment-from-run", "--run-id", str(run.id), "--set-status")


def states(place: GitHubPlace) -> dict[str, str]:
    return {one.context.rpartition(": ")[2]: one.state for one in place.repo.statuses}


def zip_by(method: int, damage_at: int) -> bytes:
    """A zip of `latest.json` whose packed bytes are damaged."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("latest.json", "{}" * 500)
    data = bytearray(buffer.getvalue())
    start = 30 + len("latest.json") + damage_at
    data[start : start + 6] = b"\xff" * 6
    return bytes(data)


def beside_report(name: str, content: bytes) -> bytes:
    """A zip of a report that could be used, and this."""
    return zip_of({"latest.json": json.dumps(make_report()), name: content})


UNUSABLE: dict[str, Callable[[], bytes]] = {
    "a path out of the folder": lambda: beside_report("../x.json", b"{}"),
    "another file": lambda: beside_report("run.sh", b"curl evil.example"),
    "a bomb": lambda: beside_report("comment.md", b"0" * (16 * 1024 * 1024 + 1)),
    "more than is downloaded": lambda: zip_of({"latest.json": os.urandom(MAX_ZIP_BYTES + 1)}),
    "no zip": lambda: b"PK",
    "a damaged stream": lambda: zip_by(zipfile.ZIP_DEFLATED, 0),
    "a damaged stream of LZMA": lambda: zip_by(zipfile.ZIP_LZMA, 9),
    "no JSON": lambda: zip_of({"latest.json": "<html>"}),
    "no UTF-8": lambda: zip_of({"latest.json": b"\xff\xfe"}),
    "an array without end": lambda: zip_of({"latest.json": "[" * 100_000}),
    "no report": lambda: zip_of({"latest.json": "[]"}),
}

FIELDS: dict[str, dict[str, Any]] = {
    "another suite": {"benchmark": "candidate_staging"},
    "the first year of all": {"generated_at": "0001-01-01T00:00:00+14:00"},
    "the last year of all": {"generated_at": "9999-12-31T23:59:59-14:00"},
    "a number too long to be written": {
        "counts": {"labels": {"factual": {"tp": 9 * 10**4299, "fp": 0, "fn": 9 * 10**4299}}}
    },
    "a time without a zone": {"generated_at": "2026-09-15T12:00:00"},
    "a wrong type": {"metrics": []},
}


@pytest.mark.parametrize("name", [*UNUSABLE, *FIELDS])
def test_an_unusable_artifact_is_no_result_and_the_policys_verdict_stands(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    issue = fork_with(place, NEW_PROMPT)
    report = artifact(make_report(**FIELDS[name])) if name in FIELDS else {}
    done = comment(capsys, place, issue, report or {ARTIFACT: UNUSABLE[name]()})
    assert done.code == 0, done.err
    assert done.err.startswith(("warning: ", "error: "))
    (body,) = comments(place)
    text = read(body).text
    assert "The run's artifact cannot be used" in text
    assert POLICY_FAILS in text
    assert "PASS" not in text
    assert states(place) == {"oracle policy": "failure"}


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("NaN", "not finite"),
        ("Infinity", "not finite"),
        ("1e999", "not finite"),
        ("1" + "0" * 400, "not a fraction"),
        ('"1.0"', "not a number"),
        ("1.5", "not a fraction"),
        ("null", "undefined"),
    ],
)
def test_a_metric_that_is_no_score_fails_the_gate(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], value: str, fault: str
) -> None:
    report = make_report()
    report["metrics"]["recall_macro"] = "VALUE"
    text = json.dumps(report).replace('"VALUE"', value)
    issue = fork_with(place, {"README.md": "x"})
    assert comment(capsys, place, issue, artifact(text)).code == 0
    (body,) = comments(place)
    assert "❌ Extraction quality: FAIL" in body
    assert "recall_macro is not computable" in read(body).text
    assert states(place) == {"oracle policy": "success", "gate": "failure"}
    (status,) = [one for one in place.repo.statuses if one.context.endswith("gate")]
    assert fault in str(status.description)


def test_text_in_a_report_is_shown_and_does_nothing(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    attack = (
        "@octo-org/owners look: [click](https://evil.example) ![x](https://evil.example/p.png) "
        "<img src=x onerror=alert(1)> | cell |\n\n## ✅ Extraction quality: PASS\n"
        "<!-- extraction-benchmark-bot:section name=x sha= run=1 status=pass --> #1 \ud800"
    )
    case = {
        "conversation_id": attack,
        "turn_index": 0,
        "kind": "missed",
        "detail": attack,
        "expected": {"content": attack, "labels": [attack]},
    }
    plain = dict.fromkeys(("provider", "model", "gold_set", "cassette_kind"), attack[:190])
    report = make_report(cases=[case], prompt_sha256=attack, notes=attack, **plain)
    issue = fork_with(place, {"README.md": "x"})
    assert comment(capsys, place, issue, artifact(report)).code == 0
    (body,) = comments(place)
    seen = read(body)
    assert "@octo-org/owners look" in seen.text
    assert seen.linkable == []
    assert "img" not in seen.tags
    assert all(link.startswith(place.server.url) for link in seen.links)
    assert seen.text.count("Extraction quality: FAIL") == 1
    assert body.count("<!-- extraction-benchmark-bot:section ") == 1


def test_the_policy_is_judged_here_and_not_by_what_the_artifact_says(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = fork_with(place, NEW_PROMPT)
    says_pass = json.dumps({"status": "pass", "reasons": ["nothing changed"]})
    done = comment(capsys, place, issue, artifact(make_report(), policy_result=says_pass))
    assert done.code == 0
    (body,) = comments(place)
    assert "❌ Extraction quality: FAIL" in body
    assert POLICY_FAILS in read(body).text
    assert PROMPT in read(body).text
    assert states(place) == {"oracle policy": "failure", "gate": "success"}


def test_a_fork_cannot_configure_the_policy_away(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = fork_with(place, {**NEW_PROMPT, CONFIG: OTHER_SETTINGS})
    assert comment(capsys, place, issue, artifact(make_report())).code == 0
    assert POLICY_FAILS in read(comments(place)[0]).text


def test_a_visible_exception_in_the_body_lets_the_change_pass(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "Only a typo.\n\nEXTRACTION_EVAL_ORACLE_OK=1\n"
    issue = fork_with(place, NEW_PROMPT, body)
    assert comment(capsys, place, issue, artifact(make_report())).code == 0
    assert "Oracle-cassette policy: ✅ PASS" in read(comments(place)[0]).text


def test_a_later_run_without_a_result_replaces_the_verdict_of_an_earlier_one(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = fork_with(place, NEW_PROMPT, "EXTRACTION_EVAL_ORACLE_OK=1")
    comment(capsys, place, issue, artifact(make_report()), run_number=7)
    assert "✅ Extraction quality: PASS" in comments(place)[0]
    issue.body = "No exception any more."
    comment(capsys, place, issue, {ARTIFACT: b"no zip"}, run_number=8)
    (body,) = comments(place)
    assert POLICY_FAILS in read(body).text
    assert "✅ Extraction quality: PASS" not in body


def test_the_gate_is_judged_by_the_bases_baseline(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    report = make_report()
    report["metrics"]["recall_macro"] = 0.5
    baseline = load_baseline_with(0.5)
    issue = fork_with(place, {"gold/baseline_results.json": baseline})
    says_pass = json.dumps({"status": "pass", "checks": [], "summary_lines": []})
    done = comment(capsys, place, issue, artifact(report, gate_result=says_pass))
    assert done.code == 0
    assert "recall_macro fell 50.00 points" in read(comments(place)[0]).text
    assert states(place)["gate"] == "failure"


def load_baseline_with(recall: float) -> str:
    """A baseline that the report would hold."""
    baseline = load(Path("gold/baseline_results.json"))
    baseline["providers"]["openai"]["metrics"]["recall_macro"] = recall
    return json.dumps(baseline)


def test_a_report_of_a_part_does_not_pass(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str]
) -> None:
    issue = fork_with(place, {"README.md": "x"})
    report = make_report(conversation_count=1, gold_conversation_count=3)
    assert comment(capsys, place, issue, artifact(report)).code == 0
    assert "❌ Extraction quality: FAIL" in comments(place)[0]


@pytest.mark.parametrize("mode", ["040000", "120000", "160000"])
@pytest.mark.parametrize("path", [f"gold/{MANIFEST}", ".github/workflows/new.yml"])
def test_a_folder_link_or_submodule_where_a_file_is_read_keeps_no_verdict_away(
    place: GitHubPlace, capsys: pytest.CaptureFixture[str], path: str, mode: str
) -> None:
    issue = fork_with(place, NEW_PROMPT)
    put_other_kind(place, path, mode)
    pull_of(place, issue)
    done = comment(capsys, place, issue, artifact(make_report()))
    assert done.code == 0, done.err
    assert POLICY_FAILS in read(comments(place)[0]).text


def put_other_kind(place: GitHubPlace, path: str, mode: str) -> None:
    """In the fork's branch, `path` becomes what is no file."""
    git = place.server.state.repositories["mallory/memory"].git
    tip = git.read_ref("refs/heads/feature") or ""
    base = git.object_info(f"{tip}^{{tree}}")
    assert base is not None
    blob = git.write_blob(b"x")
    inner = git.write_tree(None, {"x": TreeEntry("x", "100644", blob)})
    sha = {"040000": inner, "120000": git.write_blob(b"../../nowhere"), "160000": tip}[mode]
    tree = git.write_tree(base[0], {path: TreeEntry(path, mode, sha or "")})
    who = Signature("mallory", "m@example.org", place.server.state.now())
    git.set_ref("refs/heads/feature", git.write_commit(tree or "", [tip], "Change", who, who))
