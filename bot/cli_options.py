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

SuiteName = Annotated[
    str,
    typer.Option("--suite", help="extraction_quality (memories) or candidate_staging."),
]
DEFAULT_SUITE = "extraction_quality"
GoldSet = Annotated[
    Path | None,
    typer.Option("--gold-set", help="Its directory; default: the suite's built-in one."),
]
Provider = Annotated[
    str | None,
    typer.Option(
        "--provider",
        envvar="EXTRACTION_EVAL_PROVIDER",
        help="openai, vllm, keyword, python:package.module:function or file:PATH; default: the "
        "mode's.",
    ),
]
Mode = Annotated[
    str,
    typer.Option(
        "--mode",
        envvar="EXTRACTION_EVAL_MODE",
        help="cassette, smoke, fast (replay), live, full, vllm (call a model), record (call it and "
        "keep its answers as cassettes).",
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", help="What the report calls the provider; default: as is.")
]
Model = Annotated[
    str | None,
    typer.Option(
        "--model", envvar="EXTRACTION_EVAL_MODEL", help="The model, as the server calls it."
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        envvar="EXTRACTION_EVAL_BASE_URL",
        help="An OpenAI-compatible server, as http://HOST:8000/v1; default: OpenAI, or a local "
        "vLLM.",
    ),
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option(
        "--api-key-env",
        help="The variable that holds the key; default: OPENAI_API_KEY, for vllm VLLM_API_KEY.",
    ),
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, max=256, help="Calls at once; default: 8.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        min=0,
        help="Stop before calls could cost more, in USD (exit 3).",
    ),
]
MaxFailures = Annotated[
    int | None,
    typer.Option("--max-failures", min=0, help="Stop when there are more failures (exit 3)."),
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, help="Only the first N conversations: a trial.")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Only this conversation; may be repeated.")
]
Stale = Annotated[
    bool, typer.Option("--stale", help="Record again only what has changed since its recording.")
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with a live run that stopped; pay nothing twice."),
]
Repeats = Annotated[
    int,
    typer.Option("--repeats", min=1, max=100, help="Ask a model K times, to see its own spread."),
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
    bool,
    typer.Option(
        "--dry-run",
        envvar="EXTRACTION_BOT_DRY_RUN",
        help="Say what would be written, write nothing.",
    ),
]
EventPath = Annotated[
    Path | None,
    typer.Option("--event-path", envvar="GITHUB_EVENT_PATH", help="The event file's path."),
]
PolicyFile = Annotated[Path | None, typer.Option("--policy", help="The policy's result.")]


def get_console() -> Console:
    return Console(env=os.environ)


def get_now() -> datetime:
    return datetime.now(UTC)


def get_settings() -> "Settings":
    from bot.settings import CONFIG_VARIABLE, load_settings

    return load_settings(Path.cwd(), os.environ.get(CONFIG_VARIABLE, ""))


def get_identity(
    sha: str | None, branch: str | None, run_number: int | None, run_url: str | None
) -> "RunIdentity":
    from bot.environment import Overrides, identify_run

    overrides = Overrides(sha, branch, run_number, run_url)
    return identify_run(overrides, os.environ, Path.cwd())
