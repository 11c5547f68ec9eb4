"""Pairs expected and predicted memories one to one (CONTRACTS section 3).

The assignment is that of the greatest total similarity; of equal ones that with more pairs of equal
label sets; of those the one with the lower indexes. It is solved in whole numbers, so that "equal"
does not depend on the order in which fractions are added.

rustworkx solves it and not SciPy: 7 MB instead of 113, a hundredth of a second to import instead
of 0.4, and integer weights of 128 bits, which hold all three criteria where a float cannot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bot.evaluation.contradictions import Claims, find_contradiction
from bot.evaluation.text import Text, read_text, text_similarity

DEFAULT_THRESHOLD: Final = 0.55
_UNITS: Final = 10**9  # a similarity is compared to nine decimal places
# rustworkx's weights have 128 bits with the sign, and it adds up a few of them on its way
_WEIGHT_BITS: Final = 120


class Labelled(Protocol):
    """What can be paired: a text, and the labels that decide between equal texts."""

    @property
    def content(self) -> str: ...

    @property
    def labels(self) -> frozenset[Any]: ...


Edges = dict[tuple[int, int], int]  # allowed (gold, predicted) → similarity in units
HasEqualLabels = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories taken for one fact, by their indexes; `similarity` is a fraction."""

    gold: int
    predicted: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories alike enough for a pair that cannot both be right; `reason` in words."""

    gold: int
    predicted: int
    similarity: float
    reason: str


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of a turn in order of the gold memories, and why others are without one."""

    pairs: tuple[Pair, ...]
    contradictions: tuple[Contradiction, ...]


def _units(fraction: float) -> int:
    return round(fraction * _UNITS)


def _components(edges: Edges) -> list[Edges]:
    """Parts of the graph of allowed pairs that share no memory; each is solved on its own."""
    by_node: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for gold, predicted in edges:
        joined = by_node.get(("gold", gold), set()) | by_node.get(("predicted", predicted), set())
        joined.add((gold, predicted))
        for g, p in joined:
            by_node["gold", g] = by_node["predicted", p] = joined
    parts = {id(part): part for part in by_node.values()}
    return [{edge: edges[edge] for edge in sorted(part)} for part in parts.values()]


