"""The commands of the dashboard."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli_options import get_console, get_now, get_settings

Archive = Annotated[
    bool, typer.Option("--archive", help="Every run ever published, not the newest only.")
]
Reports = Annotated[
    list[Path] | None,
    typer.Option("--report", help="A run's latest.json, for its cases; may be given again."),
]

dashboard = typer.Typer(
    help="The static site: charts, tables and the pages of runs.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@dashboard.command(epilog="Example: extraction-bot dashboard build --out site")
def build(
    out: Annotated[Path, typer.Option(help="The site's folder: new, empty, or an older site.")],
    archive: Archive = False,
    report: Reports = None,
) -> None:
    """Write the site: one page, one script, the data."""
    from bot.commands.dashboard import BuildRequest, run_dashboard_build

    request = BuildRequest(out, archive, tuple(report or ()))
    raise typer.Exit(run_dashboard_build(request, get_settings(), get_now(), get_console()))


@dashboard.command(epilog="Example: extraction-bot dashboard serve --port 8000")
def serve(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0 takes a free one.")] = 8000,
    archive: Archive = False,
    report: Reports = None,
) -> None:
    """Build the site into a temporary folder and serve it on this machine only."""
    from bot.commands.dashboard import BuildRequest, run_dashboard_serve

    request = BuildRequest(Path(), archive, tuple(report or ()))
    raise typer.Exit(run_dashboard_serve(request, get_settings(), port, get_now(), get_console()))


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(
        dashboard, name="dashboard", epilog="Example: extraction-bot dashboard build --out site"
    )
