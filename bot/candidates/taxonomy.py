"""The six kinds of candidates (CONTRACTS section 10). Standard library only, as the suites."""

from typing import Final, Literal, get_args

CandidateKind = Literal[
    "preference", "working_assumption", "constraint", "decision", "open_question", "lesson"
]
CANDIDATE_KINDS: Final[tuple[CandidateKind, ...]] = get_args(CandidateKind)
