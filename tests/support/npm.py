"""Mermaid's own parser, from npm: GitHub draws with it, so it says what GitHub can draw."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock

from tests.support.needs import missing

PACKAGES: Final = {"mermaid": "11.17.2", "jsdom": "29.1.1"}
SCRIPT: Final = Path(__file__).parent / "mermaid_parse.mjs"


def _run(arguments: list[str], folder: Path, text: str = "") -> str:
    program = shutil.which(arguments[0])
    if program is None:
        missing("Node.js 20.19 or newer, with npm,")
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "npm_config_cache": f"{folder}/npm"}
    kept = ("NPM_CONFIG", "npm_config", "http", "HTTP", "no_proxy", "NO_PROXY", "NODE_", "SSL_")
    env = {n: v for n, v in os.environ.items() if n.startswith(kept)} | env
    done = subprocess.run(
        [program, *arguments[1:]],
        cwd=folder,
        env=env,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        pytest.fail(f"{' '.join(arguments)} failed: {done.stderr[-2_000:]}")
    return done.stdout


def _installed(folder: Path) -> Mapping[str, str]:
    found = {}
    for name in PACKAGES:
        package = folder / "node_modules" / name / "package.json"
        if package.exists():
            found[name] = json.loads(package.read_text(encoding="utf-8"))["version"]
    return found


def install(folder: Path) -> Path:
    """Mermaid's parser in `folder`, installed once; a second process waits for the first."""
    with FileLock(folder / ".install.lock"):
        done = folder / "installed.json"
        if not done.exists() or json.loads(done.read_text()) != PACKAGES:
            (folder / "package.json").write_text('{"private": true}')
            exact = [f"{name}@{version}" for name, version in PACKAGES.items()]
            quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
            _run(["npm", "install", *quiet, *exact], folder)
            assert _installed(folder) == PACKAGES
            done.write_text(json.dumps(PACKAGES))
        shutil.copy(SCRIPT, folder / SCRIPT.name)  # a module is looked for beside the script
    return folder


def mermaid_faults(folder: Path, diagrams: list[str]) -> list[str | None]:
    """For each diagram None, or why it is no xychart to Mermaid."""
    faults: list[str | None] = json.loads(
        _run(["node", SCRIPT.name], folder, json.dumps(diagrams)).splitlines()[-1]
    )
    return faults
