"""The five labels; the same words as the store's own check constraint (ADR-0063 section 1)."""

from typing import Final, Literal, get_args

Label = Literal["factual", "preference", "behavioral", "episodic", "procedural"]
VALID_LABELS: Final[tuple[Label, ...]] = get_args(Label)
