"""`candidates list`: a page of the staged candidates, one at a time, and what is no record."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast, get_args

from bot.candidates.bounded import is_uuid7
from bot.candidates.consolidation import FORMATS, CandidateFilter, candidate_views, take_page
from bot.candidates.record import CandidateRecord
from bot.candidates.store import CandidateFault, CandidateStore
from bot.candidates.taxonomy import CandidateKind
from bot.console import Console
from bot.errors import BadInput

MAX_FAULTS_SHOWN: Final = 20


@dataclass(frozen=True)
class ListRequest:
    """The flags as they were given; `None` where one was not."""

    directory: Path
    kind: str | None
    run_id: str | None
    since: str | None
    until: str | None
    form: str
    limit: int
    after: str | None


@dataclass
class _Faults:
    """Counts all of them and keeps the first few."""

    count: int = 0
    first: list[CandidateFault] = field(default_factory=list)

    def without(
        self, entries: Iterable[CandidateRecord | CandidateFault]
    ) -> Iterator[CandidateRecord]:
        for entry in entries:
            if isinstance(entry, CandidateRecord):
                yield entry
                continue
            self.count += 1
            if len(self.first) < MAX_FAULTS_SHOWN:
                self.first.append(entry)

    def tell(self, console: Console) -> None:
        for fault in self.first:
            console.note(f"warning: {fault.name}: {fault.reason}")
        if self.count:
            console.note(f"warning: skipped {self.count}, no valid records")


def _instant(text: str | None, flag: str) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{flag} {text!r} is no date or time",
            next_step="write 2026-10-01 or 2026-10-01T12:00:00Z; without a zone it is UTC",
        ) from error


def _filter(request: ListRequest) -> CandidateFilter:
    kinds = get_args(CandidateKind)
    if request.kind is not None and request.kind not in kinds:
        raise BadInput(f"--kind {request.kind!r} is none of {', '.join(kinds)}")
    if request.run_id is not None and not is_uuid7(request.run_id):
        raise BadInput(f"--run {request.run_id!r} is no UUIDv7 in lower case")
    since, until = _instant(request.since, "--since"), _instant(request.until, "--until")
    if since is not None and until is not None and since >= until:
        raise BadInput("--since is not before --until, so nothing lies between them")
    return CandidateFilter(cast("CandidateKind | None", request.kind), request.run_id, since, until)


def run_candidates_list(request: ListRequest, console: Console) -> int:
    """Print a page and return 0; what was skipped and where to go on is said on standard error.

    Raises BadInput for a flag that cannot be used and a folder that cannot be listed.
    """
    if request.form not in FORMATS:
        raise BadInput(f"--format {request.form!r} is none of {', '.join(FORMATS)}")
    wanted, faults = _filter(request), _Faults()
    entries = CandidateStore(request.directory).entries(request.after, wanted.since)
    page = take_page(candidate_views(faults.without(entries), wanted), request.limit)
    for line in FORMATS[request.form](page):
        console.print_raw(line)
    faults.tell(console)
    if page.more_after is not None:
        console.note(f"more: --after {page.more_after}")
    return 0
