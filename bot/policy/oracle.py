"""The oracle-cassette policy (ADR-0066 section 3, CONTRACTS section 7): facts in, a verdict out.

Oracle-aligned cassettes hold the expected answers: they score the same under any prompt. A pull
request that changes the prompt or the schema therefore has to record a model, or say where every
reviewer sees it that it does not.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from pydantic import BaseModel, ConfigDict

from bot.errors import one_line
from bot.evaluation.gold_set import CONVERSATIONS, EXPECTED_PREFIX
from bot.evaluation.manifest import ALLOW_DRIFT_VARIABLE, LIVE_RECORDED, ORACLE_ALIGNED
from bot.policy.changed_files import ChangedFiles
from bot.policy.marker import ORACLE_OK_MARKER, has_visible_line
from bot.verdict import Status, Verdict

DEFAULT_CONTRACT_PATHS: Final = ("bot/extraction/prompt_v2.py", "bot/extraction/schema.py")
MAX_SHOWN: Final = 5  # names in a sentence; `contract_changes` holds them all
MAX_NAME_CHARS: Final = 80

DRIFT_IN_WORKFLOW = (
    f"{ALLOW_DRIFT_VARIABLE} is used in {{places}}: it is for local experiments only; "
    "take it out of the workflow"
)
NO_CONTRACT_CHANGE = "neither the prompt nor the schema changed"
LIVE = "the contract changed ({paths}), and the cassettes were recorded live"
EXCEPTION = (
    "the contract changed ({paths}) under {kind} cassettes; the pull request's body carries the "
    f"exception {ORACLE_OK_MARKER}"
)
CHANGED = "the contract changed ({paths}) while the cassettes are {kind}: no model was measured"
ASSUMED = "assumed: the list of changed files is not complete"
INCOMPLETE = "the list of changed files is not complete, so a change of the contract is assumed"
NOT_VISIBLE = (
    f"the body holds {ORACLE_OK_MARKER}, but not where it counts: in HTML, a comment, code, a "
    "quotation, an unticked task, struck out or within a sentence it is no exception"
)
BOTH_CHANGED = (
    "gold memories changed together with the contract: a changed score is of both; "
    "`extraction-bot explain` tells the parts"
)
WAYS_OUT = (
    "record the cassettes live, or put the line "
    f"{ORACLE_OK_MARKER} into the pull request's body, on a line of its own with a blank line "
    "before and after it"
)
KINDS: Final = {ORACLE_ALIGNED: "oracle-aligned", None: "of an unknown kind"}
UNKNOWN_KIND = "of the unknown kind {kind}"


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """What the policy judges; `contract_paths` and `drift_uses` come from the base.

    `cassette_kind` is the head manifest's; None, or an unknown one, counts as oracle-aligned.
    `gold_set` is its folder's path in the repository; empty when it lies elsewhere.
    """

    cassette_kind: str | None
    changed: ChangedFiles
    body: str
    contract_paths: tuple[str, ...]
    drift_uses: tuple[str, ...] = ()
    gold_set: str = ""


class PolicyResult(BaseModel):
    """`policy-result.json`; names that are not UTF-8 stand in it with escapes."""

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


def is_contract_path(path: str, contract_paths: Iterable[str]) -> bool:
    """Whether `path` is one of them: itself, by a glob pattern, or below one that is a folder.

    Compared in Unicode's composed form: macOS writes names decomposed. A folder around a contract
    path counts too: git lists one only when it is or becomes a submodule or a link. In a pattern,
    `*` also stands for slashes; `.` is the whole repository.
    """
    name = _composed(path)
    for pattern in contract_paths:
        wanted = _composed(pattern).strip("/").removeprefix("./")
        if (
            wanted in ("", ".", name)
            or name.startswith(f"{wanted}/")
            or wanted.startswith(f"{name}/")
            or fnmatchcase(name, wanted)
            or fnmatchcase(name, f"{wanted}/*")
        ):
            return True
    return False


def _composed(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def is_gold_path(path: str, gold_set: str) -> bool:
    """Whether `path` holds conversations, or what is expected of them, of this gold set."""
    folder, _, name = _composed(path).rpartition("/")
    is_gold = name == CONVERSATIONS or name.startswith(EXPECTED_PREFIX)
    return bool(gold_set) and folder == _composed(gold_set).strip("/") and is_gold


def _writable(path: str) -> str:
    """`path` as text that JSON can hold: bytes that are not UTF-8 become escapes."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _listed(names: tuple[str, ...]) -> str:
    """The first of `names` for a sentence; none of them can break its line or hide the others."""
    shown = ", ".join(one_line(name, MAX_NAME_CHARS) for name in names[:MAX_SHOWN])
    more = len(names) - MAX_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def judge_oracle_policy(facts: PolicyFacts) -> PolicyResult:
    """Pass, or fail with the files that changed and the two ways out."""
    patterns = facts.contract_paths or DEFAULT_CONTRACT_PATHS  # no paths must not mean no rule
    changes = tuple(
        sorted(_writable(path) for path in facts.changed.paths if is_contract_path(path, patterns))
    )
    is_changed = bool(changes) or not facts.changed.complete
    needs_exception = is_changed and facts.cassette_kind != LIVE_RECORDED
    has_exception = needs_exception and has_visible_line(facts.body)

    kind = None if facts.cassette_kind is None else one_line(facts.cassette_kind, MAX_NAME_CHARS)
    words = {
        "paths": _listed(changes) or ASSUMED,
        "kind": KINDS.get(kind) or UNKNOWN_KIND.format(kind=repr(kind)),
    }
    faults: list[str] = []
    if facts.drift_uses:
        faults.append(DRIFT_IN_WORKFLOW.format(places=_listed(facts.drift_uses)))
    if needs_exception and not has_exception:
        faults.append(CHANGED.format(**words))
        faults += [] if facts.changed.complete else [INCOMPLETE]
        faults += [NOT_VISIBLE] if ORACLE_OK_MARKER in facts.body else []
        faults.append(WAYS_OUT)
    holds = (EXCEPTION if has_exception else LIVE).format(**words)
    has_gold = any(is_gold_path(path, facts.gold_set) for path in facts.changed.paths)
    also = (BOTH_CHANGED,) if changes and has_gold else ()
    return PolicyResult(
        status="fail" if faults else "pass",
        reasons=(tuple(faults) or (holds if is_changed else NO_CONTRACT_CHANGE,)) + also,
        contract_changes=changes,
        exception_used=has_exception,
        cassette_kind=kind,
        changed_files_complete=facts.changed.complete,
    )