def _solve_exactly(edges: Edges, has_equal_labels: HasEqualLabels) -> list[tuple[int, int]]:
    """The assignment of one component, all three criteria in one whole number an edge.

    The lower index is a digit a row: the earlier row counts more, the lower column is the greater
    digit. Ten rows of ten take 78 of the 120 bits. Where rows are too many for one number, the
    pairs of the first ones are settled and the rest is solved again.
    """
    settled: list[tuple[int, int]] = []
    while edges:
        rows = sorted({gold for gold, _ in edges})
        columns = sorted({predicted for _, predicted in edges})
        most_pairs = min(len(rows), len(columns))
        base = len(columns) + 1
        # a total is under _UNITS · most_pairs · (most_pairs + 1), times the digits of the rows
        total_bits = (2 * _UNITS * (most_pairs + 1) ** 2).bit_length()
        rows_at_once = max(1, (_WEIGHT_BITS - total_bits) // base.bit_length())
        now = rows[:rows_at_once]
        place = {row: base ** (len(now) - 1 - i) for i, row in enumerate(now)}
        digit = {column: len(columns) - i for i, column in enumerate(columns)}
        weights = {
            (gold, predicted): (similarity * (most_pairs + 1) + has_equal_labels(gold, predicted))
            * base ** len(now)
            + place.get(gold, 0) * digit[predicted]
            for (gold, predicted), similarity in edges.items()
        }
        pairs = [pair for pair in _heaviest_matching(weights) if pair[0] in place]
        settled += pairs
        taken = {predicted for _, predicted in pairs}
        edges = {
            (gold, predicted): similarity
            for (gold, predicted), similarity in edges.items()
            if gold not in place and predicted not in taken
        }
    return settled


def _heaviest_matching(weights: Edges) -> list[tuple[int, int]]:
    import rustworkx

    graph: rustworkx.PyGraph[tuple[str, int], int] = rustworkx.PyGraph()
    gold = {i: graph.add_node(("gold", i)) for i in sorted({g for g, _ in weights})}
    predicted = {i: graph.add_node(("predicted", i)) for i in sorted({p for _, p in weights})}
    graph.add_edges_from([(gold[g], predicted[p], w) for (g, p), w in weights.items()])
    matching = rustworkx.max_weight_matching(graph, weight_fn=lambda weight: weight)
    return [
        (graph[min(ends)][1], graph[max(ends)][1])  # gold nodes were added first
        for ends in matching
    ]


def _assign(edges: Edges, has_equal_labels: HasEqualLabels) -> list[tuple[int, int]]:
    """The best assignment over the allowed pairs, in order of the gold memories."""

    def rank(edge: tuple[int, int]) -> tuple[int, bool, int, int]:
        return edges[edge], has_equal_labels(*edge), -edge[0], -edge[1]

    # Where the best of every row is another column's, no assignment can be better in any
    # criterion; in almost every turn this is all there is to do.
    best: dict[int, tuple[int, int]] = {}
    for edge, similarity in edges.items():
        known = best.get(edge[0])
        if known is not None and similarity == edges[known]:
            best[edge[0]] = max(known, edge, key=rank)  # labels are read for ties only
        elif known is None or similarity > edges[known]:
            best[edge[0]] = edge
    if len({predicted for _, predicted in best.values()}) == len(best):
        return sorted(best.values())
    pairs: list[tuple[int, int]] = []
    for part in _components(edges):
        if len({predicted for _, predicted in part}) == 1:
            pairs.append(max(part, key=rank))
        else:
            pairs += _solve_exactly(part, has_equal_labels)
    return sorted(pairs)


def assign(
    similarities: Sequence[Sequence[float]],
    equal_labels: Sequence[Sequence[bool]],
    threshold: float,
) -> tuple[tuple[int, int], ...]:
    """The best one-to-one assignment as (gold, predicted) indexes, in order.

    `similarities[gold][predicted]` is a fraction; 0 or under `threshold` means not allowed. Of the
    assignments over the allowed pairs: the greatest total similarity, then the most pairs with
    `equal_labels`, then the smallest list of pairs.
    """
    least = max(_units(threshold), 1)
    edges = {
        (gold, predicted): units
        for gold, row in enumerate(similarities)
        for predicted, fraction in enumerate(row)
        if (units := _units(fraction)) >= least
    }
    return tuple(_assign(edges, lambda gold, predicted: equal_labels[gold][predicted]))


def pair_memories(
    gold: Sequence[Labelled],
    predicted: Sequence[Labelled],
    *,
    threshold: float = DEFAULT_THRESHOLD,
    allow_contradictions: bool = False,
) -> Pairing:
    """Pair the memories of one turn, or whatever else has a text and labels.

    `threshold`: the least similarity (a fraction) of a pair. Pairs under it are taken out before
    the assignment is solved, and so are pairs that contradict each other, unless
    `allow_contradictions`; `contradictions` lists those that left both memories without a pair.

    Whether a pair contradicts is asked only once the assignment would take it, and then the rest is
    solved again. This is exact: an assignment that is best among more pairs, and takes none of
    those that fall away, is best without them.
    """
    if not gold or not predicted:
        return Pairing((), ())
    gold_texts = [read_text(memory.content) for memory in gold]
    predicted_texts = [read_text(memory.content) for memory in predicted]
    least = max(_units(threshold), 1)
    cutoff = (least - 1) / _UNITS  # not closer: the float of a threshold is not the threshold
    similarities: dict[tuple[int, int], float] = {}
    edges: Edges = {}
    for i, gold_text in enumerate(gold_texts):
        for j, predicted_text in enumerate(predicted_texts):
            fraction = text_similarity(gold_text, predicted_text, cutoff)
            if fraction > cutoff and (units := _units(fraction)) >= least:
                similarities[i, j] = fraction
                edges[i, j] = units
    judge = None if allow_contradictions else _Judge(gold_texts, predicted_texts, similarities)
    found: dict[tuple[int, int], Contradiction] = {}
    while True:
        pairs = _assign(edges, lambda i, j: gold[i].labels == predicted[j].labels)
        clashes = [clash for pair in pairs if judge and (clash := judge.contradiction(pair))]
        if not clashes:
            break
        for clash in clashes:
            found[clash.gold, clash.predicted] = clash
            del edges[clash.gold, clash.predicted]
    paired_gold = {i for i, _ in pairs}
    paired_predicted = {j for _, j in pairs}
    return Pairing(
        tuple([Pair(i, j, similarities[i, j]) for i, j in pairs]),
        tuple(
            clash
            for (i, j), clash in sorted(found.items())
            if i not in paired_gold and j not in paired_predicted
        ),
    )


class _Judge:
    """Finds contradictions of single pairs; reads what a text claims once."""

    def __init__(
        self,
        gold: list[Text],
        predicted: list[Text],
        similarities: dict[tuple[int, int], float],
    ) -> None:
        self._texts = {"gold": gold, "predicted": predicted}
        self._similarities = similarities
        self._known: dict[tuple[str, int], Claims] = {}

    def _claims(self, side: str, index: int) -> Claims:
        known = self._known.get((side, index))
        if known is None:
            known = self._known[side, index] = Claims(self._texts[side][index])
        return known

    def contradiction(self, pair: tuple[int, int]) -> Contradiction | None:
        fraction = self._similarities[pair]
        if fraction == 1.0:  # equal texts
            return None
        reason = find_contradiction(
            self._claims("gold", pair[0]), self._claims("predicted", pair[1])
        )
        return None if reason is None else Contradiction(*pair, fraction, reason)
