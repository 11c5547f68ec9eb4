"""Who a run is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Which run of which commit; `sha` is the commit that was evaluated, never a merge commit."""

    sha: str
    branch: str
    run_number: int
    run_url: str
