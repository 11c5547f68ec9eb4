"""The table of contents: parse, call a command, exit. A command is imported when it is called."""

import os
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from bot import (
    __version__,
    cli_actions,
    cli_baseline,
    cli_candidates,
    cli_dashboard,
    cli_github,
    cli_history,
    cli_setup,
    cli_statistics,
)
from bot.cli_options import (
    DEFAULT_SUITE,
    ApiKeyEnv,
    BaseLatest,
    BaselineFile,
    BaseUrl,
    Branch,
    Concurrency,
    GoldSet,
    Latest,
    Limit,
    MaxCost,
    MaxFailures,
    Mode,
    Model,
    Name,
    Only,
    OptionalLatest,
    PolicyFile,
    Provider,
    Published,
    Repeats,
    Resume,
    RunNumber,
    RunUrl,
    Sha,
    Stale,
    SuiteName,
    Templates,
    get_console,
    get_identity,
    get_now,
    get_settings,
)
from bot.errors import BadInput, BotError
from bot.suites import find_suite

USAGE_ERROR: Final = 2

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Tells, in the pull request, whether a change made LLM memory extraction better or worse.",
    epilog="Exit codes: 0 done and everything holds · 1 a rule says no · 2 bad input, nothing was "
    "written · 3 GitHub or a provider could not be reached.",
)


@app.command(epilog="Example: extraction-bot run --provider keyword --out out")
def run(
    suite: SuiteName = DEFAULT_SUITE,
    gold_set: GoldSet = None,
    provider: Provider = None,
    mode: Mode = "cassette",
    baseline: Annotated[
        Path | None, typer.Option(help="Default: the gold set's baseline_results.json.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The history to append to.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for report, gate and comment.")] = None,
    templates: Templates = None,
    base_latest: BaseLatest = None,
    sha: Sha = None,
    branch: Branch = None,
    run_number: RunNumber = None,
    run_url: RunUrl = None,
    name: Name = None,
    model: Model = None,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    concurrency: Concurrency = None,
    max_cost: MaxCost = None,
    max_failures: MaxFailures = None,
    limit: Limit = None,
    only: Only = None,
    stale: Stale = False,
    resume: Resume = False,
    repeats: Repeats = 1,
) -> None:
    """The main job: evaluate, gate, append to the history, render the comment."""
    from bot.commands.evaluate import EvaluateRequest, LiveFlags
    from bot.commands.run import RunRequest, run_all
    from bot.evaluation.gold_set import BASELINE

    settings, chosen = get_settings(), find_suite(suite)
    place = settings.of(chosen)
    directory = gold_set or place.gold_set
    live = LiveFlags(
        label=name,
        model=model,
        base_url=base_url,
        api_key_variable=api_key_env,
        concurrency=concurrency,
        max_cost_usd=max_cost,
        max_failures=max_failures,
        limit=limit,
        only=tuple(only or ()),
        stale=stale,
        resume=resume,
        repeats=repeats,
    )
    request = RunRequest(
        evaluation=EvaluateRequest(directory, mode, provider, live),
        baseline=baseline or directory / BASELINE,
        data=data or place.data,
        out=out or place.out,
        templates=templates or settings.templates,
        base_latest=base_latest,
    )
    identity = get_identity(sha, branch, run_number, run_url)
    raise typer.Exit(run_all(request, identity, chosen, settings, get_now(), get_console()))


@app.command(epilog="Example: extraction-bot evaluate --provider keyword --out out/latest.json")
def evaluate(
    out: Annotated[Path, typer.Option(help="Where the report goes.")],
    suite: SuiteName = DEFAULT_SUITE,
    gold_set: GoldSet = None,
    mode: Mode = "cassette",
    provider: Provider = None,
    name: Name = None,
    model: Model = None,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    concurrency: Concurrency = None,
    max_cost: MaxCost = None,
    max_failures: MaxFailures = None,
    limit: Limit = None,
    only: Only = None,
    stale: Stale = False,
    resume: Resume = False,
    repeats: Repeats = 1,
    audit_matching: Annotated[
        bool,
        typer.Option(
            "--audit-matching", help="Also write what other thresholds and equal texts would pair."
        ),
    ] = False,
) -> None:
    """Score a provider's answers against a gold set and write the report."""
    from bot.commands.evaluate import EvaluateRequest, LiveFlags, run_evaluate

    settings, chosen = get_settings(), find_suite(suite)
    live = LiveFlags(
        label=name,
        model=model,
        base_url=base_url,
        api_key_variable=api_key_env,
        concurrency=concurrency,
        max_cost_usd=max_cost,
        max_failures=max_failures,
        limit=limit,
        only=tuple(only or ()),
        stale=stale,
        resume=resume,
        repeats=repeats,
    )
    directory = gold_set or settings.of(chosen).gold_set
    request = EvaluateRequest(directory, mode, provider, live, audit_matching)
    raise typer.Exit(run_evaluate(request, out, chosen, settings, get_now(), get_console()))


@app.command(
    epilog="Example: extraction-bot gate --latest out/latest.json "
    "--baseline gold_set/v1/baseline_results.json --out out/gate-result.json"
)
def gate(
    latest: Latest,
    baseline: BaselineFile,
    out: Annotated[Path, typer.Option(help="Where the gate's result goes.")],
    suite: SuiteName = DEFAULT_SUITE,
) -> None:
    """Compare a report with its baseline; exit code 1 on a drop of more than the limit."""
    from bot.commands.gate import run_gate

    raise typer.Exit(run_gate(latest, baseline, out, find_suite(suite), get_console()))


