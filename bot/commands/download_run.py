"""The files that a workflow run uploaded: hostile input, read into memory and bounded."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bot.github.artifact_zip import MAX_ZIP_BYTES, read_artifact
from bot.github.interface import GitHub
from bot.suites import Suite

BESIDE: Final = (
    "latest.json",
    "latest.answers.jsonl",
    "gate-result.json",
    "policy-result.json",
    "comment.md",
)
"""What a run may upload together with the published file."""


def download_run_files(github: GitHub, run_id: int, suite: Suite) -> Mapping[str, bytes] | None:
    """The contents by name of the suite's newest artifact; None when there is none.

    Raises BadInput for a zip that holds anything else than the expected files.
    """
    artifacts = [a for a in github.artifacts(run_id, suite.artifact_name) if not a.expired]
    if not artifacts:
        return None
    newest = max(artifacts, key=lambda artifact: artifact.id)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "artifact.zip"
        github.download_artifact(newest.id, path, MAX_ZIP_BYTES)
        return read_artifact(path, {suite.data_file.name, *BESIDE})
