"""Find the edge counts that changed more than the release as a whole.

Every cell (types and relation) is expected to grow like a typical cell. The typical growth is the median of the cells'
growths, weighted by their edges. Unlike the growth of the sum, the median is not changed by one cell that lost its
edges, however large. The expected range is the expected count e plus or minus 3 standard deviations, with variance
d * e. Counts scatter more than Poisson counts (d = 1), because an article adds several edges at a time. d is estimated
from the cells' own scatter by its median, which outliers do not influence, and limited to [1, 10]: a larger scatter is
not noise, but something that an audit should report.
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
_MEDIAN_OF_CHI_SQUARE = 0.4549  # with one degree of freedom: the median of all z^2 if d = 1


@dataclass(frozen=True, slots=True)
class Move(Record):
    """The change of the number of edges of one relation, or of one relation between two types.

    Attributes:
        head: Type of one end; "" stands for any type.
        relation: The relation.
        tail: Type of the other end; "" stands for any type.
        before: Number of edges in the release compared with.
        after: Number of edges in the audited release.
        added: Number of edges only in the audited release.
        changed: Number of edges with different PMIDs.
        removed: Number of edges only in the release compared with.
        expected: before, multiplied by the typical growth.
        low: Smallest count within 3 standard deviations of the expected one.
        high: Largest count within 3 standard deviations of the expected one.
        z: Distance from the expected count in standard deviations.
        relative: Distance as a share of the expected count (of 1 edge, if fewer are expected).
        outside: Whether the count is not in the range from low to high.
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
    """Return the median of after / before over the cells that existed, weighted by edges; 1 if there were none."""
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
    """Return how each cell of two releases changed.

    Args:
        before: Number of edges by cell in the release compared with.
        after: Number of edges by cell in the audited release.
        flows: Numbers of edges added, changed and removed, each by cell.
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
    """Return the number of edges by relation only, summed over all types."""
    found: Counter[Cell] = Counter()
    for cell, edges in cells.items():
        found[Cell("", cell.relation, "")] += edges
    return found


def _dispersion(squares: Sequence[float]) -> float:
    """Return the dispersion d, from the cells' squared distances, each divided by its expected count."""
    scatter = median_low(squares) / _MEDIAN_OF_CHI_SQUARE if squares else 1.0
    return min(max(scatter, 1.0), _MOST_DISPERSED)
