"""`publish --github-repository`: one run, as one commit on the data branch and one pull request."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bot.comment.render import render_section, template_environment
from bot.comment.sections import COMMENT_MARKER, Section, room_beside, splice
from bot.comment.view import CommentInput
from bot.console import Console
from bot.environment import server_url
from bot.files import to_json
from bot.github.data_branch import DataBranch, Files, Pacing, publish_files
from bot.github.data_pull import DataPull, ensure_pull, open_pulls
from bot.github.interface import GitHub
from bot.history.badge import Clock, badge_files
from bot.history.file import history_text
from bot.history.merge import (
    add_run,
    holds,
    merge_histories,
    read_archive_lines,
    read_published,
)
from bot.history.model import StoredRun, history_json_schema
from bot.history.paths import HistoryFiles
from bot.settings import Settings
from bot.suites import Suite

LABEL: Final = "benchmark-data"
TITLE: Final = "Publish benchmark data"
PULL_TEMPLATE: Final = "data_pull_request.md.j2"


@dataclass(frozen=True, slots=True)
class RemoteRequest:
    """Where a run is published, and when; `default_branch` None asks GitHub.

    `data` is a path in the repository.
    """

    data: Path
    branch: str
    now: datetime
    default_branch: str | None = None
    templates: Path | None = None
    dry_run: bool = False


def _posix(path: Path) -> str:
    return path.as_posix().removeprefix("./")


def merge_versions(path: str, theirs: bytes, ours: bytes, max_runs: int) -> bytes:
    """Two versions of a published file, whichever suite's: the rows of both.

    An archive keeps each line once; a history is merged by the rules of an append; of any other
    file the default branch's version is taken. Raises BadInput for a history that cannot be read.
    """
    if path.endswith(".jsonl"):
        lines = dict.fromkeys([*theirs.splitlines(keepends=True), *ours.splitlines(keepends=True)])
        return b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines)
    if not path.endswith("-benchmark-data.json"):
        return theirs
    benchmark = str(json.loads(theirs).get("benchmark"))
    merged = merge_histories(
        read_published(theirs, benchmark, path), read_published(ours, benchmark, path), max_runs
    )
    return history_text(merged).encode()


def _editor(
    run: StoredRun, files: HistoryFiles, max_runs: int, clock: Clock
) -> Callable[[Files], Mapping[str, bytes]]:
    data, archive = _posix(files.data), _posix(files.archive)
    schema = _posix(files.schema)

    def edit(found: Files) -> Mapping[str, bytes]:
        history = read_published(found[data], files.benchmark, data)
        lines = read_archive_lines(found[archive], archive)
        if holds(history, lines, run):
            return {}
        merged, archived = add_run(history, lines, run, max_runs)
        badges = badge_files(merged, files, clock)
        return {
            data: history_text(merged).encode(),
            archive: archived,
            schema: to_json(history_json_schema(files.benchmark)).encode(),
            **{_posix(path): text.encode() for path, text in badges.items()},
        }

    return edit


def commit_message(run: StoredRun, suite: Suite, login: str) -> str:
    """With a `Signed-off-by` trailer of the bot's own login and its no-reply address."""
    entry = run.entry
    return (
        f"Publish {suite.name} run {entry.run_number} of {entry.short_sha}: {entry.status}\n\n"
        f"Signed-off-by: {login} <{login}@users.noreply.github.com>\n"
    )


def _pull_section(
    run: StoredRun, suite: Suite, request: RemoteRequest, server: str, body: str | None
) -> Section:
    data = CommentInput(words=suite.words, run=run.entry, server_url=server)
    return render_section(
        template_environment(request.templates),
        suite.name,
        data,
        room_beside(body, suite.name),
        template_name=PULL_TEMPLATE,
    )


def default_branch_of(event: Mapping[str, Any]) -> str | None:
    """The default branch as the event says; spares a request."""
    repository = event.get("repository")
    name = repository.get("default_branch") if isinstance(repository, dict) else None
    return name if isinstance(name, str) and name else None


def run_publish_remote(
    run: StoredRun,
    request: RemoteRequest,
    suite: Suite,
    settings: Settings,
    github: GitHub,
    console: Console,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """0 when the run is on the default branch, or on the data branch with an open pull request.

    A run that was published before is skipped with 0, after opening the pull request that an
    interrupted publisher left out. Raises BadInput for published files that cannot be read: they
    are never taken for empty ones. Raises Unreachable when GitHub refuses or does not answer.
    """
    files = suite.history_files(request.data)
    clock = Clock(request.now, settings.stale_after_days)
    edit = _editor(run, files, settings.max_runs, clock)
    base = request.default_branch or github.default_branch()
    if request.dry_run:
        return _show_dry_run(run, request, files, base, edit, github, console)
    branch = DataBranch(
        name=request.branch,
        folder=_posix(files.data.parent) + "/",
        paths=[_posix(files.data), _posix(files.archive)],
        message=commit_message(run, suite, github.login()),
        edit=edit,
        merge=lambda path, theirs, ours: merge_versions(path, theirs, ours, settings.max_runs),
    )
    live = {"now": False}

    def is_live() -> bool:
        live["now"] = bool(open_pulls(github, request.branch))
        return live["now"]

    outcome = publish_files(github, branch, base, is_live, Pacing(sleep))
    if outcome == "on_default_branch":
        console.say(f"run {run.entry.run_number} of {run.entry.short_sha} is published already")
        return 0
    server = server_url(console.env)

    def body(old: str | None) -> str:
        start = old if old and old.startswith(COMMENT_MARKER) else COMMENT_MARKER + "\n"
        return splice(start, _pull_section(run, suite, request, server, old), "")

    wanted = DataPull(request.branch, base, TITLE, body, [LABEL])
    pull = ensure_pull(github, wanted, is_live=live["now"])
    said = "published" if outcome == "committed" else "was on the branch already"
    console.say(f"run {run.entry.run_number} of {run.entry.short_sha} {said}: {pull.url}")
    console.set_outputs({"status": run.entry.status, "pull-request": pull.url})
    return 0


def _show_dry_run(
    run: StoredRun,
    request: RemoteRequest,
    files: HistoryFiles,
    base: str,
    edit: Callable[[Files], Mapping[str, bytes]],
    github: GitHub,
    console: Console,
) -> int:
    tip = github.tip(request.branch)
    ref = base if tip is None else request.branch
    paths = [_posix(files.data), _posix(files.archive)]
    written = edit({path: github.read_file(path, ref) for path in paths})
    for path, data in written.items():
        console.say(f"would write {path}: {len(data):,} bytes, on {request.branch} from {ref}")
    if not written:
        console.say(f"run {run.entry.run_number} of {run.entry.short_sha} is published already")
    return 0
