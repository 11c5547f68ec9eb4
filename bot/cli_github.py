"""The commands that may speak to GitHub; the rest of the command line is in `bot.cli`."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from bot.cli_options import (
    DEFAULT_SUITE,
    BaseLatest,
    BaselineFile,
    Branch,
    DryRun,
    EventPath,
    GitHubRepository,
    GitHubToken,
    Latest,
    OptionalLatest,
    PolicyFile,
    Published,
    PullNumber,
    RunNumber,
    RunUrl,
    Sha,
    SuiteName,
    Templates,
    get_console,
    get_identity,
    get_now,
    get_settings,
)
from bot.errors import BadInput
from bot.suites import Suite, find_suite

if TYPE_CHECKING:
    from bot.commands.publish_remote import RemoteRequest
    from bot.commands.verify_dispatch import VerifyRequest
    from bot.settings import Settings

RunId = Annotated[int | None, typer.Option("--run-id", min=1, help="The workflow run's id.")]
HeadSha = Annotated[str | None, typer.Option("--head-sha", help="The run's full commit hash.")]


def publish(
    latest: Latest,
    gate: Annotated[Path, typer.Option(help="The gate's result, gate-result.json.")],
    baseline: BaselineFile,
    suite: SuiteName = DEFAULT_SUITE,
    published: Published = None,
    sha: Sha = None,
    branch: Branch = None,
    run_number: RunNumber = None,
    run_url: RunUrl = None,
    github_repository: GitHubRepository = None,
    github_token: GitHubToken = None,
    dry_run: DryRun = False,
) -> None:
    """Append a run, passed or failed, to the history: a local file, or a repository on GitHub.

    With --github-repository, --branch is the branch that the data is published on.
    """
    from bot.commands.publish import PublishRequest, build_entry, run_publish

    settings, console, chosen = get_settings(), get_console(), find_suite(suite)
    request = PublishRequest(latest, gate, baseline, published or settings.of(chosen).data)
    if github_repository is None:
        if dry_run:
            raise BadInput("needs --github-repository", where="--dry-run")
        identity = get_identity(sha, branch, run_number, run_url)
        raise typer.Exit(run_publish(request, identity, chosen, settings, get_now(), console))

    from bot.commands.connect import connect
    from bot.commands.publish_remote import run_publish_remote
    from bot.history.model import StoredRun

    entry = build_entry(request, get_identity(sha, None, run_number, run_url), settings)
    remote = _remote(published, branch, chosen, settings, dry_run=dry_run)
    github = connect(os.environ, github_token, github_repository)
    run = StoredRun.of(entry)
    raise typer.Exit(run_publish_remote(run, remote, chosen, settings, github, console))


def check_oracle_policy(
    manifest: Annotated[Path, typer.Option(help="The head's cassette_manifest.json.")],
    suite: SuiteName = DEFAULT_SUITE,
    changed_files: Annotated[
        Path | None,
        typer.Option(help="Changed files: lines, NUL-separated, or git diff --name-status -z."),
    ] = None,
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
    github_repository: GitHubRepository = None,
    github_token: GitHubToken = None,
    pr_number: Annotated[
        int | None,
        typer.Option(min=1, help="Read files and body of this pull request from GitHub."),
    ] = None,
) -> None:
    """Fail when prompt or schema changed while the cassettes are oracle-aligned."""
    from bot.commands.check_oracle_policy import (
        PolicyRequest,
        read_changed_files,
        run_check_oracle_policy,
    )
    from bot.files import read_text

    settings = get_settings()
    body = read_text(pr_body_file) if pr_body_file is not None else pr_body or ""
    if pr_number is not None:
        from bot.commands.connect import connect
        from bot.commands.pull_request_facts import pull_request_facts

        github = connect(os.environ, github_token, github_repository)
        changed, body = pull_request_facts(github, pr_number)
    elif changed_files is not None:
        changed = read_changed_files(changed_files)
    else:
        raise BadInput("neither --changed-files nor --pr-number", where="check-oracle-policy")
    request = PolicyRequest(
        manifest=manifest,
        changed=changed,
        body=body,
        contract_paths=tuple(contract_path or settings.of(find_suite(suite)).contract_paths),
        workflows=workflows or settings.workflows,
    )
    raise typer.Exit(run_check_oracle_policy(request, out, get_console()))


def post_extraction_pr_comment(
    extraction_benchmark_data: Annotated[
        Path, typer.Option(help="The history that holds the head's run.")
    ],
    pr_number: PullNumber,
    suite: SuiteName = DEFAULT_SUITE,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
    policy: PolicyFile = None,
    latest: OptionalLatest = None,
    base_latest: BaseLatest = None,
    templates: Templates = None,
    dry_run: DryRun = False,
) -> None:
    """Create or update the one comment on a pull request; exits 1 when its verdict is a fail."""
    from bot.commands.connect import connect
    from bot.commands.post_comment import PostRequest, run_post_comment
    from bot.commands.render_comment import RenderRequest
    from bot.environment import pull_request_head

    settings = get_settings()
    head = pull_request_head(os.environ)
    render = RenderRequest(
        published=extraction_benchmark_data,
        templates=templates or settings.templates,
        latest=latest,
        base_latest=base_latest,
        policy=policy,
        head_sha=head[0] if head else None,
    )
    github = connect(os.environ, github_token, github_repository)
    request = PostRequest(render, pr_number, dry_run)
    raise typer.Exit(run_post_comment(request, find_suite(suite), github, get_console()))


def set_status(
    gate: Annotated[Path | None, typer.Option(help="The gate's result.")] = None,
    policy: PolicyFile = None,
    suite: SuiteName = DEFAULT_SUITE,
    sha: Sha = None,
    check_run: Annotated[
        bool, typer.Option("--check-run", help="A check run with annotations, not a status.")
    ] = False,
    baseline_path: Annotated[
        str | None,
        typer.Option(help="Where the gate's annotations point; default: the gold set's baseline."),
    ] = None,
    run_url: RunUrl = None,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
) -> None:
    """Set a status for the gate and one for the policy on the head commit."""
    from bot.commands.connect import connect
    from bot.commands.set_status import StatusRequest, in_repository, run_set_status
    from bot.evaluation.gold_set import BASELINE

    chosen = find_suite(suite)
    default_path = in_repository(get_settings().of(chosen).gold_set / BASELINE, Path.cwd())
    identity = get_identity(sha, None, None, run_url)
    request = StatusRequest(
        sha=identity.sha,
        gate=gate,
        policy=policy,
        baseline_path=baseline_path or default_path,
        run_url=identity.run_url or None,
        as_check=check_run,
    )
    github = connect(os.environ, github_token, github_repository)
    raise typer.Exit(run_set_status(request, chosen, github, get_console()))


def verify_dispatch(
    run_id: RunId = None,
    head_sha: HeadSha = None,
    run_number: RunNumber = None,
    event_path: EventPath = None,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
) -> None:
    """Check a dispatch's claims against the workflow run; exits 1 when one does not hold."""
    from bot.commands.connect import connect
    from bot.commands.verify_dispatch import run_verify_dispatch
    from bot.github.workflow_runs import Waiting

    request = _verify_request(run_id, head_sha, run_number, event_path)
    github = connect(os.environ, github_token, github_repository)
    raise typer.Exit(run_verify_dispatch(request, get_settings(), github, get_console(), Waiting()))


