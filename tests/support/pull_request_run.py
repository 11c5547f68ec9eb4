"""A repository with a gold set on the test GitHub, its checkout, and evaluations of pull requests.

The base configures its own prompt and gold set; the current folder is its checkout. `main` branch,
`gold/`, `prompts/extract.py`, `.github/extraction-bot.toml`.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from tests.commands.conftest import Done
from tests.github_server.scenario import create_workflow_run, zip_of
from tests.github_server.server import GitHubServer
from tests.github_server.state import Issue, PullRequest, WorkflowRun
from tests.support.github_place import WORKFLOW, GitHubPlace, github_place
from tests.support.gold import write_gold_set

ARTIFACT = "extraction-quality-benchmark-data"
CONFIG = ".github/extraction-bot.toml"
PROMPT = "prompts/extract.py"
SETTINGS = 'gold_set = "gold"\ncontract_paths = ["prompts/"]\n'
OTHER_SETTINGS = 'gold_set = "gold"\ncontract_paths = ["nothing/"]\n'
BOT_LOGIN = "github-actions[bot]"


def base_checkout(
    server: GitHubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    """The base on the test GitHub; the current folder, `folder`, is its checkout."""
    write_gold_set(folder / "gold")
    for name, text in {PROMPT: 'PROMPT = "Extract."\n', CONFIG: SETTINGS}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    files = [path for path in folder.rglob("*") if path.is_file()]
    place = github_place(server, {str(p.relative_to(folder)): p.read_bytes() for p in files})
    for name, value in place.env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    monkeypatch.chdir(folder)
    monkeypatch.setattr("bot.github.sticky_comment.SETTLE_SECONDS", 0.05)
    monkeypatch.setattr("bot.github.retry.FIRST_BACKOFF_SECONDS", 0.01)
    return place


def pull_of(place: GitHubPlace, issue: Issue) -> PullRequest:
    """The pull request with the head that its branch has now."""
    place.api().pull(issue.number)
    assert issue.pull is not None
    return issue.pull


def run_of(place: GitHubPlace, issue: Issue, **changes: Any) -> WorkflowRun:
    """The evaluation's workflow run of a pull request's head."""
    pull = pull_of(place, issue)
    fields: dict[str, Any] = {
        "head_sha": pull.head_sha,
        "head_branch": pull.head_ref,
        "head_repository": place.server.state.repositories[pull.head_repository.lower()],
        "event": "pull_request",
        "workflow_name": "extraction-eval",
        "workflow_path": WORKFLOW,
    }
    return create_workflow_run(place.server, place.repo, **(fields | changes))


def make_report(**changes: Any) -> dict[str, Any]:
    """What the evaluation of the checkout's gold set reports, with some fields changed."""
    made = Path("made.json")
    if not made.exists():
        assert main(["evaluate", "--out", str(made)]) == 0
    report: dict[str, Any] = json.loads(made.read_text())
    return report | changes


def artifact(report: Mapping[str, Any] | str, **more: str) -> dict[str, bytes]:
    """The artifact of a run by name: `latest.json`, and files with a dash for each underscore."""
    text = report if isinstance(report, str) else json.dumps(report)
    others = {f"{name.replace('_', '-')}.json": content for name, content in more.items()}
    return {ARTIFACT: zip_of({"latest.json": text, **others})}


def comments(place: GitHubPlace, number: int = 1) -> list[str]:
    """The bodies of the bot's comments on a pull request."""
    found = [one for one in place.repo.comments.values() if one.issue_number == number]
    return [one.body for one in found if one.user.login == BOT_LOGIN]


def run_bot(capsys: pytest.CaptureFixture[str], *arguments: str) -> Done:
    """The command line; whatever it says, it never says the token."""
    capsys.readouterr()
    code = main(list(arguments))
    said = capsys.readouterr()
    token = os.environ.get("GITHUB_TOKEN")
    assert token is None or token not in said.out + said.err
    return Done(code, said.out, said.err)
