"""The commands of workflows: what their steps call, and what sets them up."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.cli_options import (
    DEFAULT_SUITE,
    ApiKeyEnv,
    BaseLatest,
    BaseUrl,
    Concurrency,
    DryRun,
    EventPath,
    GitHubRepository,
    GitHubToken,
    GoldSet,
    MaxCost,
    MaxFailures,
    Mode,
    Model,
    Name,
    Provider,
    SuiteName,
    Templates,
    get_console,
    get_identity,
    get_now,
    get_settings,
)
from bot.suites import find_suite


def ci(
    suite: SuiteName = DEFAULT_SUITE,
    gold_set: GoldSet = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Default: the gold set's baseline_results.json.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="The history to append to; default: a new one in --out.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder of all files.")] = None,
    comment: Annotated[bool, typer.Option(help="Comment the pull request.")] = True,
    provider: Provider = None,
    mode: Mode = "cassette",
    name: Name = None,
    model: Model = None,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    concurrency: Concurrency = None,
    max_cost: MaxCost = None,
    max_failures: MaxFailures = None,
    templates: Templates = None,
    base_latest: BaseLatest = None,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
) -> None:
    """In a workflow: policy, evaluation and gate, and on a pull request the comment."""
    from bot.commands.ci import CiRequest, find_pull_request_event, run_ci
    from bot.commands.evaluate import EvaluateRequest, LiveFlags
    from bot.commands.run import RunRequest
    from bot.environment import read_event
    from bot.evaluation.gold_set import BASELINE

    pull = find_pull_request_event(os.environ, read_event(os.environ))
    settings, chosen = get_settings(), find_suite(suite)
    place = settings.of(chosen)
    directory, folder = gold_set or place.gold_set, out or place.out
    live = LiveFlags(
        label=name,
        model=model,
        base_url=base_url,
        api_key_variable=api_key_env,
        concurrency=concurrency,
        max_cost_usd=max_cost,
        max_failures=max_failures,
    )
    run = RunRequest(
        evaluation=EvaluateRequest(directory, mode, provider, live),
        baseline=baseline or directory / BASELINE,
        data=data or folder / chosen.data_file.name,
        out=folder,
        templates=templates or settings.templates,
        base_latest=base_latest,
        trend=place.data,
    )
    github = None
    if pull is not None:
        from bot.commands.connect import connect

        github = connect(os.environ, github_token, github_repository)
    identity = get_identity(None, None, None, None)
    request = CiRequest(run, identity, pull, gold_set, comment)
    raise typer.Exit(run_ci(request, chosen, settings, github, get_now(), get_console()))


def comment_from_run(
    run_id: Annotated[
        int | None,
        typer.Option(
            min=1, help="The evaluation's run; default: the event's workflow_run, else this run."
        ),
    ] = None,
    event_path: EventPath = None,
    suite: SuiteName = DEFAULT_SUITE,
    baseline: Annotated[
        Path | None, typer.Option(help="The base's baseline; default: the gold set's.")
    ] = None,
    set_status: Annotated[
        bool, typer.Option("--set-status", help="Statuses for gate and policy on the head too.")
    ] = False,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
    dry_run: DryRun = False,
) -> None:
    """Comment a pull request, a fork's too, from its run's artifact; nothing of it is run."""
    from bot.commands.comment_from_run import CommentFromRun, run_comment_from_run, run_of_event
    from bot.commands.connect import connect
    from bot.commands.verify_dispatch import read_event
    from bot.evaluation.gold_set import BASELINE

    settings, chosen = get_settings(), find_suite(suite)
    place = settings.of(chosen)
    own_run = os.environ.get("GITHUB_RUN_ID")
    if run_id is None:
        event = read_event(event_path) if event_path is not None else {}
        run_id = run_of_event(event, own_run)
    request = CommentFromRun(
        run_id=run_id,
        baseline=baseline or place.gold_set / BASELINE,
        published=place.data,
        is_own_run=str(run_id) == own_run,
        set_status=set_status,
        dry_run=dry_run,
    )
    github = connect(os.environ, github_token, github_repository)
    raise typer.Exit(run_comment_from_run(request, chosen, settings, github, get_console()))


_EXAMPLES: Final[Mapping[Callable[..., None], str]] = {
    ci: "ci --gold-set eval/gold_set/v1",
    comment_from_run: "comment-from-run --run-id 9057 --dry-run",
}


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command, example in _EXAMPLES.items():
        app.command(epilog=f"Example: extraction-bot {example}")(command)