def publish_from_run(
    run_id: RunId = None,
    head_sha: HeadSha = None,
    run_number: RunNumber = None,
    event_path: EventPath = None,
    suite: SuiteName = DEFAULT_SUITE,
    published: Published = None,
    branch: Annotated[str | None, typer.Option(help="The branch of the data.")] = None,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
    dry_run: DryRun = False,
) -> None:
    """Verify a dispatch, download its run's artifact, check it, and publish the run in it."""
    from bot.commands.connect import connect
    from bot.commands.publish_from_run import run_publish_from_run
    from bot.github.workflow_runs import Waiting

    settings, chosen = get_settings(), find_suite(suite)
    request = _verify_request(run_id, head_sha, run_number, event_path)
    remote = _remote(published, branch, chosen, settings, dry_run=dry_run)
    github = connect(os.environ, github_token, github_repository)
    raise typer.Exit(
        run_publish_from_run(request, remote, chosen, settings, github, get_console(), Waiting())
    )


def notify(
    run_id: RunId = None,
    head_sha: HeadSha = None,
    run_number: RunNumber = None,
    github_token: GitHubToken = None,
    github_repository: GitHubRepository = None,
) -> None:
    """Send the dispatch that asks for this run to be published; defaults are this run's own."""
    from bot.commands.connect import connect
    from bot.commands.notify import run_notify
    from bot.commands.verify_dispatch import parse_claims

    payload = {
        "run_id": run_id or os.environ.get("GITHUB_RUN_ID"),
        "head_sha": head_sha or os.environ.get("GITHUB_SHA"),
        "run_number": run_number or os.environ.get("GITHUB_RUN_NUMBER"),
    }
    github = connect(os.environ, github_token, github_repository)
    raise typer.Exit(run_notify(parse_claims(payload), github, get_console()))


