"""What every rule returns: a status with its reasons, never a bare bool."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "fail"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`status` with the sentences that explain it, the most important first."""

    status: Status
    reasons: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return self.status == "pass"

    @property
    def exit_code(self) -> int:
        """0 for pass, 1 for fail (CONTRACTS section 11)."""
        return 0 if self.ok else 1
