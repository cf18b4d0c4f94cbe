"""The limits of an audit: how much a release may lose, grow and change before a person must check it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING

from groundwork.errors import InputError
from groundwork.records import Record
from ingest.rejects import visible

if TYPE_CHECKING:  # the command line reads the defaults here without the libraries that counting needs
    from ingest.audit.movement import Move, Movement


@dataclass(frozen=True, slots=True)
class Limits(Record):
    """The limits of an audit. All but the last are shares; a value equal to its limit passes.

    Attributes:
        max_lost_edges: Share of the previous edges that may be lost.
        max_lost_concepts: Share of the previous concepts that may be lost.
        max_growth: Share by which the number of edges may rise or fall.
        max_move: Share by which a relation, or a relation between two types, may differ from its expected count, if it
            differs by at least `min_edges`. At the defaults a count of independent edges differs so much by chance only
            if that is 4.5 standard deviations (100 of 500), so chance needs no model of its own.
        max_reject_share: Share of the rows read that may be rejected.
        max_hub_share: Share of all edges that may belong to one concept, if it has at least `min_edges` edges.
        min_edges: With fewer edges than this, `max_move` and `max_hub_share` do not apply.

    Raises:
        InputError: If a limit is negative or not a finite number.
    """

    max_lost_edges: float = 0.05
    max_lost_concepts: float = 0.02
    max_growth: float = 0.5
    max_move: float = 0.2
    max_reject_share: float = 0.01
    max_hub_share: float = 0.05
    min_edges: int = 100

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isfinite(value) or value < 0:
                raise InputError(f"{option(field.name)} {value}", "a finite number, 0 or more", "correct the value")


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One limit, and whether the release is within it.

    Attributes:
        name: What is limited, in words.
        option: The option that sets the limit.
        value: The measured value, the largest if there are several; null if there is nothing to measure.
        limit: The largest value that passes.
        passed: Whether the value is within the limit.
        culprits: What exceeded the limit, largest first; empty if the value alone says it.
    """

    name: str
    option: str
    value: float | None
    limit: float
    passed: bool
    culprits: tuple[str, ...] = ()

    def __str__(self) -> str:
        value = "not measured" if self.value is None else f"{self.value:.4g}"
        culprits = f": {'; '.join(self.culprits)}" if self.culprits else ""
        return f"{self.name} {value}, limit {self.limit:.4g} ({self.option}){culprits}"


def option(field: str) -> str:
    """Return the option that sets a limit."""
    return "--" + field.replace("_", "-")


def judge(
    limits: Limits, edges: int, rejected: float, hubs: Sequence[tuple[str, int]], movement: "Movement | None"
) -> tuple[Check, ...]:
    """Compare a release with the limits.

    Args:
        limits: The limits.
        edges: Number of edges of the release.
        rejected: Share of its rows that were rejected.
        hubs: Concepts with the highest degrees, and the degrees, in descending order.
        movement: How it differs from another release; None if there is none to compare with.
    """
    large = [(visible(key), degree / max(edges, 1)) for key, degree in hubs if degree >= limits.min_edges]
    far: list[tuple[str, float]] | None = None
    if movement is not None:
        far = [
            (_told(move), abs(move.relative))
            for move in (*movement.relations, *movement.pairs)
            if abs(move.after - move.expected) >= limits.min_edges
        ]
    return (
        _check(limits, "rejected rows", "max_reject_share", rejected),
        _worst(limits, "largest hub", "max_hub_share", large or None),
        _check(limits, "lost edges", "max_lost_edges", movement.lost_edge_share if movement else None),
        _check(limits, "lost concepts", "max_lost_concepts", movement.lost_concept_share if movement else None),
        _check(limits, "growth", "max_growth", abs(movement.growth - 1) if movement else None),
        _worst(limits, "unexpected movement", "max_move", far),
    )


def _check(limits: Limits, name: str, field: str, value: float | None) -> Check:
    limit = getattr(limits, field)
    return Check(name, option(field), value, limit, value is None or value <= limit)


def _worst(limits: Limits, name: str, field: str, values: list[tuple[str, float]] | None) -> Check:
    """Return the check of the largest of several named values; None means that there is nothing to measure."""
    limit = getattr(limits, field)
    if values is None:
        return Check(name, option(field), None, limit, True)
    broken = sorted(((value, what) for what, value in values if value > limit), key=lambda one: (-one[0], one[1]))
    worst = max((value for _, value in values), default=0.0)
    return Check(name, option(field), worst, limit, not broken, tuple(what for _, what in broken))


def _told(move: "Move") -> str:
    cell = " ".join(part for part in (move.head, move.relation, move.tail) if part)
    return f"{cell} has {move.after} edges, {move.expected:.0f} expected"