@app.command(epilog="Example: extraction-bot compare out/openai.json out/vllm.json")
def compare(
    reports: Annotated[list[Path], typer.Argument(help="Reports, one a provider.")],
    shape: Annotated[str, typer.Option("--format", help="table, markdown or json.")] = "table",
) -> None:
    """Reports side by side: all metrics, failures, cost and latency, each with its label."""
    from bot.commands.compare import run_compare

    raise typer.Exit(run_compare(reports, shape, get_settings(), get_now(), get_console()))


@app.command(
    epilog="Example: extraction-bot render-comment --latest out/latest.json --out out/comment.md"
)
def render_comment(
    out: Annotated[Path, typer.Option(help="Where the comment's Markdown goes.")],
    suite: SuiteName = DEFAULT_SUITE,
    published: Published = None,
    templates: Templates = None,
    latest: OptionalLatest = None,
    base_latest: BaseLatest = None,
    policy: PolicyFile = None,
    sha: Annotated[
        str | None,
        typer.Option(help="The head commit it must speak of; default: the pull request's, if any."),
    ] = None,
) -> None:
    """Render the pull request comment from the history, a report and a policy result."""
    from bot.commands.render_comment import RenderRequest, run_render_comment
    from bot.environment import pull_request_head

    settings, chosen = get_settings(), find_suite(suite)
    head = pull_request_head(os.environ)
    request = RenderRequest(
        published=published or settings.of(chosen).data,
        templates=templates or settings.templates,
        latest=latest,
        base_latest=base_latest,
        policy=policy,
        head_sha=sha or (head[0] if head else None),
    )
    raise typer.Exit(run_render_comment(request, out, chosen, get_console()))


@app.command(epilog="Example: extraction-bot refresh-manifest --gold-set gold_set/v1")
def refresh_manifest(
    gold_set: Annotated[Path, typer.Option("--gold-set", help="Gold set directory.")],
    suite: SuiteName = DEFAULT_SUITE,
) -> None:
    """After an edit of an oracle-aligned gold set: write its cassettes and manifest anew."""
    from bot.commands.refresh_manifest import run_refresh_manifest

    raise typer.Exit(
        run_refresh_manifest(gold_set, find_suite(suite), get_settings(), get_now(), get_console())
    )


@app.command(epilog="Example: extraction-bot validate out/latest.json")
def validate(
    file: Annotated[Path, typer.Argument(help="A file, or a gold set's directory.")],
) -> None:
    """Check any of the project's files: history, archive, report, gate result, gold set, …."""
    from bot.commands.validate import run_validate

    raise typer.Exit(run_validate(file, get_console()))


@app.command(epilog="Example: extraction-bot schema > history.schema.json")
def schema(suite: SuiteName = DEFAULT_SUITE) -> None:
    """Print the JSON Schema of the published history."""
    from bot.files import to_json
    from bot.history.model import history_json_schema

    get_console().print_raw(to_json(history_json_schema(find_suite(suite).name)))


@app.command(epilog="Example: extraction-bot action # with INPUT_COMMAND=ci in the environment")
def action() -> None:
    """What action.yml calls: the command in its inputs, which come as INPUT_… variables."""
    from bot.commands.action import action_arguments, flags_by_command

    raise typer.Exit(main(action_arguments(os.environ, flags_by_command(app))))


cli_baseline.register(app)
cli_history.register(app)
cli_actions.register(app)
cli_github.register(app)
cli_candidates.register(app)
cli_setup.register(app)
cli_dashboard.register(app)
cli_statistics.register(app)


@app.command(epilog="Example: extraction-bot version")
def version() -> None:
    """Print the version."""
    get_console().print_raw(__version__)


def main(arguments: list[str] | None = None) -> int:
    """Run a command line; returns the exit code (CONTRACTS section 11)."""
    console = get_console()
    words = arguments or sys.argv[1:] or ["--help"]
    try:
        _check_words(words)
        result = app(words, standalone_mode=False)
    except BotError as error:
        return console.fail(error)
    except typer.TyperException as error:
        return console.fail(
            BadInput(error.format_message(), next_step="see extraction-bot COMMAND --help")
        )
    except (typer.Abort, KeyboardInterrupt):
        console.error("interrupted")
        return 130
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # typer's: nobody reads our output
            return 141
        raise
    except OSError as error:  # of a place that no command has words of its own for
        return console.fail(BadInput(str(error.strerror), where=error.filename or "the output"))
    return result if isinstance(result, int) else 0


def _check_words(words: list[str]) -> None:
    """Bytes that are no UTF-8 come as lone surrogates, which no file of ours can hold."""
    for word in words:
        if any("\ud800" <= char <= "\udfff" for char in word):
            raise BadInput("is no UTF-8", where=f"the argument {word!r}")


def entry_point() -> None:
    """Also what was not yet written when the command ended must arrive, or be told."""
    code = main()
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to flush
        if isinstance(error, BrokenPipeError):
            code = 141
        else:
            code = get_console().fail(BadInput(str(error.strerror), where="the output"))
    sys.exit(code)
