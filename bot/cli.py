"""The table of contents: parse, call a command, exit. A command is imported when it is called."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot import __version__
from bot.console import Console
from bot.errors import BadInput, BotError
from bot.suites import EXTRACTION_QUALITY as SUITE

if TYPE_CHECKING:
    from bot.history.identity import RunIdentity
    from bot.settings import Settings

USAGE_ERROR: Final = 2

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Tells, in the pull request, whether a change made LLM memory extraction better or worse.",
    epilog="Exit codes: 0 done and everything holds · 1 a rule says no · 2 bad input, nothing was "
    "written · 3 GitHub or a provider could not be reached.",
)

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


def _console() -> Console:
    return Console(env=os.environ)


def _now() -> datetime:
    return datetime.now(UTC)


def _settings() -> "Settings":
    from bot.settings import load_settings

    return load_settings(Path.cwd())


def _identity(
    sha: str | None, branch: str | None, run_number: int | None, run_url: str | None
) -> "RunIdentity":
    from bot.environment import Overrides, identify_run

    overrides = Overrides(sha, branch, run_number, run_url)
    return identify_run(overrides, os.environ, Path.cwd())


@app.command(epilog="Example: extraction-bot run --provider keyword --out out")
def run(
    gold_set: GoldSet = None,
    provider: Provider = "openai",
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
) -> None:
    """The main job: evaluate, gate, append to the history, render the comment."""
    from bot.commands.evaluate import EvaluateRequest
    from bot.commands.run import RunRequest, run_all
    from bot.evaluation.gold_set import BASELINE

    settings = _settings()
    directory = gold_set or settings.gold_set
    request = RunRequest(
        evaluation=EvaluateRequest(directory, mode, provider),
        baseline=baseline or directory / BASELINE,
        data=data or settings.data,
        out=out or settings.out,
        templates=templates or settings.templates,
        base_latest=base_latest,
    )
    identity = _identity(sha, branch, run_number, run_url)
    raise typer.Exit(run_all(request, identity, SUITE, settings, _now(), _console()))


@app.command(epilog="Example: extraction-bot evaluate --provider keyword --out out/latest.json")
def evaluate(
    out: Annotated[Path, typer.Option(help="Where the report goes.")],
    gold_set: GoldSet = None,
    mode: Mode = "cassette",
    provider: Provider = "openai",
) -> None:
    """Score a provider's answers against a gold set and write the report."""
    from bot.commands.evaluate import EvaluateRequest, run_evaluate

    settings = _settings()
    request = EvaluateRequest(gold_set or settings.gold_set, mode, provider)
    raise typer.Exit(run_evaluate(request, out, settings, _now(), _console()))


@app.command(
    epilog="Example: extraction-bot gate --latest out/latest.json "
    "--baseline gold_set/v1/baseline_results.json --out out/gate-result.json"
)
def gate(
    latest: Latest,
    baseline: BaselineFile,
    out: Annotated[Path, typer.Option(help="Where the gate's result goes.")],
) -> None:
    """Compare a report with its baseline; exit code 1 on a drop of more than the limit."""
    from bot.commands.gate import run_gate

    raise typer.Exit(run_gate(latest, baseline, out, SUITE, _console()))


@app.command(
    epilog="Example: extraction-bot publish --latest out/latest.json "
    "--gate out/gate-result.json --baseline gold_set/v1/baseline_results.json"
)
def publish(
    latest: Latest,
    gate: Annotated[Path, typer.Option(help="The gate's result, gate-result.json.")],
    baseline: BaselineFile,
    published: Published = None,
    sha: Sha = None,
    branch: Branch = None,
    run_number: RunNumber = None,
    run_url: RunUrl = None,
) -> None:
    """Append a run, passed or failed, to the local history and its archive."""
    from bot.commands.publish import PublishRequest, run_publish

    settings = _settings()
    request = PublishRequest(latest, gate, baseline, published or settings.data)
    identity = _identity(sha, branch, run_number, run_url)
    raise typer.Exit(run_publish(request, identity, SUITE, settings, _console()))


