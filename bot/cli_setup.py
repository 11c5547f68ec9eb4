"""The commands that set a repository up."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from bot.cli_options import (
    DEFAULT_SUITE,
    GitHubRepository,
    GitHubToken,
    SuiteName,
    get_console,
    get_now,
    get_settings,
)
from bot.errors import BadInput
from bot.suites import find_suite


def doctor(
    suite: SuiteName = DEFAULT_SUITE,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
) -> None:
    """Check the repository's set-up, and say for each finding what to do; 1 for an error."""
    from bot.commands.connect import connect
    from bot.commands.doctor import DoctorRequest, run_doctor
    from bot.settings import Settings

    chosen, env = find_suite(suite), os.environ
    settings: Settings | BadInput
    try:
        settings = get_settings()
    except BadInput as error:
        settings = error
    token = github_token or env.get("GITHUB_TOKEN") or env.get("GH_TOKEN")
    name = github_repository or env.get("GITHUB_REPOSITORY")
    github = connect(env, token, name) if token and name else None
    request = DoctorRequest(Path.cwd(), settings, github)
    raise typer.Exit(run_doctor(request, chosen, get_now(), get_console()))


def init(
    action: Annotated[
        str | None,
        typer.Option(help="OWNER/REPO@FULL_SHA of the bot; default: the checkout it runs from."),
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="The default branch; default: origin's, else main.")
    ] = None,
    gold_set: Annotated[
        str | None, typer.Option("--gold-set", help="Your gold set; default: the bot's own.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Your batch prompt, package.module:NAME.")
    ] = None,
    schema: Annotated[
        str | None, typer.Option(help="Your answer's pydantic model, package.module:NAME.")
    ] = None,
    contract_path: Annotated[
        list[str] | None,
        typer.Option(help="A file that prompt or schema is defined in; may be given again."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that differ, after showing how.")
    ] = False,
) -> None:
    """Write configuration and workflows of a new repository; a diff before anything is replaced."""
    from bot.commands.init import InitRequest, run_init

    request = InitRequest(
        root=Path.cwd(),
        action=action,
        branch=branch,
        gold_set=gold_set,
        prompt=prompt,
        schema=schema,
        contract_paths=tuple(contract_path or ()),
        overwrite=overwrite,
    )
    raise typer.Exit(run_init(request, get_console()))


_EXAMPLES: Final[Mapping[Callable[..., None], str]] = {
    doctor: "doctor --github-repository octo-org/memory",
    init: "init --action OWNER/REPO@4be1d2f9a6c3047e5b8d91a2c6f0e3d7b4a8c5f1",
}


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command, example in _EXAMPLES.items():
        app.command(epilog=f"Example: extraction-bot {example}")(command)
