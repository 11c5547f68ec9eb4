"""`init`: the configuration and the workflows of a new repository; nothing is lost by it."""

import difflib
import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.comment.render import built_in_templates
from bot.console import Console
from bot.errors import BadInput
from bot.files import check_writable, decode, read_bytes, write_all_atomic
from bot.settings import CONFIG_FILE, find_settings

WORKFLOWS: Final = (
    "extraction-eval.yml",
    "extraction-pr-comment.yml",
    "publish-extraction-benchmark-data.yml",
)
_ACTION: Final = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?@[0-9a-f]{40}")
_REMOTE: Final = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_BRANCH: Final = re.compile(r"[\w./-]+")
_ACTION_PLACE: Final = "OWNER/REPO@FULL_COMMIT_SHA"
_BRANCH_PLACE: Final = "DEFAULT_BRANCH"
NEXT = (
    "commit these files; then open a pull request: it is evaluated and commented, and "
    "`extraction-bot doctor` says what is left to do"
)


@dataclass(frozen=True, slots=True)
class InitRequest:
    """`action` is OWNER/REPO@SHA; None takes the bot's own checkout. A setting that is None is
    written as a comment, and so stays the bot's default."""

    root: Path
    action: str | None = None
    branch: str | None = None
    gold_set: str | None = None
    prompt: str | None = None
    schema: str | None = None
    contract_paths: tuple[str, ...] = ()
    overwrite: bool = False


def run_init(request: InitRequest, console: Console) -> int:
    """0 when every file stands as it should. Shows a diff of each file that it would change.

    Raises BadInput, with nothing written, when a file is there with other content and `overwrite`
    is not asked for; for a setting that is none; and when the action's commit is not known.
    """
    files = new_files(request)
    check_writable(request.root / path for path in files)
    before = {path: _existing(request.root / path) for path in files}
    changed = {path: old for path, old in before.items() if old not in (None, files[path])}
    for path, old in changed.items():
        console.print_raw(_diff(path, old or "", files[path]))
    if changed and not request.overwrite:
        raise BadInput(
            f"{len(changed)} files are there already with other content (see the diff); nothing "
            "was written",
            where=next(iter(changed)),
            next_step="--overwrite takes the new ones",
        )
    new = {path: text for path, text in files.items() if before[path] != text}
    write_all_atomic({request.root / path: text for path, text in new.items()})
    for path in files:
        state = "written" if before[path] is None else "overwritten"
        console.say(f"{path}: {state if path in new else 'as it should be'}")
    if request.gold_set and not (request.root / request.gold_set).is_dir():
        console.warn(f"{request.gold_set}: there is no such gold set yet, so no run can be made")
    console.say(NEXT)
    return 0


def new_files(request: InitRequest) -> Mapping[str, str]:
    """The files of a new repository by path; raises BadInput."""
    action = request.action or _own_action()
    if not _ACTION.fullmatch(action):
        raise BadInput(
            f"{action!r} is no pinned action",
            where="--action",
            next_step="give OWNER/REPO@FULL_SHA",
        )
    branch = request.branch or _default_branch(request.root)
    if not _BRANCH.fullmatch(branch):
        raise BadInput(f"{branch!r} is no branch name", where="--branch")
    config = _config(request)
    find_settings(lambda _: config.encode(), CONFIG_FILE.as_posix())
    folder = built_in_templates() / "init"
    texts = {
        f".github/workflows/{name}": decode(read_bytes(folder / name), name) for name in WORKFLOWS
    }
    return {
        CONFIG_FILE.as_posix(): config,
        **{
            path: text.replace(_ACTION_PLACE, action).replace(_BRANCH_PLACE, branch)
            for path, text in texts.items()
        },
    }


def _config(request: InitRequest) -> str:
    """TOML; a JSON string is one of its basic strings."""
    lines = ["# Where the bot finds what; all keys stand in its README."]
    for key, value, example, why in (
        ("prompt", request.prompt, "app.extraction.prompt:PROMPT", "package.module:NAME"),
        ("schema", request.schema, "app.extraction.schema:Answer", "a pydantic model"),
        (
            "contract_paths",
            list(request.contract_paths),
            ["app/extraction/prompt.py", "app/extraction/schema.py"],
            "where the two are defined",
        ),
        ("gold_set", request.gold_set, "eval/gold_set/v1", "the bot's own until you have one"),
    ):
        mark = "" if value else "# "
        lines.append(f"{mark}{key} = {json.dumps(value or example, ensure_ascii=False)} # {why}")
    return "\n".join(lines) + "\n"


def _existing(path: Path) -> str | None:
    return read_bytes(path).decode("utf-8", "replace") if path.exists() else None


def _diff(path: str, old: str, new: str) -> str:
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", *words],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _own_action() -> str:
    """The bot's own checkout as an action, at the commit that lies there."""
    folder = Path(__file__).parent
    found = _REMOTE.search(_git(folder, "remote", "get-url", "origin"))
    sha = _git(folder, "rev-parse", "HEAD")
    if found is None or not sha:
        raise BadInput(
            "which commit of the bot should the workflows use?",
            where="init",
            next_step="give --action OWNER/REPO@FULL_SHA",
        )
    return f"{found[1]}@{sha}"


def _default_branch(root: Path) -> str:
    head = _git(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    return head.removeprefix("origin/") or "main"
