"""Candidates one at a time, as whoever consolidates judges them (CONTRACTS section 10).

Two records never become one here, however alike: to discard, merge, promote or defer is a later
decision with its reason, for which the Markdown leaves blank lines.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, takewhile
from typing import Final

from bot.candidates.record import (
    CandidateRecord,
    Evidence,
    SourceRef,
    record_to_json_line,
)
from bot.candidates.taxonomy import CandidateKind
from bot.escape import Markdown, escape_code, escape_text, shorten, visible

MAX_TABLE_CLAIM_CHARS: Final = 100
MAX_SHOWN_CHARS: Final = 6_000
"""Of one value in Markdown: the longest text of a record, each character of it shown as an escape
of up to ten. Nothing is cut here, since the record has its own bounds."""


@dataclass(frozen=True)
class CandidateFilter:
    """What to list; None asks for all. `since` is included, `until` is not; both have a zone."""

    kind: CandidateKind | None = None
    run_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def accepts(self, record: CandidateRecord) -> bool:
        """Does the record have this kind and this run, and was it made at `since` or later?"""
        return (
            self.kind in (None, record.kind)
            and self.run_id in (None, record.extract_run_id)
            and (self.since is None or record.created_at >= self.since)
        )

    def is_before_end(self, record: CandidateRecord) -> bool:
        """Was the record made before `until`?"""
        return self.until is None or record.created_at < self.until


@dataclass(frozen=True)
class CandidateView:
    """One candidate, beside the time (UTC, to the second) that only its id says."""

    record: CandidateRecord
    created: str

    @classmethod
    def of(cls, record: CandidateRecord) -> "CandidateView":
        return cls(record, f"{record.created_at:%Y-%m-%dT%H:%M:%SZ}")


@dataclass(frozen=True)
class Page:
    """Some candidates in order of their ids, and the id to go on after when there are more."""

    views: tuple[CandidateView, ...]
    more_after: str | None


def candidate_views(
    records: Iterable[CandidateRecord], wanted: CandidateFilter
) -> Iterator[CandidateView]:
    """The views of the wanted among `records`, which come in order of their ids, one by one.

    Stops at the first record that is too new, since ids sort by time.
    """
    in_time = takewhile(wanted.is_before_end, records)
    return (CandidateView.of(record) for record in in_time if wanted.accepts(record))


def take_page(views: Iterator[CandidateView], limit: int) -> Page:
    """At most `limit` of `views`; looks one further, to say whether there are more."""
    shown = tuple(islice(views, limit))
    is_more = next(views, None) is not None
    return Page(shown, shown[-1].record.id if shown and is_more else None)


def _value(text: str) -> Markdown:
    return escape_text(text, MAX_SHOWN_CHARS)


def _name(text: str) -> Markdown:
    return escape_code(text, MAX_SHOWN_CHARS)


def _entries(entry_range: tuple[int, int]) -> str:
    first, last = entry_range
    return f"entry {first}" if first == last else f"entries {first} to {last}"


def _evidence_line(piece: Evidence) -> str:
    parts = [f"{_name(piece.id)} {_name(piece.kind)}"]
    if piece.entry_range is not None:
        parts.append(_entries(piece.entry_range))
    if piece.summary is not None:
        parts.append(f"summary: {_value(piece.summary)}")
    if piece.excerpt is not None:
        parts.append(f"excerpt: {_value(piece.excerpt)}")
    return "; ".join(parts)


def _reference_line(ref: SourceRef) -> str:
    names = {
        "session": ref.session_id,
        "segment": ref.segment_id,
        "evidence": ref.evidence_id,
        "kind": ref.evidence_kind,
    }
    parts = [f"{what} {_name(name)}" for what, name in names.items() if name is not None]
    if ref.entry_range is not None:
        parts.append(_entries(ref.entry_range))
    if ref.label is not None:
        parts.append(f"label: {_value(ref.label)}")
    if ref.summary is not None:
        parts.append(f"summary: {_value(ref.summary)}")
    return "; ".join(parts)


def _markdown_of(view: CandidateView) -> Iterator[str]:
    record, source = view.record, view.record.source
    yield f"### {record.kind} {_name(record.id)}"
    yield ""
    yield f"- claim: {_value(record.claim)}"
    yield f"- why useful: {_value(record.why_useful)}"
    if record.staleness is not None:
        yield f"- staleness: {_value(record.staleness)}"
    yield f"- created: <code>{view.created}</code>, in run {_name(record.extract_run_id)}"
    yield f"- source: segment {_name(source.segment_id)}, {_entries(source.range)}"
    yield f"- evidence: {len(record.evidence)}"
    yield from (f"  - {_evidence_line(piece)}" for piece in record.evidence)
    yield f"- references: {len(record.source_refs)}"
    yield from (f"  - {_reference_line(ref)}" for ref in record.source_refs)
    yield "- decision:"
    yield "- reason:"
    yield ""


def _markdown(page: Page) -> Iterator[str]:
    for view in page.views:
        yield from _markdown_of(view)


def _table_row(*cells: str) -> str:
    candidate, kind, created, evidence, refs, claim = cells
    return f"{candidate:36}  {kind:18}  {created:20}  {evidence:>8}  {refs:>4}  {claim}"


def _table(page: Page) -> Iterator[str]:
    yield _table_row("ID", "KIND", "CREATED", "EVIDENCE", "REFS", "CLAIM")
    for view in page.views:
        record = view.record
        yield _table_row(
            record.id,
            record.kind,
            view.created,
            str(len(record.evidence)),
            str(len(record.source_refs)),
            shorten(visible(record.claim), MAX_TABLE_CLAIM_CHARS),
        )


def _json_lines(page: Page) -> Iterator[str]:
    return (record_to_json_line(view.record) for view in page.views)


FORMATS: Final[Mapping[str, Callable[[Page], Iterator[str]]]] = {
    "table": _table,
    "markdown": _markdown,
    "jsonl": _json_lines,
}
"""Format → the lines of a page: a line a candidate, everything of each, the whole records."""
