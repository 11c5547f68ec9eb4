"""Where a run's commit and its workflow run are; only addresses of the known form are links."""

import re
from typing import Final

from bot.history.model import RunEntry

_RUN_URL: Final = re.compile(
    r"(https?://[A-Za-z0-9.:-]+/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+)/actions/runs/[0-9]+(?:/.*)?"
)


def run_link(run: RunEntry) -> str:
    """The workflow run's address; empty when it is none."""
    return run.run_url if _RUN_URL.fullmatch(run.run_url) else ""


def commit_link(run: RunEntry) -> str:
    """The commit's address, by the run's; empty when that is none."""
    found = _RUN_URL.fullmatch(run.run_url)
    return f"{found[1]}/commit/{run.sha}" if found else ""
