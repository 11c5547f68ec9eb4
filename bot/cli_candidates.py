"""The commands about staged candidates: `extraction-bot candidates …`."""

from pathlib import Path
from typing import Annotated, Final

import typer

from bot.cli_options import DEFAULT_SUITE, GoldSet, SuiteName, get_console, get_settings

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 1_000  # a page is held in memory: 16 MiB of records at most

candidates = typer.Typer(rich_markup_mode=None)


@candidates.command("list", epilog="Example: extraction-bot candidates list staging --kind lesson")
def list_candidates(
    directory: Annotated[Path, typer.Argument(help="The folder of records.", metavar="DIR")],
    kind: Annotated[str | None, typer.Option(help="Of this kind only: lesson, say.")] = None,
    run_id: Annotated[str | None, typer.Option("--run", help="Of this extract run only.")] = None,
    since: Annotated[str | None, typer.Option(help="Made at this date or time, or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Made before this date or time.")] = None,
    form: Annotated[str, typer.Option("--format", help="table, markdown or jsonl.")] = "table",
    limit: Annotated[int, typer.Option(min=1, max=MAX_LIMIT, help="At most so many.")] = (
        DEFAULT_LIMIT
    ),
    after: Annotated[
        str | None, typer.Option(help="Go on after this id, the last one of a page.")
    ] = None,
) -> None:
    """List candidates by id, so oldest first: a line each, or all of each, or whole records."""
    from bot.commands.candidates_list import ListRequest, run_candidates_list

    request = ListRequest(directory, kind, run_id, since, until, form, limit, after)
    raise typer.Exit(run_candidates_list(request, get_console()))


@candidates.command(
    "stage",
    epilog="Example: extraction-bot candidates stage --latest out/latest.json --out staging",
)
def stage(
    out: Annotated[Path, typer.Option(help="The folder of records.")],
    latest: Annotated[
        Path | None, typer.Option(help="A report; its answers lie beside it.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Answers as JSON Lines, in the forms of file:PATH.")
    ] = None,
    suite: SuiteName = DEFAULT_SUITE,
    gold_set: GoldSet = None,
) -> None:
    """Stage what an extractor answered: a record a candidate, what has no kind left out."""
    from bot.commands.candidates_stage import StageRequest, run_candidates_stage

    request = StageRequest(out, suite, latest, answers, gold_set)
    raise typer.Exit(run_candidates_stage(request, get_settings(), get_console()))


@candidates.command("schema", epilog="Example: extraction-bot candidates schema > record.json")
def schema() -> None:
    """Print the JSON Schema of a candidate record."""
    from bot.candidates.record import candidate_json_schema
    from bot.files import to_json

    get_console().print_raw(to_json(candidate_json_schema()))


def register(app: typer.Typer) -> None:
    """Add these commands to the command line, as a group."""
    app.add_typer(
        candidates,
        name="candidates",
        help="Staged candidates: list them for consolidation, print their schema.",
        epilog="Example: extraction-bot candidates list staging --format markdown",
    )
