"""The limits of an audit: how much a release may lose, grow and change before a person must check it.

All limits but `EDGES` are shares. A value equal to its limit passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.records import Record
from ingest.rejects import visible

if TYPE_CHECKING:
    from ingest.audit.movement import Move, Movement


#: Share of the previous edges that may be lost.
LOST_EDGES = 0.05
#: Share of the previous concepts that may be lost.
LOST_CONCEPTS = 0.02
#: Share by which the number of edges may rise or fall.
GROWTH = 0.5
#: Share by which the number of edges of a relation, or of a relation between two types, may differ from the expected
#: number. Differences of fewer than `EDGES` edges always pass. If both limits are just reached (100 of 500 edges), the
#: difference is 4.5 standard deviations. So there is no separate test for chance.
MOVE = 0.2
#: Share of the rows read that may be rejected.
REJECTS = 0.01
#: Share of all edges that may belong to one concept, if it has at least `EDGES` edges.
HUB = 0.05
#: `MOVE` applies only to differences of at least this many edges, `HUB` only to concepts with at least this many.
EDGES = 100


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One limit, and whether the release is within it.

    Attributes:
        name: What is limited, in words.
        value: The measured value, the largest if there are several; None if there is nothing to measure.
        limit: The largest value that passes.
        passed: Whether the value is within the limit.
        culprits: The concepts or relations whose values exceed the limit, largest value first. Empty for a check that
            does not measure concepts or relations one by one.
    """

    name: str
    value: float | None
    limit: float
    passed: bool
    culprits: tuple[str, ...] = ()

    def __str__(self) -> str:
        value = "not measured" if self.value is None else f"{self.value:.4g}"
        culprits = f": {'; '.join(self.culprits)}" if self.culprits else ""
        return f"{self.name} {value}, limit {self.limit:.4g}{culprits}"


def judge(
    edges: int, rejected: float, hubs: Sequence[tuple[str, int]], movement: "Movement | None"
) -> tuple[Check, ...]:
    """Compare a release with the limits.

    Args:
        edges: Number of edges of the release.
        rejected: Share of the rows of the release that were rejected.
        hubs: (key, degree) of the concepts with the highest degrees, in descending order.
        movement: The differences from another release; None if there is none to compare with.
    """
    large = [(visible(key), degree / max(edges, 1)) for key, degree in hubs if degree >= EDGES]
    far: list[tuple[str, float]] | None = None
    if movement is not None:
        far = [
            (_told(move), abs(move.relative))
            for move in (*movement.relations, *movement.pairs)
            if abs(move.after - move.expected) >= EDGES
        ]
    return (
        _check("rejected rows", REJECTS, rejected),
        _worst("largest hub", HUB, large or None),
        _check("lost edges", LOST_EDGES, movement.lost_edge_share if movement else None),
        _check("lost concepts", LOST_CONCEPTS, movement.lost_concept_share if movement else None),
        _check("growth", GROWTH, abs(movement.growth - 1) if movement else None),
        _worst("unexpected movement", MOVE, far),
    )


def _check(name: str, limit: float, value: float | None) -> Check:
    return Check(name, value, limit, value is None or value <= limit)


def _worst(name: str, limit: float, values: list[tuple[str, float]] | None) -> Check:
    """Return the check of the largest of several values with names; `values` is None if nothing can be measured."""
    if values is None:
        return Check(name, None, limit, True)
    broken = sorted(((value, what) for what, value in values if value > limit), key=lambda one: (-one[0], one[1]))
    worst = max((value for _, value in values), default=0.0)
    return Check(name, worst, limit, not broken, tuple(what for _, what in broken))


def _told(move: "Move") -> str:
    cell = " ".join(part for part in (move.head, move.relation, move.tail) if part)
    return f"{cell} has {move.after} edges, {move.expected:.0f} expected"
