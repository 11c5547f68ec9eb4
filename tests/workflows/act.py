"""Run one of our workflows with `act`, on this machine, against the test GitHub.

Remote actions are replaced by the small ones in `stand_ins/`: checkout fetches from the test
GitHub's real git, upload-artifact gives the run an artifact there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.github_server.scenario import add_artifact, create_repository, create_token
from tests.github_server.server import GitHubServer
from tests.github_server.state import WorkflowRun
from tests.support.github_place import ROOT, GitHubPlace

STAND_INS = Path(__file__).parent / "stand_ins"
BIN = Path(sys.executable).parent
SHIPPED = ("bot", "templates", "requirements", ".github", "action.yml", "pyproject.toml")
"""What of this project lies in the repository on the test GitHub."""
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shipped_files() -> dict[str, bytes]:
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *SHIPPED]
    listed = subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout
    names = [name.decode() for name in listed.split(b"\0") if name]
    return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}


def project_place(server: GitHubServer) -> GitHubPlace:
    """This project as `octo-org/memory` on the test GitHub, and a token that may only read."""
    repo = create_repository(server, "octo-org/memory", shipped_files())
    return GitHubPlace(server, repo, create_token(server, "actions", {}, repository=repo))


def granted(text: str, *jobs: str) -> dict[str, Any]:
    """The permissions that the jobs of a workflow have, together, as the test GitHub names them."""
    workflow = yaml.safe_load(text)
    names = {
        name.replace("-", "_"): level
        for job in jobs
        for name, level in sorted(
            workflow["jobs"][job].get("permissions", workflow["permissions"]).items(),
            key=lambda item: item[1],
        )
    }
    return {**names, **({"issues": "write"} if names.get("pull_requests") == "write" else {})}


@dataclass(frozen=True)
class ActRun:
    """`checkouts` are the (ref, sha) that the jobs checked out."""

    code: int
    log: str
    checkouts: list[tuple[str, str]]

    def job_passed(self, job: str) -> bool:
        return bool(re.search(rf"\[[^\]]*{job}[^\]]*\].*Job succeeded", self.log))


@contextmanager
def _artifacts_into(place: GitHubPlace, run: WorkflowRun) -> Iterator[str]:
    """The address that the stand-in for upload-artifact posts zips to."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            add_artifact(place.server, place.repo, run, self.path.strip("/"), data)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def run_workflow(
    folder: Path,
    place: GitHubPlace,
    workflow: Path | str,
    event: str,
    payload: Mapping[str, Any],
    run: WorkflowRun,
    *more: str,
    jobs: Sequence[str],
    env: Mapping[str, str] | None = None,
) -> ActRun:
    """`run` is the workflow run that the test GitHub knows this one as.

    The token has the permissions of `jobs`, those that are expected to run. `workflow` is a file,
    or the text of one.
    """
    text = workflow if isinstance(workflow, str) else workflow.read_text(encoding="utf-8")
    permissions = granted(text, *jobs)
    token = create_token(place.server, "actions", permissions, repository=place.repo)
    work, log = folder / "work", folder / "checkouts"
    work.mkdir(parents=True)
    (folder / "tmp").mkdir()
    log.touch()
    (work / "workflow.yml").write_text(text, encoding="utf-8")
    for words in (
        ["init", "--quiet", "--initial-branch", place.repo.default_branch],
        ["remote", "add", "origin", f"https://github.com/{place.repo.full_name}"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a", "--allow-empty"],
    ):
        subprocess.run(["git", *words], cwd=work, check=True)
    event_file = folder / "event.json"
    event_file.write_text(json.dumps(payload))
    with _artifacts_into(place, run) as artifacts:
        variables = {
            **place.env(),
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_RUN_NUMBER": str(run.run_number),
            "GITHUB_EVENT_NAME": event,
            "STAND_IN_GIT_DIR": str(place.repo.git.git_dir),
            "STAND_IN_LOG": str(log),
            "STAND_IN_ARTIFACTS": artifacts,
            **(env or {}),
        }
        variables.pop("GITHUB_TOKEN")  # a job has it by its own `env` only
        words = [
            str(BIN / "act"),
            event,
            *("-W", "workflow.yml", "-e", str(event_file), "-P", "ubuntu-latest=-self-hosted"),
            *("--no-skip-checkout", "--no-cache-server", "--pull=false"),
            *("--action-cache-path", str(folder / "cache")),
            *("-s", f"GITHUB_TOKEN={token.value}"),
            *_stand_ins(text, folder),
            *(part for item in variables.items() for part in ("--env", "=".join(item))),
            *more,
        ]
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"  # uv is there
        home = {"HOME": str(folder), "TMPDIR": str(folder / "tmp"), "XDG_CACHE_HOME": _uv_cache()}
        done = subprocess.run(
            words,
            cwd=work,
            env={**os.environ, **home, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            check=False,
        )
    shutil.rmtree(folder / "cache", ignore_errors=True)
    checkouts = [(line.split()[0], line.split()[1]) for line in log.read_text().splitlines()]
    return ActRun(done.returncode, ANSI.sub("", done.stdout), checkouts)


def _uv_cache() -> str:
    return os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")


def _stand_ins(text: str, folder: Path) -> Iterator[str]:
    """Where act finds the actions: the stand-ins, and this project as an action of others."""
    for name, ref in set(re.findall(r"uses: (?!actions/)([\w.-]+/[\w.-]+)@(\w+)", text)):
        yield from ("--local-repository", f"{name}@{ref}={folder / 'action'}")
        for path, data in shipped_files().items():
            (folder / "action" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "action" / path).write_bytes(data)
    for name, ref in set(re.findall(r"uses: (actions/[\w-]+)@(\w+)", text)):
        yield from ("--local-repository", f"{name}@{ref}={STAND_INS / name.partition('/')[2]}")
