"""What every workflow of ours, and every one that `init` writes, keeps to."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.commands.init import InitRequest, new_files
from bot.policy.marker import ORACLE_OK_MARKER, has_visible_line
from tests.support.github_place import ROOT

BIN = Path(sys.executable).parent
ACTION = f"octo-org/extraction-bot@{'b' * 40}"
PINS = {  # action: release, each seen in several unrelated public repositories
    "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1": "v7.0.1",
    "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97": "v7.0.0",
    "actions/upload-artifact@330a01c490aca151604b8cf639adc76d48f6c5d4": "v5.0.0",
    "actions/configure-pages@983d7736d9b0ae728b81ab479565c72886d7745b": "v5.0.0",
    "actions/upload-pages-artifact@7b1f4a764d45c48632c6b24a0339c27f5614fb0b": "v4.0.0",
    "actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e": "v4.0.5",
}
OWN = {path.name: path.read_text() for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
WRITTEN = {
    f"init {Path(name).name}": text
    for name, text in new_files(InitRequest(ROOT, ACTION, "main")).items()
    if name.endswith(".yml")
}
ALL = OWN | WRITTEN
each_workflow = pytest.mark.parametrize("name", ALL)


def jobs(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(ALL[name])["jobs"]
    return found


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in jobs(name).values() for step in job["steps"]]


def test_all_workflows_of_the_project_are_there() -> None:
    assert set(OWN) >= {
        "ci.yml",
        "extraction-eval.yml",
        "extraction-pr-comment.yml",
        "publish-extraction-benchmark-data.yml",
    }
    assert len(WRITTEN) == 3


@each_workflow
def test_the_token_has_no_right_but_those_of_the_job(name: str) -> None:
    assert yaml.safe_load(ALL[name])["permissions"] == {}
    for job in jobs(name).values():
        assert "permissions" in job
        assert "timeout-minutes" in job


@each_workflow
def test_a_job_that_runs_a_pull_requests_code_has_neither_secret_nor_right_to_write(
    name: str,
) -> None:
    for key, job in jobs(name).items():
        runs_it = "pull_request:" in ALL[name] and key in ("evaluate", "checks")
        if runs_it:
            assert set(job["permissions"].values()) == {"read"}
            assert "secrets." not in json.dumps(job)


@each_workflow
def test_actions_are_pinned_to_the_releases_that_were_looked_at(name: str) -> None:
    for line in re.findall(r"^\s+(?:- )?uses: (.+)", ALL[name], re.MULTILINE):
        if line != ACTION:
            action, _, release = line.partition(" # ")
            assert PINS[action] == release


@each_workflow
def test_no_credential_stays_in_a_checkout(name: str) -> None:
    checkouts = [step for step in steps(name) if step.get("uses", "").startswith("actions/check")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@each_workflow
def test_no_expression_stands_in_a_script_and_a_step_calls_one_command(name: str) -> None:
    for step in steps(name):
        assert "${{" not in step.get("run", "")
        assert step.get("run", "").count("\n") <= 1


@each_workflow
def test_runs_of_the_same_pull_request_do_not_race(name: str) -> None:
    assert yaml.safe_load(ALL[name])["concurrency"]["group"]


def test_a_fork_is_never_checked_out_where_the_token_may_write() -> None:
    for name in ("extraction-pr-comment.yml", "init extraction-pr-comment.yml"):
        (checkout,) = (s for s in steps(name) if s.get("uses", "").startswith("actions/checkout"))
        assert "ref" not in checkout["with"]  # the default branch
        assert "repository" not in checkout["with"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with all of them, ours and those that `init` writes."""
    made = tmp_path_factory.mktemp("workflows")
    workflows = made / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for name, text in ALL.items():
        (workflows / name.replace(" ", "-")).write_text(text)
    (made / "action.yml").write_text((ROOT / "action.yml").read_text())
    subprocess.run(["git", "init", "--quiet"], cwd=made, check=True)
    return made


def test_actionlint_finds_nothing(folder: Path) -> None:
    words = [str(BIN / "actionlint"), "-no-color"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_zizmor_finds_nothing_but_that_workflow_run_has_to_be_written_with_care(
    folder: Path,
) -> None:
    # it says so of every workflow_run, whatever its jobs do; docs/threat-model.md is the answer
    words = [str(BIN / "zizmor"), "--offline", "--no-config", "--format", "json", "."]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    found = {
        (one["ident"], place["symbolic"]["key"]["Local"]["verbatim_path"])
        for one in json.loads(done.stdout)
        for place in one["locations"]
    }
    triggers = {name for ident, name in found if ident == "dangerous-triggers"}
    assert {ident for ident, _ in found} == {"dangerous-triggers"}
    assert {Path(name).name for name in triggers} == {
        "extraction-pr-comment.yml",
        "init-extraction-pr-comment.yml",
    }


def test_our_own_template_explains_the_exception_and_does_not_grant_it() -> None:
    template = (ROOT / ".github" / "pull_request_template.md").read_text()
    assert "EXTRACTION_EVAL_ORACLE_OK" in template
    assert not has_visible_line(template)
    assert ORACLE_OK_MARKER not in template  # so that a naive search is not fooled either
    assert has_visible_line(f"{template}\n\n{ORACLE_OK_MARKER}\n")