def _verify_request(
    run_id: int | None, head_sha: str | None, run_number: int | None, event_path: Path | None
) -> "VerifyRequest":
    """The claims of the flags, or of the event file: a dispatch's payload, or the inputs of a
    workflow started by hand. Never a mixture of them."""
    from bot.commands.publish_remote import default_branch_of
    from bot.commands.verify_dispatch import VerifyRequest, parse_claims, read_event

    event = read_event(event_path) if event_path is not None else {}
    payload: object = event.get("client_payload") or event.get("inputs")
    by_hand = "client_payload" not in event
    if run_id is not None or head_sha is not None or run_number is not None:
        payload, by_hand = {"run_id": run_id, "head_sha": head_sha, "run_number": run_number}, True
    return VerifyRequest(parse_claims(payload, by_hand=by_hand), default_branch_of(event))


def _remote(
    published: Path | None, branch: str | None, suite: Suite, settings: "Settings", *, dry_run: bool
) -> "RemoteRequest":
    from bot.commands.publish_remote import RemoteRequest, default_branch_of
    from bot.environment import read_event

    return RemoteRequest(
        data=published or settings.of(suite).data,
        branch=branch or settings.data_branch,
        now=get_now(),
        default_branch=default_branch_of(read_event(os.environ)),
        templates=settings.templates,
        dry_run=dry_run,
    )


_EXAMPLES: Final[Mapping[Callable[..., None], str]] = {
    publish: "publish --latest out/latest.json --gate out/gate-result.json "
    "--baseline gold_set/v1/baseline_results.json",
    check_oracle_policy: "check-oracle-policy --changed-files changed.txt "
    "--manifest gold_set/v1/cassette_manifest.json --pr-body-file body.md, where changed.txt is "
    "the output of git diff --name-status -z origin/main...",
    post_extraction_pr_comment: "post-extraction-pr-comment --pr-number 7 "
    "--extraction-benchmark-data web_data/extraction-quality-benchmark-data.json "
    "--latest out/latest.json --policy out/policy-result.json",
    set_status: "set-status --gate out/gate-result.json --policy out/policy-result.json",
    verify_dispatch: "verify-dispatch --event-path event.json",
    publish_from_run: "publish-from-run --event-path event.json --dry-run",
    notify: "notify --run-id 9057 --head-sha 4be1d2f9a6c3047e5b8d91a2c6f0e3d7b4a8c5f1 "
    "--run-number 57",
}


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command, example in _EXAMPLES.items():
        app.command(epilog=f"Example: extraction-bot {example}")(command)
