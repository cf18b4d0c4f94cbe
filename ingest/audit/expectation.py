"""Which counts of edges moved more than the release as a whole.

Expected is that every cell (types and relation) grows as a typical one does. The typical growth is the median of the
cells' growths, each weighing its edges: a cell that is cut off, however large, does not make all others look grown,
as it would if they were held against the growth of the sum. Round the expected count e lies a range of 3 standard
deviations, the variance being d * e: an article brings its edges several at a time, so counts scatter more than
Poisson's (d = 1). d is estimated from the cells' own scatter by its median, which the cells looked for do not sway,
and kept in [1, 10]: what scatters more is not noise, but what an audit is for.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt
from statistics import median_low

from groundwork.records import Record
from ingest.audit.census import Cell

_SIGMAS = 3.0
_MOST_DISPERSED = 10.0
_MEDIAN_OF_CHI_SQUARE = 0.4549  # one degree of freedom: where half of all z^2 lie below, if d = 1


@dataclass(frozen=True, slots=True)
class Move(Record):
    """How the number of edges of one relation, or of one relation between two types, moved.

    Attributes:
        head: Type of one end; "" stands for any.
        relation: The relation.
        tail: Type of the other end; "" stands for any.
        before: Edges in the release compared with.
        after: Edges in the release audited.
        added: Edges only the second has.
        changed: Edges with other PMIDs.
        removed: Edges only the first has.
        expected: before, grown as a typical cell.
        low: The least count that is within 3 standard deviations of that.
        high: The largest.
        z: Distance from the expected count in standard deviations.
        relative: The same as a share of the expected count (of 1 edge, if fewer are expected).
        outside: Whether the count is outside low to high.
    """

    head: str
    relation: str
    tail: str
    before: int
    after: int
    added: int
    changed: int
    removed: int
    expected: float
    low: int
    high: int
    z: float
    relative: float
    outside: bool


def typical_growth(before: Mapping[Cell, int], after: Mapping[Cell, int]) -> float:
    """The median of after / before over the cells that were there, each weighing its edges; 1 if there were none."""
    ratios = sorted((after.get(cell, 0) / edges, edges) for cell, edges in before.items() if edges)
    half, passed = sum(before.values()) / 2, 0
    for ratio, edges in ratios:
        passed += edges
        if passed >= half:
            return ratio
    return 1.0


def moves(
    before: Mapping[Cell, int], after: Mapping[Cell, int], flows: Sequence[Mapping[Cell, int]], growth: float
) -> tuple[tuple[Move, ...], float]:
    """How each cell of two releases moved.

    Args:
        before: Edges by cell in the release compared with.
        after: Edges by cell in the release audited.
        flows: Edges added, changed and removed, by cell.
        growth: The growth expected of every cell.

    Returns:
        The moves, farthest from expectation first, and the dispersion of the cells.
    """
    cells = sorted(before.keys() | after.keys())
    expected = {cell: before.get(cell, 0) * growth for cell in cells}
    distance = {cell: after.get(cell, 0) - expected[cell] for cell in cells}
    dispersion = _dispersion([distance[cell] ** 2 / max(expected[cell], 1.0) for cell in cells])
    found = []
    for cell in cells:
        count, base = after.get(cell, 0), max(expected[cell], 1.0)
        added, changed, removed = (flow.get(cell, 0) for flow in flows)
        deviation = sqrt(dispersion * base)
        low = max(0, ceil(expected[cell] - _SIGMAS * deviation))
        high = floor(expected[cell] + _SIGMAS * deviation)
        found.append(
            Move(
                head=cell.head,
                relation=cell.relation,
                tail=cell.tail,
                before=before.get(cell, 0),
                after=count,
                added=added,
                changed=changed,
                removed=removed,
                expected=expected[cell],
                low=low,
                high=high,
                z=distance[cell] / deviation,
                relative=distance[cell] / base,
                outside=not low <= count <= high,
            )
        )
    return tuple(sorted(found, key=lambda move: (-abs(move.z), move.head, move.relation, move.tail))), dispersion


def summed(cells: Mapping[Cell, int]) -> Mapping[Cell, int]:
    """By relation alone, whatever the types."""
    found: Counter[Cell] = Counter()
    for cell, edges in cells.items():
        found[Cell("", cell.relation, "")] += edges
    return found


def _dispersion(squares: Sequence[float]) -> float:
    """The dispersion d, from the cells' squared distances, each divided by its expected count."""
    scatter = median_low(squares) / _MEDIAN_OF_CHI_SQUARE if squares else 1.0
    return min(max(scatter, 1.0), _MOST_DISPERSED)
