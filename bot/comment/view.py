"""Everything the comment's templates show, ready to print: the template context (CONTRACTS 8).

A plain `str` here is untrusted and escaped by the template environment; `Markdown` is not. The keys
are an interface for a user's own templates and documented in docs/template-context.md.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.comment.cases import CaseChange, CaseGroup, group_cases
from bot.comment.provider_rows import UNDEFINED, percent, points, provider_row, run_label
from bot.comment.trend import trend_facts
from bot.comment.words import SuiteWords
from bot.escape import Markdown, escape_code, escape_text
from bot.evaluation.manifest import ORACLE_ALIGNED
from bot.evaluation.report import Report
from bot.gate.regression import TOLERANCE_PP, Check
from bot.history.model import ProviderEntry, RunEntry
from bot.history.noise import noise_floor_pp
from bot.policy.oracle import PolicyResult

MAX_PROVIDERS: Final = 20
MAX_CHECKS: Final = 60
MAX_REASONS: Final = 10
MAX_LISTED_FAILURES: Final = 5

ICONS: Final = {"pass": "✅", "fail": "❌", "none": "⚪"}
WORDS: Final = {"pass": "PASS", "fail": "FAIL", "none": "no result"}

NO_BASELINE = "No baseline yet: nothing has been published for this suite, so nothing is compared."
NO_RESULT = "No result for this commit: the evaluation did not finish. Its log says why."
PASSES = "All {count} gated metrics are within {limit:g} points of the baseline."
PASSES_CHANCE = (
    "All {count} gated metrics hold by the rule {rule}: {over} fell more than {limit:g} points, "
    "which is within chance."
)
PASSES_IMPROVED = "{count} improved, the best by {best} points."
NO_CHECK = "The gate had nothing to check."

_RUN_URL: Final = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._-]+)+")


@dataclass(frozen=True, slots=True)
class CommentInput:
    """What a section is rendered from; everything but `words` may be untrusted.

    `run` is None when there is no result; `head_sha` is the commit the section must speak of.
    `report` and `base_report` give the cases; `server_url` is the only host that is linked to;
    `note` is a sentence of ours on where the numbers come from. `trend` holds published runs,
    newest first; those that can be compared with `run` are shown as a line. `archived` holds runs
    of the archive: of a live run they tell the noise.
    """

    words: SuiteWords
    run: RunEntry | None
    head_sha: str | None = None
    report: Report | None = None
    base_report: Report | None = None
    policy: PolicyResult | None = None
    server_url: str = "https://github.com"
    note: str = ""
    trend: tuple[RunEntry, ...] = ()
    archived: tuple[RunEntry, ...] = ()


def _is_over(check: Check) -> bool:
    return check.value is not None and check.value > check.limit + TOLERANCE_PP


def _mark(check: Check) -> str:
    if check.ok:
        return "ok, within chance" if _is_over(check) else "ok"
    if check.value is None:
        return "❌ not computable"
    return "❌ over the limit" if _is_over(check) else "❌ beyond chance"


def _check_row(check: Check, seen: str, noise: float | None) -> dict[str, Any]:
    change = None if check.value is None else -check.value
    return {
        "metric": escape_code(check.metric),
        "baseline": percent(check.baseline),
        "current": percent(check.current),
        "change": UNDEFINED if change is None else points(change, check.limit),
        "limit": f"{check.limit:g}",
        "ok": check.ok,
        "mark": _mark(check),
        "seen": seen,
        "noise": UNDEFINED if noise is None else f"±{noise:.2f}",
    }


def _failure(check: Check) -> Markdown:
    name = escape_code(check.metric)
    if check.value is None:
        return Markdown(f"{name} is not computable")
    change = points(-check.value, check.limit).lstrip("−")
    return Markdown(
        f"{name} fell {change} points ({percent(check.baseline)} → {percent(check.current)}, "
        f"limit {check.limit:g})"
    )


def _gate_reasons(run: RunEntry) -> list[Markdown]:
    """Why the gate fails, the worst first; or one sentence that says it holds."""
    checks = run.gate_summary.checks
    failed = sorted(
        (check for check in checks if not check.ok),
        key=lambda check: float("-inf") if check.value is None else -check.value,
    )
    if failed:
        sentences = [_failure(check) for check in failed[:MAX_LISTED_FAILURES]]
        if more := len(failed) - len(sentences):
            sentences.append(Markdown(f"and {more} more of {len(checks)} checks"))
        return sentences
    if not checks or run.status == "fail":
        return [Markdown(NO_CHECK)]
    limit = max(check.limit for check in checks)
    if over := sum(_is_over(check) for check in checks):
        rule = run.gate_summary.rule
        text = PASSES_CHANCE.format(count=len(checks), rule=rule, over=over, limit=limit)
    else:
        text = PASSES.format(count=len(checks), limit=limit)
    sentences = [Markdown(text)]
    improved = [-check.value for check in checks if check.value is not None and check.value < 0]
    if any(round(value, 2) for value in improved):
        best = points(max(improved)).lstrip("+")
        sentences.append(Markdown(PASSES_IMPROVED.format(count=len(improved), best=best)))
    return sentences


def _provider_facts(entry: ProviderEntry, words: SuiteWords) -> dict[str, Any]:
    row = provider_row(entry)
    return {
        "provider": escape_code(row.provider),
        "model": escape_code(row.model),
        "label": row.label,
        "mark": "" if row.status is None else f"{ICONS[row.status]} {WORDS[row.status]}",
        "failures": row.failures,
        "cost": row.cost,
        "latency": row.latency,
        "scores": [row.metrics.get(name, UNDEFINED) for name, _ in words.headlines],
        **{name: row.metrics.get(name, UNDEFINED) for name, _ in words.headlines},
    }


def _label_rows(labels: Sequence[str], run: RunEntry) -> list[dict[str, Any]]:
    counts = {str(name): count for name, count in run.counts.labels.items()} if run.counts else {}
    rows = []
    for label in labels:
        count = counts.get(label)
        rows.append(
            {
                "label": Markdown(label),
                "support": "" if count is None else str(count.tp + count.fn),
                **{
                    kind: percent(run.metrics.get(f"{kind}_{label}"))
                    for kind in ("precision", "recall", "f1")
                },
            }
        )
    return rows


def run_link(run: RunEntry, server_url: str) -> Markdown:
    """A link to the run on the trusted server; any other address is shown as text."""
    name = f"run {run.run_number}" if run.run_number else "local run"
    base = server_url.rstrip("/") + "/"
    if run.run_url.startswith(base) and _RUN_URL.fullmatch(run.run_url):
        return Markdown(f"[{name}]({run.run_url})")
    return Markdown(f"{name} ({escape_code(run.run_url)})" if run.run_url else name)


def _run_facts(run: RunEntry, server_url: str) -> dict[str, Any]:
    return {
        "provider": escape_code(run.provider),
        "model": escape_code(run.model),
        "label": run_label(run),
        "mode": escape_code(run.mode),
        "gold_set": escape_code(run.gold_set),
        "conversation_count": run.conversation_count,
        "commit": escape_code(run.short_sha),
        "sha": escape_code(run.sha),
        "branch": escape_code(run.branch),
        "link": run_link(run, server_url),
        "timestamp": escape_code(run.timestamp),
        "cassette_kind": escape_code(run.cassette_kind or "not recorded"),
        "is_oracle": run.cassette_kind == ORACLE_ALIGNED,
        "prompt_sha256": escape_code(run.prompt_sha256 or "not recorded"),
        "schema_sha256": escape_code(run.schema_sha256 or "not recorded"),
    }


def _policy_facts(policy: PolicyResult) -> dict[str, Any]:
    return {
        "status": policy.status,
        "icon": ICONS[policy.status],
        "word": WORDS[policy.status],
        "reasons": [escape_text(reason, 600) for reason in policy.reasons[:MAX_REASONS]],
    }


def _case_facts(group: CaseGroup, max_rows: int, max_chars: int) -> dict[str, Any]:
    def row(change: CaseChange) -> dict[str, Any]:
        return {
            "conversation": escape_code(change.conversation_id, 80),
            "turn": change.turn_index,
            "what": change.what,
            "expected": change.expected and escape_text(change.expected, max_chars),
            "predicted": change.predicted and escape_text(change.predicted, max_chars),
            "detail": change.detail,
        }

    return {
        "title": Markdown(group.title),
        "count": len(group.changes),
        "rows": [row(change) for change in group.changes[:max_rows]],
        "more": max(0, len(group.changes) - max_rows),
    }


def section_status(data: CommentInput) -> str:
    """ "pass", "fail" or "none": the gate's and the policy's verdict together."""
    if data.policy is not None and data.policy.status == "fail":
        return "fail"
    if data.run is None:
        return "none"
    return data.run.status


def build_context(data: CommentInput, max_case_rows: int, max_case_chars: int) -> dict[str, Any]:
    """The context of the comment's templates, with at most `max_case_rows` rows a case group."""
    run = data.run
    status = section_status(data)
    context: dict[str, Any] = {
        "title": Markdown(data.words.title),
        "label_word": Markdown(data.words.label),
        "gold_word": Markdown(data.words.gold),
        "headlines": [Markdown(head) for _, head in data.words.headlines],
        "status": status,
        "icon": ICONS[status],
        "word": WORDS[status],
        "has_run": run is not None,
        "note": data.note,
        "no_run_reason": NO_RESULT if data.head_sha else NO_BASELINE,
        "head_commit": escape_code(data.head_sha[:7]) if data.head_sha else "",
        "reasons": [],
        "run": {},
        "metrics": [],
        "has_pairs": False,
        "noise_runs": 0,
        "failed": [],
        "labels": [],
        "providers": [],
        "more_providers": 0,
        "was_asked": False,
        "trend": None,
        "policy": None if data.policy is None else _policy_facts(data.policy),
        "case_groups": [
            _case_facts(group, max_case_rows, max_case_chars)
            for group in group_cases(data.report, data.base_report)
        ],
    }
    if run is None:
        return context
    changes = run.gate_summary.changes
    noise_runs, floors = noise_floor_pp(run, data.archived)
    rows = [
        _check_row(check, changes.get(check.metric, ""), floors.get(check.metric))
        for check in run.gate_summary.checks[:MAX_CHECKS]
    ]
    return context | {
        "reasons": _gate_reasons(run),
        "gate_word": WORDS[run.status],
        "gate_icon": ICONS[run.status],
        "run": _run_facts(run, data.server_url),
        "metrics": rows,
        "has_pairs": bool(changes),
        "noise_runs": noise_runs if floors else 0,
        "failed": [row for row in rows if not row["ok"]],
        "labels": _label_rows(data.words.labels, run),
        "providers": [
            _provider_facts(entry, data.words) for entry in run.providers[:MAX_PROVIDERS]
        ],
        "more_providers": max(0, len(run.providers) - MAX_PROVIDERS),
        "was_asked": any(entry.answering for entry in run.providers),
        # details of cases and the trend are what may go when the comment gets too long
        "trend": trend_facts(run, data.trend, data.words) if max_case_chars else None,
    }
