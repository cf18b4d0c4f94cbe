"""What paths say about a claim: support, contradiction, and what has no sign.

Numbers are named for what they are: `sum` of path products passes 1 and is no probability; `max` is the strongest
path alone; `noisy_or` is the chance that at least one path holds, if paths were independent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from fuzzygraph.paths import Floats, Lanes, Paths, Signs
from groundwork import chance
from groundwork.polarity import Sign
from groundwork.records import Record

Aggregate = Literal["noisy_or", "max", "sum"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
Contradicting = Literal["signed", "inverted"]
CONTRADICTING: tuple[Contradicting, ...] = get_args(Contradicting)
Status = Literal["measured", "no_evidence", "unlinked", "no_triple"]


@dataclass(frozen=True, slots=True)
class Amount(Record):
    """Path probabilities put together in three named ways."""

    sum: float = 0.0
    max: float = 0.0
    noisy_or: float = 0.0

    @classmethod
    def of(cls, pool: chance.Pool) -> "Amount":
        """What a pool has taken in."""
        return cls(pool.sum, pool.max, pool.noisy_or)

    def by(self, aggregate: Aggregate) -> float:
        """The number of that name."""
        return {"sum": self.sum, "max": self.max, "noisy_or": self.noisy_or}[aggregate]


@dataclass(frozen=True, slots=True)
class Path(Record):
    """A path as it is shown.

    Attributes:
        keys: Concepts from subject to object.
        probability: Product of its edge probabilities.
        sign: 1, -1, or None when an edge has no sign.
        kinds: What joins each two concepts: a relation, `similar_to` or `contradicts`.
        side: `support`, `contradiction` or `unsigned`, for the claim at hand.
    """

    keys: tuple[str, ...]
    probability: float
    sign: int | None
    kinds: tuple[str, ...]
    side: str


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """All paths between two concepts, weighed for one claim."""

    paths: tuple[Path, ...] = ()
    paths_total: int = 0
    support: Amount = field(default_factory=Amount)
    contradiction: Amount = field(default_factory=Amount)
    unsigned: Amount = field(default_factory=Amount)


@dataclass(frozen=True, slots=True)
class Score(Record):
    """The numbers of one claim; None unless measured.

    Attributes:
        p_net: Ps / (Ps + Pc + 1e-12) by the aggregate asked for.
        hrs: Hallucination risk score, 1 - p_net.
        strength: Ps (1 - Pc) by noisy-or: small where little is known, which p_net does not tell.
        status: Whether there was anything to measure.
    """

    p_net: float | None
    hrs: float | None
    strength: float | None
    status: Status


def weigh(
    blocks: Iterable[Paths],
    lanes: Lanes,
    *,
    claim: Sign,
    negated: bool = False,
    contradiction: Contradicting = "signed",
    limit: int = 20,
) -> Evidence:
    """Put every path on its side of a claim.

    `signed`: a path of sign s supports a claim of sign s and contradicts one of -s; negation turns the claim round;
    a path of similarity edges alone supports a signed claim whatever its sign; an unsigned claim is supported by
    every path (negated: contradicted by every path). `inverted`: every path supports by its product of p and
    contradicts by its product of 1 - p (paper B, 6.5), whatever claim and signs say.

    Args:
        blocks: Simple paths, shorter ones first.
        lanes: What they run on.
        claim: The claim's sign before negation; 0 for an unsigned claim.
        negated: Whether the claim is denied.
        contradiction: Which of the two ways.
        limit: How many paths to list, likeliest first; ties in the order of the walk.
    """
    support, against, unsigned = chance.Pool(), chance.Pool(), chance.Pool()
    shown = _Best(lanes, limit)
    total = 0
    for paths in blocks:
        probabilities = paths.edges.prod(axis=1)
        total += len(paths)
        if contradiction == "inverted":
            support.add(probabilities)
            against.add((1.0 - paths.edges).prod(axis=1))
            sides = np.ones(len(paths), dtype=np.int8)
        else:
            sides = _sides(paths, -claim if negated else claim, negated)
            support.add(probabilities[sides == 1])
            against.add(probabilities[sides == -1])
            unsigned.add(probabilities[sides == 0])
        shown.add(paths, probabilities, sides)
    return Evidence(shown.paths(), total, Amount.of(support), Amount.of(against), Amount.of(unsigned))


def score(evidence: Evidence, aggregate: Aggregate = "noisy_or") -> Score:
    """P_net, HRS and strength of weighed evidence; nothing on either side is no evidence, not a risk of 1."""
    support, against = evidence.support.by(aggregate), evidence.contradiction.by(aggregate)
    if not support + against > 0.0:
        return Score(None, None, None, "no_evidence")
    net = chance.net(support, against)
    strength = evidence.support.noisy_or * (1.0 - evidence.contradiction.noisy_or)
    return Score(net, 1.0 - net, strength, "measured")


def _sides(paths: Paths, claim: int, negated: bool) -> Signs:
    """1 for support, -1 for contradiction, 0 for unsigned, a path each."""
    if claim == 0:
        return np.full(len(paths), -1 if negated else 1, dtype=np.int8)
    sides: Signs = paths.signs.prod(axis=1, dtype=np.int8) * np.int8(claim)
    sides[np.all(paths.similar, axis=1)] = 1
    return sides


class _Best:
    """The likeliest paths so far. Later paths never displace equally likely earlier ones."""

    def __init__(self, lanes: Lanes, limit: int) -> None:
        self._lanes = lanes
        self._limit = limit
        self._kept: list[tuple[float, Path]] = []

    def add(self, paths: Paths, probabilities: Floats, sides: Signs) -> None:
        """Look through one block."""
        rounded = _twelve_digits(probabilities)
        full = len(self._kept) >= self._limit
        rows = np.flatnonzero(rounded > (self._kept[-1][0] if full and self._kept else -1.0))
        rows = rows[np.argsort(-rounded[rows], kind="stable")[: self._limit]]
        self._kept += [(float(rounded[row]), self._path(paths, int(row), probabilities, sides)) for row in rows]
        self._kept = sorted(self._kept, key=lambda kept: -kept[0])[: self._limit]

    def paths(self) -> tuple[Path, ...]:
        """Likeliest first."""
        return tuple(path for _, path in self._kept)

    def _path(self, paths: Paths, row: int, probabilities: Floats, sides: Signs) -> Path:
        keys = tuple(self._lanes.keys[node] for node in paths.nodes[row])
        signs = [int(sign) for sign in paths.signs[row]]
        steps = zip(keys, keys[1:], signs, strict=False)
        kinds = tuple(self._lanes.kinds[min(a, b), max(a, b), sign] for a, b, sign in steps)
        sign = int(np.prod(signs))
        side = {1: "support", -1: "contradiction", 0: "unsigned"}[int(sides[row])]
        return Path(keys, float(probabilities[row]), sign or None, kinds, side)


def _twelve_digits(values: Floats) -> Floats:
    """Positive numbers rounded to 12 significant digits, so that ties do not hang on the order of a product."""
    scale = 10.0 ** (11 - np.floor(np.log10(np.maximum(values, 1e-290))))
    rounded: Floats = np.round(values * scale) / scale
    return rounded
