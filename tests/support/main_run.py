"""A run of main with its artifact on the test GitHub, and the dispatch that asks to publish it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.github.workflow_runs import Waiting
from bot.history.model import RunEntry
from tests.commands.conftest import Done
from tests.github_server.scenario import add_artifact, create_workflow_run, zip_of
from tests.github_server.server import GitHubServer
from tests.github_server.state import WorkflowRun
from tests.support.github_place import (
    DATA,
    WORKFLOW,
    FakeTime,
    GitHubPlace,
    github_place,
    history_with,
)
from tests.support.runs import run_entry

ARTIFACT = "extraction-quality-benchmark-data"
NAME = Path(DATA).name


def publishing_place(
    server: GitHubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> GitHubPlace:
    """A repository without data; waiting for a run takes no time. `folder` is the current one."""
    made = github_place(server)
    for name, value in made.env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)
    clock = FakeTime()
    waiting = Waiting(clock.now, clock.sleep)
    monkeypatch.setattr("bot.github.workflow_runs.Waiting", lambda: waiting)
    return made


def workflow_run(place: GitHubPlace, number: int = 7, **changes: Any) -> WorkflowRun:
    fields: dict[str, Any] = {
        "workflow_name": "extraction-eval",
        "workflow_path": WORKFLOW,
        "run_number": number,
    }
    return create_workflow_run(place.server, place.repo, **(fields | changes))


def address(place: GitHubPlace, run: WorkflowRun) -> str:
    return f"{place.server.url}/{place.repo.full_name}/actions/runs/{run.id}"


def entry_of(place: GitHubPlace, run: WorkflowRun, **changes: Any) -> RunEntry:
    fields = {"sha": run.head_sha, "run_url": place.api().workflow_run(run.id).url}
    return run_entry(run.run_number, **(fields | changes))


def attach(place: GitHubPlace, run: WorkflowRun, entry: RunEntry, older: int = 2) -> None:
    older_runs = [run_entry(n) for n in range(1, older + 1)]
    data = zip_of({NAME: history_with(*older_runs, entry)})
    add_artifact(place.server, place.repo, run, ARTIFACT, data)


def event(run: WorkflowRun, **changes: Any) -> Path:
    payload = {"run_id": run.id, "head_sha": run.head_sha, "run_number": run.run_number}
    path = Path("event.json")
    path.write_text(
        json.dumps(
            {
                "action": "extraction_benchmark_main_complete",
                "client_payload": payload | changes,
                "repository": {"default_branch": "main"},
            }
        )
    )
    return path


def dispatch(capsys: pytest.CaptureFixture[str], path: Path, *more: str) -> Done:
    capsys.readouterr()
    code = main(["publish-from-run", "--event-path", str(path), *more])
    said = capsys.readouterr()
    return Done(code, said.out, said.err)
