"""The commands of `extraction-bot baseline`."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli_options import DEFAULT_SUITE, Latest, SuiteName, get_console, get_now, get_settings
from bot.suites import Suite, find_suite

File = Annotated[
    Path | None,
    typer.Option("--baseline", help="Default: the gold set's baseline_results.json."),
]

baseline = typer.Typer(
    rich_markup_mode=None,
    help="Show the bar that the gate measures by, or set it.",
    epilog="Example: extraction-bot baseline show",
)


def register(app: typer.Typer) -> None:
    app.add_typer(baseline, name="baseline")


def _path(file: Path | None, suite: Suite) -> Path:
    from bot.evaluation.gold_set import BASELINE

    return file or get_settings().of(suite).gold_set / BASELINE


@baseline.command(epilog="Example: extraction-bot baseline show")
def show(file: File = None, suite: SuiteName = DEFAULT_SUITE) -> None:
    """Each provider's numbers with their label."""
    from bot.commands.baseline import run_baseline_show

    chosen = find_suite(suite)
    path = _path(file, chosen)
    raise typer.Exit(run_baseline_show(path, chosen, get_settings(), get_now(), get_console()))


@baseline.command(
    "set", epilog="Example: extraction-bot baseline set vllm --latest out/latest.json"
)
def set_block(
    provider: Annotated[str, typer.Argument(help="The provider, as its report calls it.")],
    latest: Latest,
    file: File = None,
    suite: SuiteName = DEFAULT_SUITE,
    date: Annotated[
        str | None,
        typer.Option("--date", help="The day it was measured; default: the report's."),
    ] = None,
    enforcement: Annotated[
        str | None,
        typer.Option(
            "--enforcement",
            help="ci: from now on pull requests fail on it. manual: shown with a label only. "
            "Default: as the block has it; manual for a new one.",
        ),
    ] = None,
) -> None:
    """Write a provider's block from a report; the others stay as they are."""
    from bot.commands.baseline import SetRequest, run_baseline_set

    chosen = find_suite(suite)
    request = SetRequest(_path(file, chosen), provider, latest, date, enforcement)
    raise typer.Exit(run_baseline_set(request, chosen, get_now(), get_console()))
