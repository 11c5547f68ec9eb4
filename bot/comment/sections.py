"""A comment's body and its sections, pure (CONTRACTS section 8).

One section a suite between its own markers. A suite replaces only its own; sections and text that
this program does not know are kept.
"""

import re
from dataclasses import dataclass
from typing import Final

COMMENT_MARKER: Final = "<!-- extraction-benchmark-bot -->"
MARKER_START: Final = "<!-- extraction-benchmark-bot"
MAX_COMMENT_CHARS: Final = 65_536
"""GitHub's bound on a comment's body."""
MARKERS_CHARS: Final = 1_000
"""What markers, a note on an older commit and the overview take, with room to spare."""

_SECTION: Final = re.compile(
    r"<!-- extraction-benchmark-bot:section name=(?P<name>[\w-]+) sha=(?P<sha>[0-9a-f]*) "
    r"run=(?P<run>\d+) status=(?P<status>pass|fail|none) -->\n"
    r"(?P<text>.*?)\n<!-- extraction-benchmark-bot:end name=(?P=name) -->",
    re.DOTALL,
)
_OLDER: Final = re.compile(r"\A> \[!NOTE\]\n> This section speaks of an older commit[^\n]*\n\n")
_OVERVIEW: Final = re.compile(r"<!-- extraction-benchmark-bot:overview -->\n[^\n]*\n\n?")
_OVERVIEW_ICONS: Final = {"pass": "✅", "fail": "❌", "none": "⚪"}


@dataclass(frozen=True, slots=True)
class Section:
    """`sha` is the head commit it speaks of ("" when unknown), `run_number` its workflow run's."""

    name: str
    sha: str
    run_number: int
    status: str
    text: str


def _with_lf(body: str) -> str:
    """GitHub's web page saves a body with CRLF: after a person's edit, too, it must be read."""
    return body.replace("\r\n", "\n")


def parse_sections(body: str) -> list[Section]:
    return [
        Section(m["name"], m["sha"], int(m["run"]), m["status"], _OLDER.sub("", m["text"]))
        for m in _SECTION.finditer(_with_lf(body))
    ]


def _wrapped(section: Section, head_sha: str) -> str:
    older = bool(head_sha) and section.sha != head_sha
    note = (
        f"This section speaks of an older commit, {section.sha[:7] or 'an unknown one'}, "
        "and does not count in the verdict above."
    )
    text = f"> [!NOTE]\n> {note}\n\n{section.text}" if older else section.text
    return (
        f"<!-- extraction-benchmark-bot:section name={section.name} sha={section.sha} "
        f"run={section.run_number} status={section.status} -->\n{text}\n"
        f"<!-- extraction-benchmark-bot:end name={section.name} -->"
    )


def _overview(sections: list[Section], head_sha: str) -> str:
    """One line over several sections; a section of an older commit does not count in it."""
    if len(sections) < 2:
        return ""
    counted = [s for s in sections if not head_sha or s.sha == head_sha]
    statuses = {section.status for section in counted}
    worst = next((status for status in ("fail", "none", "pass") if status in statuses), "none")
    parts = " · ".join(f"{s.name} {_OVERVIEW_ICONS[s.status]} {s.status}" for s in counted)
    line = f"**{_OVERVIEW_ICONS[worst]} {parts}**"
    return f"<!-- extraction-benchmark-bot:overview -->\n{line}\n\n"


def _supersedes(section: Section, current: Section, head_sha: str) -> bool:
    if section.sha != current.sha and head_sha in (section.sha, current.sha):
        return section.sha == head_sha
    return current.run_number <= section.run_number


def room_beside(body: str | None, name: str) -> int:
    """How many characters (UTF-16 units) the section `name` may have within GitHub's bound."""
    known = _with_lf(body or COMMENT_MARKER)
    rest = _SECTION.sub(lambda m: "" if m["name"] == name else m[0], known)
    return MAX_COMMENT_CHARS - len(rest.encode("utf-16-le", "surrogatepass")) // 2 - MARKERS_CHARS


def merge_bodies(body: str, other: str, head_sha: str) -> str:
    """`body` with those sections of a second comment that it lacks, or that are of newer runs."""
    for section in parse_sections(other):
        body = splice(body, section, head_sha)
    return body


def splice(body: str | None, section: Section, head_sha: str) -> str:
    """`body` with `section` in place of the suite's old one, or added at its end.

    An older run never overwrites a newer run's section, nor a section of another commit one of the
    head's. Text outside the sections is kept; sections of another commit than the head's are
    marked.
    """
    old = _with_lf(body or COMMENT_MARKER + "\n")
    known = {known.name: known for known in parse_sections(old)}
    current = known.get(section.name)
    if current is None or _supersedes(section, current, head_sha):
        known[section.name] = section
    if current is None:
        old = old.rstrip("\n") + "\n" + _wrapped(section, head_sha) + "\n"
    old = _SECTION.sub(lambda match: _wrapped(known[match["name"]], head_sha), old)
    old = _OVERVIEW.sub("", old)
    overview = _overview(list(known.values()), head_sha)
    marker, _, rest = old.partition("\n")
    return f"{marker}\n{overview}{rest}"
