"""uPlot, the chart library of the interactive layer: its code is fetched, checked, never committed.

Standard library only: the wheel's build loads this file by its path.
"""

import base64
import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Final

VERSION: Final = "1.6.32"
INTEGRITY: Final = (
    "KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw=="
)
"""SHA-512 of the package as npm names it, in base64."""

FOLDER: Final = Path(__file__).parent / "_uplot"
FILES: Final = {
    "package/dist/uPlot.iife.min.js": "uPlot.iife.min.js",
    "package/dist/uPlot.min.css": "uPlot.min.css",
    "package/LICENSE": "uPlot-LICENSE.txt",
}
_MAX_BYTES: Final = 2_000_000
_TIMEOUT_SECONDS: Final = 120


def find_uplot(folder: Path = FOLDER) -> tuple[dict[str, bytes], str]:
    """The files by name, and ""; or none, and why. Fetches them once with npm."""
    if not all((folder / name).is_file() for name in FILES.values()):
        npm = shutil.which("npm")
        if npm is None:
            return {}, "npm is not installed"
        try:
            _save(unpack(fetch(npm)), folder)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            return {}, f"npm could not fetch uplot {VERSION} ({type(error).__name__})"
    return {name: (folder / name).read_bytes() for name in FILES.values()}, ""


def fetch(npm: str) -> bytes:
    """The package's archive; raises SubprocessError, OSError."""
    with tempfile.TemporaryDirectory() as folder:
        words = [npm, "pack", "--silent", "--ignore-scripts", f"uplot@{VERSION}"]
        subprocess.run(  # noqa: S603 - fixed words
            words, cwd=folder, check=True, capture_output=True, timeout=_TIMEOUT_SECONDS
        )
        return next(Path(folder).glob("*.tgz")).read_bytes()


def unpack(archive: bytes) -> dict[str, bytes]:
    """The three files of it; raises ValueError when it is not the package that was looked at."""
    found = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if found != INTEGRITY:
        raise ValueError("the archive's hash is not the expected one")
    files = {}
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
        for member, name in FILES.items():
            reader = tar.extractfile(member)
            if reader is None:
                raise ValueError(f"{member} is no file")
            files[name] = reader.read(_MAX_BYTES)
    return files


def _save(files: dict[str, bytes], folder: Path) -> None:
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix="uplot-"))
    for name, data in files.items():
        (making / name).write_bytes(data)
    shutil.rmtree(folder, ignore_errors=True)
    making.rename(folder)
    folder.chmod(0o755)
