"""The limits of an audit: how much a release may lose, grow and move before a person must look."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING

from groundwork.errors import InputError
from groundwork.records import Record
from ingest.rejects import visible

if TYPE_CHECKING:  # the command line reads the defaults here, and needs none of what counting imports
    from ingest.audit.expectation import Move
    from ingest.audit.movement import Movement


@dataclass(frozen=True, slots=True)
class Limits(Record):
    """What an audit lets pass; all but the last are shares, and what is exactly at a limit passes.

    Attributes:
        max_lost_edges: Of the edges before.
        max_lost_concepts: Of the concepts before.
        max_growth: By which the number of edges may rise or fall.
        max_move: By which a relation, or a relation between two types, may be off its expected count, once it is
            outside the expected range by chance and off by `min_edges`.
        max_reject_share: Rejected rows among the rows read.
        max_hub_share: Edges that hold one concept among all edges, once there are `min_edges` of them.
        min_edges: Fewer edges than that break neither of the limits that name it.

    Raises:
        InputError: A limit that is negative or no finite number.
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
                raise InputError(f"{option(field.name)} {value}", "a finite number, 0 or more", "correct it")


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One limit and how the release stands to it.

    Attributes:
        name: What is limited, in words.
        option: The option that sets the limit.
        value: What was measured, the worst where it could be several; null where there is nothing to judge.
        limit: What it may be at most.
        passed: Whether it is not more.
        culprits: What broke it, the worst first; empty where the value says all.
    """

    name: str
    option: str
    value: float | None
    limit: float
    passed: bool
    culprits: tuple[str, ...] = ()

    def __str__(self) -> str:
        value = "nothing to judge" if self.value is None else f"{self.value:.4g}"
        culprits = f": {'; '.join(self.culprits)}" if self.culprits else ""
        return f"{self.name} {value}, limit {self.limit:.4g} ({self.option}){culprits}"


def option(field: str) -> str:
    """The option that sets a limit."""
    return "--" + field.replace("_", "-")


def judge(
    limits: Limits, edges: int, rejected: float, hubs: Sequence[tuple[str, int]], movement: "Movement | None"
) -> tuple[Check, ...]:
    """Hold a release against the limits.

    Args:
        limits: The limits.
        edges: All edges of the release.
        rejected: Share of its rows that were rejected.
        hubs: Concepts with the highest degrees, and these, falling.
        movement: How it differs from another release; None if there is none to compare with.
    """
    large = [(visible(key), degree / max(edges, 1)) for key, degree in hubs if degree >= limits.min_edges]
    far: list[tuple[str, float]] | None = None
    if movement is not None:
        far = [
            (_told(move), abs(move.relative))
            for move in (*movement.relations, *movement.pairs)
            if move.outside and abs(move.after - move.expected) >= limits.min_edges
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
    """The check of the largest of several values, each with what it is of; None where none can be judged."""
    limit = getattr(limits, field)
    if values is None:
        return Check(name, option(field), None, limit, True)
    broken = sorted(((value, what) for what, value in values if value > limit), key=lambda one: (-one[0], one[1]))
    worst = max((value for _, value in values), default=0.0)
    return Check(name, option(field), worst, limit, not broken, tuple(what for _, what in broken))


def _told(move: "Move") -> str:
    cell = " ".join(part for part in (move.head, move.relation, move.tail) if part)
    return f"{cell} has {move.after} edges, {move.low} to {move.high} expected"
