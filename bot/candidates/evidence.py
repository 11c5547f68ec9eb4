"""Whether a candidate's evidence and references lead to something that is there."""

from collections.abc import Mapping

from bot.candidates.extraction import CandidateDraft

Entries = Mapping[int, str]
"""The text of each entry of the stretch, by its index."""


def _folded(text: str) -> str:
    """White space folded: a model breaks lines where it likes."""
    return " ".join(text.split())


def entry_ranges(draft: CandidateDraft) -> list[tuple[int, int]]:
    """Those of its evidence, then those of its references."""
    ranges = [piece.entry_range for piece in draft.evidence]
    ranges += [ref.entry_range for ref in draft.source_refs]
    return [found for found in ranges if found is not None]


def snippet_faults(draft: CandidateDraft, entries: Entries) -> list[str]:
    """Why the evidence does not hold, in words; empty when every excerpt occurs where it says.

    An excerpt occurs when the entries of its range hold it word for word, white space folded;
    without a range any entry will do. A candidate without any excerpt has nothing to show.
    """
    excerpts = [piece for piece in draft.evidence if piece.excerpt is not None]
    if not excerpts:
        return ["no excerpt"]
    faults = []
    for piece in excerpts:
        first, last = piece.entry_range or (min(entries), max(entries))
        texts = [text for index, text in sorted(entries.items()) if first <= index <= last]
        if _folded(piece.excerpt or "") not in _folded("\n".join(texts)):
            faults.append(f"{piece.id} does not occur in entries {first} to {last}")
    return faults


def reference_faults(draft: CandidateDraft, entries: Entries) -> list[str]:
    """Why the references do not hold; empty when every entry range exists in the stretch.

    Ranges stand in source references and in evidence. A candidate without any points nowhere.
    """
    ranges = entry_ranges(draft)
    if not ranges:
        return ["no entry range"]
    first, last = min(entries), max(entries)
    return [
        f"entries {start} to {end} leave {first} to {last}"
        for start, end in dict.fromkeys(ranges)
        if start < first or end > last
    ]
