"""The commands that say what the numbers can tell."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli_options import (
    DEFAULT_SUITE,
    GoldSet,
    Latest,
    SuiteName,
    get_console,
    get_settings,
)
from bot.suites import find_suite


def register(app: typer.Typer) -> None:
    app.command(epilog="Example: extraction-bot power --drop 3 --latest out/latest.json")(power)
    app.command(epilog="Example: extraction-bot explain old/latest.json out/latest.json")(explain)


def power(
    latest: Latest,
    drop: Annotated[
        float,
        typer.Option("--drop", min=0.01, max=100, help="Percentage points to be found."),
    ] = 3.0,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="Default: the gold set's baseline_results.json."),
    ] = None,
    suite: SuiteName = DEFAULT_SUITE,
) -> None:
    """How many conversations a gold set needs to show a drop, by metric."""
    from bot.commands.power import run_power
    from bot.evaluation.gold_set import BASELINE

    chosen = find_suite(suite)
    path = baseline or get_settings().of(chosen).gold_set / BASELINE
    raise typer.Exit(run_power(latest, path, drop, chosen, get_console()))


def explain(
    old: Annotated[Path, typer.Argument(help="The older report, its answers beside it.")],
    new: Annotated[Path, typer.Argument(help="The newer report, its answers beside it.")],
    between: Annotated[
        list[Path] | None,
        typer.Option("--between", help="A report between the two; may be repeated, in order."),
    ] = None,
    gold_set: GoldSet = None,
    old_gold_set: Annotated[
        Path | None,
        typer.Option("--old-gold-set", help="That of the older report; default: the same one."),
    ] = None,
) -> None:
    """What a change comes from: edited gold, another prompt or schema, another model."""
    from bot.commands.explain import ExplainRequest, run_explain

    request = ExplainRequest((old, *(between or ()), new), gold_set, old_gold_set)
    raise typer.Exit(run_explain(request, get_settings(), get_console()))
