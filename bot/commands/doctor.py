"""`doctor`: is this repository set up so that the bot works, and what is to be done if not?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bot.commands.set_status import in_repository
from bot.commands.validate import describe_gold_set
from bot.console import Console
from bot.errors import BadInput, BotError, Unreachable
from bot.evaluation.gold_set import BASELINE, MANIFEST
from bot.evaluation.manifest import LIVE_RECORDED, contract_drift, load_manifest
from bot.files import read_bytes
from bot.gate.baseline import Baseline, load_baseline
from bot.gate.staleness import RunContext, judge_staleness
from bot.github.interface import GitHub, GitHubRefused
from bot.history.file import load_history
from bot.settings import Settings, load_contract
from bot.setup.findings import Finding, Level, judge_findings
from bot.setup.workflows import (
    ExpectedWorkflow,
    is_pull_request_template,
    template_findings,
    workflow_findings,
)
from bot.suites import Suite

MAX_FILES: Final = 200
TEMPLATE_FOLDERS: Final = ("", ".github", "docs")
_READ_RIGHTS: Final = ("contents", "pull-requests", "actions")


@dataclass(frozen=True, slots=True)
class DoctorRequest:
    """`root` is the repository's; `settings` is the error when they cannot be read."""

    root: Path
    settings: Settings | BadInput
    github: GitHub | None = None


def run_doctor(request: DoctorRequest, suite: Suite, now: datetime, console: Console) -> int:
    """Every finding with what to do; 1 when one of them is an error."""
    findings = list(_findings(request, suite, now))
    say = {"ok": console.say, "warning": console.warn, "error": console.error}
    for finding in findings:
        say[finding.level](finding.line)
    counts = {level: sum(f.level == level for f in findings) for level in say}
    console.say(f"doctor: {counts['error']} errors, {counts['warning']} warnings")
    return judge_findings(findings).exit_code


def _findings(request: DoctorRequest, suite: Suite, now: datetime) -> Iterator[Finding]:
    settings = request.settings
    if isinstance(settings, BadInput):
        yield Finding.of("configuration", settings)
        settings = Settings()
    else:
        yield Finding("ok", "configuration", "readable")
    if settings.templates is not None and not (request.root / settings.templates).is_dir():
        yield Finding(
            "error", "templates", f"{settings.templates} is no folder", "make it, or take it out"
        )
    if not (request.root / ".git").exists():
        yield Finding("warning", "repository", "this folder is no git repository", "go to its root")
    yield from _gold_set(settings, suite, now)
    place = settings.of(suite)
    try:
        load_history(suite.history_files(request.root / place.data).data, suite.name)
    except BotError as error:
        yield Finding.of("published history", error)
    expected = ExpectedWorkflow(
        settings.workflow_path, settings.workflow_name, in_repository(place.data, request.root)
    )
    yield from workflow_findings(_texts(request.root, settings.workflows), expected)
    yield from template_findings(_templates(request.root))
    if request.github is not None:
        yield from _token(request.github)
    else:
        yield Finding("ok", "token", "none is given with a repository, so its rights are not tried")


def _gold_set(settings: Settings, suite: Suite, now: datetime) -> Iterator[Finding]:
    directory = settings.of(suite).gold_set
    try:
        yield Finding("ok", "gold set", f"{directory}: {describe_gold_set(directory)}")
        manifest = load_manifest(directory)
        contract = load_contract(settings.of(suite)).fingerprint
        baseline = load_baseline(directory / BASELINE)
    except BotError as error:
        yield Finding.of("gold set", error)
        return
    drift = contract_drift(manifest, contract)
    if drift:
        advice = "record them again, or `extraction-bot refresh-manifest`"
        yield Finding("error", "cassettes", f"stale: {'; '.join(drift)}", advice)
    if manifest.is_older:
        yield Finding(
            "warning",
            "cassettes",
            f"{directory / MANIFEST} has no hashes of schema and files: changes go unnoticed",
            "`extraction-bot refresh-manifest` adds them",
        )
    if manifest.cassette_kind != LIVE_RECORDED:
        yield Finding(
            "warning",
            "cassettes",
            f"{manifest.cassette_kind}: they prove the harness and say nothing about a model",
            "record a model: `extraction-bot evaluate --mode record`",
        )
    context = RunContext(
        now=now,
        gold_set=manifest.gold_set,
        prompt_sha256=contract.prompt_sha256,
        schema_sha256=contract.schema_sha256,
        stale_after_days=settings.stale_after_days,
    )
    yield from _baseline(baseline, context)


def _baseline(baseline: Baseline, context: RunContext) -> Iterator[Finding]:
    if baseline.gold_set != context.gold_set:
        yield Finding(
            "error",
            "baseline",
            f"is of gold set {baseline.gold_set}, not {context.gold_set}: the gate fails",
            "measure it again: `extraction-bot baseline set`",
        )
    if not any(block.enforcement == "ci" for block in baseline.providers.values()):
        yield Finding(
            "error",
            "baseline",
            "no provider is CI-enforced, so the gate has nothing to hold",
            "`extraction-bot baseline set PROVIDER --enforcement ci --latest FILE`",
        )
    for name, block in baseline.providers.items():
        try:
            staleness = judge_staleness(name, block, baseline.gold_set, context)
        except BadInput as error:
            yield Finding.of("baseline", error)
            continue
        if staleness.state == "fresh":
            yield Finding("ok", "baseline", f"{name}: {staleness.age_days} days old")
        else:
            state = staleness.state.replace("_", " ")
            yield Finding(
                "warning",
                "baseline",
                f"{name}: {state} ({'; '.join(staleness.reasons)})",
                f"`extraction-bot baseline set {name} --latest FILE`",
            )


def _texts(root: Path, folder: Path) -> Mapping[str, str]:
    files = sorted((root / folder).glob("*.y*ml"))[:MAX_FILES]
    return {in_repository(path, root): _text(path) for path in files if path.is_file()}


def _text(path: Path) -> str:
    return read_bytes(path).decode("utf-8", "replace")


def _templates(root: Path) -> Mapping[str, str]:
    folders = [root / name for name in TEMPLATE_FOLDERS]
    folders += [one for folder in folders if folder.is_dir() for one in folder.iterdir()]
    files = {
        in_repository(path, root): path
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
    return {name: _text(path) for name, path in files.items() if is_pull_request_template(name)}


def _token(github: GitHub) -> Iterator[Finding]:
    """What the token may read; what it may write only writing would tell."""
    missing: list[str] = []
    try:
        branch, owner = github.default_branch(), github.repository.partition("/")[0]
        asks: tuple[Callable[[], object], ...] = (
            lambda: github.read_file("README.md", branch),
            lambda: github.pulls(f"{owner}:{branch}"),
            lambda: github.workflow_run(1),  # which is not there: 404 with the right to look
        )
        for right, ask in zip(_READ_RIGHTS, asks, strict=True):
            try:
                ask()
            except GitHubRefused as error:
                if error.status in (401, 403):
                    missing.append(right)
    except Unreachable as error:
        level: Level = "error" if isinstance(error, GitHubRefused) else "warning"
        advice = "give a token of this repository" if level == "error" else "try again later"
        yield Finding(level, "token", str(error), advice)
        return
    if missing:
        what = f"may not read {', '.join(missing)} of {github.repository}"
        advice = f"grant it: permissions: {{{', '.join(f'{one}: read' for one in missing)}}}"
        yield Finding("error", "token", what, advice)
    else:
        yield Finding("ok", "token", f"may read {', '.join(_READ_RIGHTS)} of {github.repository}")
