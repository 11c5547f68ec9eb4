"""The whole path as workflows run it: processes, environment variables, event files, real git."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.comment.sections import COMMENT_MARKER
from tests.github_server.scenario import (
    add_artifact,
    create_workflow_run,
    open_pull_request,
    zip_of,
)
from tests.github_server.server import GitHubServer
from tests.support.github_place import (
    DATA,
    DATA_BRANCH,
    WORKFLOW,
    GitHubPlace,
    bot_process,
    github_place,
)
from tests.support.gold import MANIFEST, write_gold_set


@pytest.fixture
def place(github_server: GitHubServer) -> GitHubPlace:
    return github_place(github_server)


def run(arguments: list[str], env: Mapping[str, str], cwd: Path) -> tuple[int, str]:
    process = bot_process(arguments, env, cwd)
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def test_a_pull_request_gets_its_comment_its_policy_and_its_statuses(
    place: GitHubPlace, tmp_path: Path
) -> None:
    prompt = {"bot/extraction/prompt_v2.py": "PROMPT = 1\n"}
    open_pull_request(place.server, place.repo, files=prompt)
    head = place.git("rev-parse", "feature").strip()
    write_gold_set(tmp_path / "gold")
    event = {"number": 1, "pull_request": {"number": 1, "head": {"sha": head, "ref": "feature"}}}
    (tmp_path / "event.json").write_text(json.dumps(event))
    env = place.env(
        GITHUB_ACTIONS="true",
        GITHUB_EVENT_PATH="event.json",
        GITHUB_SHA="0" * 39 + "1",  # the merge commit
        GITHUB_REF_NAME="1/merge",
        GITHUB_RUN_NUMBER="12",
        GITHUB_RUN_ID="9012",
        GITHUB_STEP_SUMMARY="summary.md",
    )
    assert run(["run", "--gold-set", "gold"], env, tmp_path)[0] == 0
    policy = ["check-oracle-policy", "--manifest", f"gold/{MANIFEST}", "--pr-number", "1"]
    code, said = run([*policy, "--out", "out/policy.json"], env, tmp_path)
    assert (code, "::error::" in said) == (1, True)
    post = ["post-extraction-pr-comment", "--pr-number", "1", "--extraction-benchmark-data", DATA]
    post += ["--latest", "out/latest.json", "--policy", "out/policy.json"]
    assert run(post, env, tmp_path)[0] == 1
    status = ["set-status", "--gate", "out/gate-result.json", "--policy", "out/policy.json"]
    assert run(status, env, tmp_path)[0] == 0

    (comment,) = place.repo.comments.values()
    assert comment.body.startswith(COMMENT_MARKER)
    assert "Oracle-cassette policy: ❌ FAIL" in comment.body
    assert f"sha={head} run=12 status=fail" in comment.body
    assert f"{place.server.url}/octo-org/memory/actions/runs/9012" in comment.body
    assert "Extraction quality" in (tmp_path / "summary.md").read_text()
    set_on = [request.path for request in place.server.writes if "/statuses/" in request.path]
    assert set_on == [f"/repos/octo-org/memory/statuses/{head}"] * 2


def test_a_merge_to_main_reaches_the_published_data_through_dispatch_and_artifact(
    place: GitHubPlace, tmp_path: Path
) -> None:
    write_gold_set(tmp_path / "gold")
    workflow = create_workflow_run(
        place.server,
        place.repo,
        workflow_name="extraction-eval",
        workflow_path=WORKFLOW,
        run_number=31,
    )
    env = place.env(
        GITHUB_SHA=workflow.head_sha,
        GITHUB_REF_NAME="main",
        GITHUB_RUN_NUMBER="31",
        GITHUB_RUN_ID=str(workflow.id),
    )
    assert run(["run", "--gold-set", "gold"], env, tmp_path)[0] == 0
    data = (tmp_path / DATA).read_bytes()
    archive = zip_of({Path(DATA).name: data})
    add_artifact(place.server, place.repo, workflow, "extraction-quality-benchmark-data", archive)
    assert run(["notify"], env, tmp_path)[0] == 0

    (sent,) = place.repo.dispatches
    event = {
        "action": sent.event_type,
        "client_payload": sent.client_payload,
        "repository": {"full_name": "octo-org/memory", "default_branch": "main"},
    }
    (tmp_path / "event.json").write_text(json.dumps(event))
    publishing = place.env(GITHUB_EVENT_PATH="event.json", GITHUB_RUN_NUMBER="5")
    assert run(["verify-dispatch"], publishing, tmp_path)[0] == 0
    code, said = run(["publish-from-run"], publishing, tmp_path)
    assert code == 0, said
    assert place.token.value not in said

    clone = tmp_path / "clone"
    source = str(place.repo.git.git_dir)
    subprocess.run(["git", "clone", "-q", "-b", DATA_BRANCH, source, str(clone)], check=True)
    (published,) = json.loads((clone / DATA).read_text())["runs"]
    assert (published["sha"], published["run_number"]) == (workflow.head_sha, 31)
    assert published["status"] == "pass"
