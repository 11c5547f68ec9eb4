"""Install the locked requirements beside this checkout, then run the bot: `bootstrap.py COMMAND …`.

What a workflow's step calls, before anything is installed: standard library only. The virtual
environment lies in the runner's temporary folder, named by the lock's hash, and is used again by
later steps of the job. Every package is checked against the lock's hashes; uv is taken where there
is one, else pip.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MINIMUM = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "run.txt"


def venv_folder(temporary: Path) -> Path:
    """Where the environment of this lock, Python and checkout lies."""
    facts = f"{LOCK.read_text()}\0{sys.version}\0{sys.prefix}\0{ROOT}"
    return temporary / f"extraction-bot-{hashlib.sha256(facts.encode()).hexdigest()[:16]}"


def install(folder: Path) -> None:
    """Make the environment; it is complete, or not there. Raises CalledProcessError."""
    making = folder.with_name(f"{folder.name}.{os.getpid()}")
    python = making / "bin" / "python"
    uv = shutil.which("uv")
    make = [sys.executable, "-I", "-m", "venv", str(making)]
    pip = [str(python), "-I", "-m", "pip", "install", "--no-compile"]
    if uv is not None:
        make = [uv, "venv", "--quiet", "--python", sys.executable, str(making)]
        pip = [uv, "pip", "install", "--python", str(python)]
    try:
        for words in (make, [*pip, "--quiet", "--no-deps", "--require-hashes", "-r", str(LOCK)]):
            # in our folder: the current one's settings of uv or pip are not taken
            subprocess.run(words, check=True, cwd=ROOT)  # noqa: S603 - fixed words
    except subprocess.CalledProcessError:
        shutil.rmtree(making, ignore_errors=True)
        raise
    site = next(making.glob("lib/python*/site-packages"))
    (site / "extraction-bot.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    try:
        making.rename(folder)
    except OSError:  # another step was faster
        shutil.rmtree(making)


def say(what: str, code: int) -> int:
    """One line on standard error, and an annotation where GitHub Actions listens; the code."""
    sys.stderr.write(f"error: {what}\n")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        sys.stdout.write(f"::error::{what}\n")
    return code


def main() -> int:
    """Exit code of the bot; 2 when Python is too old, 3 when the packages cannot be had."""
    if sys.version_info < MINIMUM:
        wanted = ".".join(map(str, MINIMUM))
        return say(f"Python {sys.version.split()[0]} is older than {wanted}: add setup-python", 2)
    folder = venv_folder(Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()))
    if not folder.exists():
        try:
            install(folder)
        except subprocess.CalledProcessError as error:
            return say(f"{Path(error.cmd[0]).name} could not install {LOCK.name}; see above", 3)
    # -P: the current folder's own `bot` package, if any, is not taken for ours
    python = folder / "bin" / "python"
    words = [str(python), "-P", "-m", "bot", *sys.argv[1:]]
    return subprocess.run(words, check=False).returncode  # noqa: S603 - no shell


if __name__ == "__main__":
    sys.exit(main())
