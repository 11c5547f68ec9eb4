"""Who a run is."""

from dataclasses import dataclass
from typing import Final

MAX_BRANCH_CHARS: Final = 500
MAX_URL_CHARS: Final = 2_000
MAX_RUN_NUMBER: Final = 2**53  # what every reader of JSON takes for a whole number


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Which run of which commit; `sha` is the commit that was evaluated, never a merge commit."""

    sha: str
    branch: str
    run_number: int
    run_url: str