@app.command(
    epilog="Example: extraction-bot render-comment --latest out/latest.json --out out/comment.md"
)
def render_comment(
    out: Annotated[Path, typer.Option(help="Where the comment's Markdown goes.")],
    published: Published = None,
    templates: Templates = None,
    latest: OptionalLatest = None,
    base_latest: BaseLatest = None,
    policy: Annotated[Path | None, typer.Option(help="The policy's result.")] = None,
    sha: Annotated[
        str | None,
        typer.Option(help="The head commit it must speak of; default: the pull request's, if any."),
    ] = None,
) -> None:
    """Render the pull request comment from the history, a report and a policy result."""
    from bot.commands.render_comment import RenderRequest, run_render_comment
    from bot.environment import pull_request_head

    settings = _settings()
    head = pull_request_head(os.environ)
    request = RenderRequest(
        published=published or settings.data,
        templates=templates or settings.templates,
        latest=latest,
        base_latest=base_latest,
        policy=policy,
        head_sha=sha or (head[0] if head else None),
    )
    raise typer.Exit(run_render_comment(request, out, SUITE, _console()))


@app.command(
    epilog="Example: extraction-bot check-oracle-policy --changed-files changed.txt "
    "--manifest gold_set/v1/cassette_manifest.json --pr-body-file body.md, where changed.txt is "
    "the output of git diff --name-status -z origin/main..."
)
def check_oracle_policy(
    manifest: Annotated[Path, typer.Option(help="The head's cassette_manifest.json.")],
    changed_files: Annotated[
        Path,
        typer.Option(help="Changed files: lines, NUL-separated, or git diff --name-status -z."),
    ],
    pr_body: Annotated[
        str | None,
        typer.Option(envvar="EXTRACTION_EVAL_PR_BODY", help="The pull request's body."),
    ] = None,
    pr_body_file: Annotated[Path | None, typer.Option(help="A file that holds the body.")] = None,
    contract_path: Annotated[
        list[str] | None, typer.Option(help="A path of prompt or schema; may be given again.")
    ] = None,
    workflows: Annotated[Path | None, typer.Option(help="The folder of workflows.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the policy's result goes.")] = None,
) -> None:
    """Fail when prompt or schema changed while the cassettes are oracle-aligned."""
    from bot.commands.check_oracle_policy import PolicyRequest, run_check_oracle_policy
    from bot.files import read_text

    settings = _settings()
    body = pr_body or ""
    if pr_body_file is not None:
        body = read_text(pr_body_file)
    request = PolicyRequest(
        manifest=manifest,
        changed_files=changed_files,
        body=body,
        contract_paths=tuple(contract_path or settings.contract_paths),
        workflows=workflows or settings.workflows,
    )
    raise typer.Exit(run_check_oracle_policy(request, out, _console()))


@app.command(epilog="Example: extraction-bot refresh-manifest --gold-set gold_set/v1")
def refresh_manifest(
    gold_set: Annotated[Path, typer.Option("--gold-set", help="Gold set directory.")],
) -> None:
    """After an edit of an oracle-aligned gold set: write its cassettes and manifest anew."""
    from bot.commands.refresh_manifest import run_refresh_manifest

    raise typer.Exit(run_refresh_manifest(gold_set, _settings(), _now(), _console()))


@app.command(epilog="Example: extraction-bot validate out/latest.json")
def validate(
    file: Annotated[Path, typer.Argument(help="A file, or a gold set's directory.")],
) -> None:
    """Check any of the project's files: history, archive, report, gate result, gold set, …."""
    from bot.commands.validate import run_validate

    raise typer.Exit(run_validate(file, _console()))


@app.command(epilog="Example: extraction-bot schema > history.schema.json")
def schema() -> None:
    """Print the JSON Schema of the published history."""
    from bot.files import to_json
    from bot.history.model import history_json_schema

    _console().print_raw(to_json(history_json_schema(SUITE.name)))


@app.command(epilog="Example: extraction-bot version")
def version() -> None:
    """Print the version."""
    _console().print_raw(__version__)


def main(arguments: list[str] | None = None) -> int:
    """Run a command line; returns the exit code (CONTRACTS section 11)."""
    console = _console()
    try:
        result = app(arguments, standalone_mode=False)
    except BotError as error:
        return console.fail(error)
    except typer.TyperException as error:
        return console.fail(
            BadInput(error.format_message(), next_step="see extraction-bot COMMAND --help")
        )
    except (typer.Abort, KeyboardInterrupt):
        console.error("interrupted")
        return 130
    return result if isinstance(result, int) else 0


def entry_point() -> None:
    sys.exit(main())
