"""The commands that read the published history in a terminal."""

from pathlib import Path
from typing import Annotated, Final

import typer

from bot.cli_options import DEFAULT_SUITE, Published, SuiteName, get_console, get_settings
from bot.suites import Suite, find_suite

DEFAULT_LIMIT: Final = 50


def _path(published: Path | None, suite: Suite) -> Path:
    return published or get_settings().of(suite).data


def show(published: Published = None, suite: SuiteName = DEFAULT_SUITE) -> None:
    """The newest run: its metrics, how they moved, and what changed since the run before."""
    from bot.commands.show import run_show

    chosen = find_suite(suite)
    raise typer.Exit(run_show(_path(published, chosen), chosen, get_console()))


def history(
    metric: Annotated[str, typer.Option("--metric", help="Its name, as recall_macro.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="The newest N runs.")] = (
        DEFAULT_LIMIT
    ),
    published: Published = None,
    suite: SuiteName = DEFAULT_SUITE,
) -> None:
    """One metric over the runs of the newest run's provider and kind of mode, as a text chart."""
    from bot.commands.history import run_history

    chosen = find_suite(suite)
    raise typer.Exit(run_history(_path(published, chosen), metric, limit, chosen, get_console()))


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command(epilog="Example: extraction-bot show")(show)
    app.command(epilog="Example: extraction-bot history --metric recall_macro")(history)
