"""The oracle-cassette policy (ADR-0066 section 3, CONTRACTS section 7): facts in, a verdict out.

Oracle-aligned cassettes hold the expected answers: they score the same under any prompt. A pull
request that changes the prompt or the schema therefore has to record a model, or say where every
reviewer sees it that it does not.
"""

import unicodedata
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from pydantic import BaseModel, ConfigDict

from bot.evaluation.manifest import LIVE_RECORDED
from bot.policy.changed_files import ChangedFiles
from bot.policy.marker import ORACLE_OK_MARKER, has_visible_line
from bot.verdict import Status, Verdict

DEFAULT_CONTRACT_PATHS: Final = ("bot/extraction/prompt_v2.py", "bot/extraction/schema.py")
MAX_SHOWN: Final = 5

DRIFT_IN_WORKFLOW = (
    "EXTRACTION_EVAL_ALLOW_PROMPT_DRIFT is used in {places}: it is for local experiments only; "
    "take it out of the workflow"
)
NO_CONTRACT_CHANGE = "neither the prompt nor the schema changed"
LIVE = "the contract changed ({paths}), and the cassettes were recorded live"
EXCEPTION = (
    "the contract changed ({paths}) under {kind} cassettes; the pull request's body carries the "
    f"exception {ORACLE_OK_MARKER}"
)
CHANGED = "the contract changed ({paths}) while the cassettes are {kind}: no model was measured"
INCOMPLETE = "the list of changed files is not complete, so a change of the contract is assumed"
WAYS_OUT = (
    "record the cassettes live, or put the line "
    f"{ORACLE_OK_MARKER} into the pull request's body, on a line of its own"
)


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """What the policy judges; `contract_paths` and `drift_uses` come from the base.

    `cassette_kind` is the head manifest's; None, or an unknown one, counts as oracle-aligned.
    """

    cassette_kind: str | None
    changed: ChangedFiles
    body: str
    contract_paths: tuple[str, ...]
    drift_uses: tuple[str, ...] = ()


class PolicyResult(BaseModel):
    """`policy-result.json`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    status: Status
    reasons: tuple[str, ...]
    contract_changes: tuple[str, ...] = ()
    exception_used: bool = False
    cassette_kind: str | None = None
    changed_files_complete: bool = True

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.status, self.reasons)


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def is_contract_path(path: str, contract_paths: tuple[str, ...]) -> bool:
    """Whether `path` is one of them: itself, by a glob pattern, or below one that ends in /."""
    name = _composed(path)
    for pattern in map(_composed, contract_paths):
        below = pattern.endswith("/") and name.startswith(pattern)
        if name == pattern or below or fnmatchcase(name, pattern):
            return True
    return False


def _listed(names: tuple[str, ...]) -> str:
    more = len(names) - MAX_SHOWN
    shown = ", ".join(names[:MAX_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def judge_oracle_policy(facts: PolicyFacts) -> PolicyResult:
    """Pass, or fail with the files that changed and the two ways out."""
    changes = tuple(
        sorted(path for path in facts.changed.paths if is_contract_path(path, facts.contract_paths))
    )
    is_changed = bool(changes) or not facts.changed.complete
    is_live = facts.cassette_kind == LIVE_RECORDED
    has_exception = is_changed and not is_live and has_visible_line(facts.body)

    words = {
        "paths": _listed(changes) or "assumed",
        "kind": facts.cassette_kind or "of an unknown kind",
    }
    reasons: list[str] = []
    if facts.drift_uses:
        reasons.append(DRIFT_IN_WORKFLOW.format(places=_listed(facts.drift_uses)))
    if is_changed and not is_live and not has_exception:
        reasons += [CHANGED.format(**words)]
        reasons += [] if facts.changed.complete else [INCOMPLETE]
        reasons += [WAYS_OUT]
    status: Status = "fail" if reasons else "pass"
    if not reasons:
        sentence = LIVE if is_live else EXCEPTION
        reasons = [sentence.format(**words) if is_changed else NO_CONTRACT_CHANGE]
    return PolicyResult(
        status=status,
        reasons=tuple(reasons),
        contract_changes=changes,
        exception_used=has_exception,
        cassette_kind=facts.cassette_kind,
        changed_files_complete=facts.changed.complete,
    )
