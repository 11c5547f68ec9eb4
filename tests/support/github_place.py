"""A repository on the test GitHub, and the command line run against it as a workflow would."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.console import Console
from bot.github.pygithub import Credentials, PyGithubApi
from bot.github.retry import Retrier
from bot.history.append import append_run
from bot.history.file import history_text
from bot.history.model import History, RunEntry, StoredRun
from tests.github_server.scenario import create_repository, create_token
from tests.github_server.server import GitHubServer
from tests.github_server.state import Repository, Token

ROOT = Path(__file__).parent.parent.parent
DATA = "web_data/extraction-quality-benchmark-data.json"
ARCHIVE = "web_data/archive/extraction-quality.jsonl"
DATA_BRANCH = "chore/bench-data-publish"
WORKFLOW = ".github/workflows/extraction-eval.yml"


def history_with(*entries: RunEntry) -> str:
    """A published file's text."""
    history = History("extraction_quality")
    for entry in entries:
        history = append_run(history, StoredRun.of(entry), 50).history
    return history_text(history)


@dataclass
class FakeTime:
    """A clock that only sleeping moves."""

    seconds: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


@dataclass(frozen=True)
class GitHubPlace:
    """A server, a repository on it, and a token like a workflow's GITHUB_TOKEN."""

    server: GitHubServer
    repo: Repository
    token: Token

    def env(self, **more: str) -> dict[str, str]:
        """The variables that GitHub Actions sets."""
        return {
            "GITHUB_API_URL": self.server.url,
            "GITHUB_SERVER_URL": self.server.url,
            "GITHUB_REPOSITORY": self.repo.full_name,
            "GITHUB_TOKEN": self.token.value,
            **more,
        }

    def api(self, time: FakeTime | None = None, token: Token | None = None) -> PyGithubApi:
        """A connection whose pauses take no time."""
        clock = time or FakeTime()
        retrier = Retrier(clock.now, clock.sleep, lambda: 0.5)
        value = (token or self.token).value
        return PyGithubApi(self.repo.full_name, Credentials(token=value), self.server.url, retrier)

    def calls(self) -> int:
        return len(self.server.requests)

    def git(self, *arguments: str) -> str:
        """Plain git in the bare repository."""
        done = subprocess.run(
            ["git", "--git-dir", str(self.repo.git.git_dir), *arguments],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    def published(self, branch: str = DATA_BRANCH, path: str = DATA) -> list[int]:
        """The run numbers of a published file, newest first."""
        return [
            run["run_number"] for run in json.loads(self.git("show", f"{branch}:{path}"))["runs"]
        ]

    def archived(self, branch: str = DATA_BRANCH) -> list[int]:
        lines = self.git("show", f"{branch}:{ARCHIVE}").splitlines()
        return [json.loads(line)["run_number"] for line in lines]


def github_place(
    server: GitHubServer,
    files: Mapping[str, Any] | None = None,
    permissions: Mapping[str, Any] | None = None,
) -> GitHubPlace:
    repo = create_repository(server, "octo-org/memory", dict(files or {"README.md": "x"}))
    granted = permissions or {
        "contents": "write",
        "pull_requests": "write",
        "issues": "write",
        "statuses": "write",
        "checks": "write",
        "actions": "read",
    }
    return GitHubPlace(server, repo, create_token(server, "actions", granted, repository=repo))


def bot_process(arguments: list[str], env: Mapping[str, str], cwd: Path) -> "subprocess.Popen[str]":
    """`extraction-bot` as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def silent(env: Mapping[str, str] | None = None) -> Console:
    import io

    return Console(env=env or {}, out=io.StringIO(), err=io.StringIO())
