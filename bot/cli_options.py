"""The flags that several commands share, and what every command starts with."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.console import Console

if TYPE_CHECKING:
    from bot.history.identity import RunIdentity
    from bot.settings import Settings

GoldSet = Annotated[
    Path | None, typer.Option("--gold-set", help="Gold set directory; default: the built-in v1.")
]
Provider = Annotated[
    str,
    typer.Option("--provider", envvar="EXTRACTION_EVAL_PROVIDER", help="openai or keyword."),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode", envvar="EXTRACTION_EVAL_MODE", help="cassette, smoke or fast: all replay."
    ),
]
Latest = Annotated[Path, typer.Option("--latest", help="The report, latest.json.")]
OptionalLatest = Annotated[
    Path | None, typer.Option("--latest", help="The report, for the cases that went wrong.")
]
BaseLatest = Annotated[
    Path | None,
    typer.Option("--base-latest", help="The base's report: tells what got worse and better."),
]
BaselineFile = Annotated[Path, typer.Option("--baseline", help="baseline_results.json.")]
Templates = Annotated[
    Path | None, typer.Option("--templates", help="Your folder of templates, over the built-in.")
]
Published = Annotated[Path | None, typer.Option("--published", help="The published history.")]
Sha = Annotated[
    str | None, typer.Option("--sha", help="The commit evaluated; default: GitHub's, then git's.")
]
Branch = Annotated[str | None, typer.Option("--branch", help="Its branch.")]
RunNumber = Annotated[int | None, typer.Option("--run-number", min=0, help="The CI run's number.")]
RunUrl = Annotated[str | None, typer.Option("--run-url", help="The CI run's address.")]


GitHubToken = Annotated[
    str | None,
    typer.Option(
        "--github-token",
        help="Default: GITHUB_TOKEN, then GH_TOKEN; or an App.",
        show_default=False,
    ),
]
GitHubRepository = Annotated[
    str | None, typer.Option("--github-repository", help="OWNER/NAME; default: GITHUB_REPOSITORY.")
]
PullNumber = Annotated[int, typer.Option("--pr-number", min=1, help="The pull request's number.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be written, write nothing.")
]
PolicyFile = Annotated[Path | None, typer.Option("--policy", help="The policy's result.")]


def get_console() -> Console:
    return Console(env=os.environ)


def get_now() -> datetime:
    return datetime.now(UTC)


def get_settings() -> "Settings":
    from bot.settings import load_settings

    return load_settings(Path.cwd())


def get_identity(
    sha: str | None, branch: str | None, run_number: int | None, run_url: str | None
) -> "RunIdentity":
    from bot.environment import Overrides, identify_run

    overrides = Overrides(sha, branch, run_number, run_url)
    return identify_run(overrides, os.environ, Path.cwd())
