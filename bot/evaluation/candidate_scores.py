"""The names of the candidates' gated metrics. Standard library only, as the suites themselves."""

from typing import Final

from bot.candidates.taxonomy import CANDIDATE_KINDS

KIND_ACCURACY: Final = "kind_accuracy"
EVIDENCE_VALIDITY: Final = "evidence_validity"
REFERENCE_VALIDITY: Final = "reference_validity"
CANDIDATE_METRICS: Final[tuple[str, ...]] = (
    *(f"{what}_{kind}" for kind in CANDIDATE_KINDS for what in ("precision", "recall")),
    KIND_ACCURACY,
    EVIDENCE_VALIDITY,
    REFERENCE_VALIDITY,
    "precision_macro",
    "recall_macro",
)
