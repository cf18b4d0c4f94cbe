"""What paths say about a claim: support, contradiction, and what has no sign.

Numbers are named for what they are: `sum` of path products passes 1 and is no probability; `max` is the strongest
path alone; `noisy_or` is the chance that at least one path holds, if paths were independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from fuzzygraph.paths.between import Pooled, best_routes, pooled
from fuzzygraph.paths.lanes import ALIKE, CHANNELS, SIGNS, Lanes
from groundwork import chance
from groundwork.polarity import Sign
from groundwork.records import Record

Aggregate = Literal["noisy_or", "max", "sum"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
Contradicting = Literal["signed", "inverted"]
CONTRADICTING: tuple[Contradicting, ...] = get_args(Contradicting)
#: Flag of a measured claim about which little is known, and the noisy-or of its larger side below which it is set.
THIN, ENOUGH = "thin", 0.5
Status = Literal["measured", "no_evidence", "unlinked", "no_triple"]


@dataclass(frozen=True, slots=True)
class Amount(Record):
    """Path probabilities put together in three named ways."""

    sum: float = 0.0
    max: float = 0.0
    noisy_or: float = 0.0

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
    lanes: Lanes,
    head: str,
    tail: str,
    hops: int,
    *,
    claim: Sign,
    negated: bool = False,
    contradiction: Contradicting = "signed",
    limit: int = 20,
) -> Evidence:
    """Put every path between two concepts on its side of a claim.

    `signed`: a path of sign s supports a claim of sign s and contradicts one of -s; negation turns the claim round;
    a path of similarity edges alone supports whatever the claim; an unsigned claim is supported by every path
    (negated: contradicted by every other path). `inverted`: every path supports by its product of p and
    contradicts by its product of 1 - p (paper B, 6.5), whatever claim and signs say.

    Args:
        lanes: What the paths run on.
        head: The claim's subject.
        tail: Its object.
        hops: Longest path, 1 to 4.
        claim: The claim's sign before negation; 0 for an unsigned claim.
        negated: Whether the claim is denied.
        contradiction: Which of the two ways.
        limit: How many paths to list, likeliest first; ties by length, then keys, then kinds.
    """
    paths = pooled(lanes, head, tail, hops)
    sides: tuple[int, ...] = (1,) * CHANNELS
    if contradiction == "signed":
        sides = _sides(-claim if negated else claim, negated)
    support, against, unsigned = (_side(paths, sides, side) for side in (1, -1, 0))
    if contradiction == "inverted":
        against = _side(pooled(lanes.inverted(), head, tail, hops), sides, 1)
    named = {1: "support", -1: "contradiction", 0: "unsigned"}
    shown = tuple(
        Path(route.keys, route.probability, SIGNS[route.channel] or None, route.kinds, named[sides[route.channel]])
        for route in best_routes(lanes, head, tail, hops, limit)
    )
    return Evidence(shown, paths.count, support, against, unsigned)


def score(evidence: Evidence, aggregate: Aggregate = "noisy_or") -> Score:
    """P_net, HRS and strength of weighed evidence; nothing on either side is no evidence, not a risk of 1."""
    support, against = evidence.support.by(aggregate), evidence.contradiction.by(aggregate)
    if not support + against > 0.0:
        return Score(None, None, None, "no_evidence")
    net = chance.net(support, against)
    strength = evidence.support.noisy_or * (1.0 - evidence.contradiction.noisy_or)
    return Score(net, 1.0 - net, strength, "measured")


def thin(evidence: Evidence) -> bool:
    """Return whether so little is known, for and against, that HRS tells little: two paths of 0.27 give HRS 0."""
    return max(evidence.support.noisy_or, evidence.contradiction.noisy_or) < ENOUGH


def _sides(claim: int, negated: bool) -> tuple[int, ...]:
    """1 for support, -1 for contradiction, 0 for unsigned, of each channel of paths."""
    denied = -1 if negated else 1
    sides = tuple(sign * claim if claim else denied for sign in SIGNS)
    return tuple(1 if channel == ALIKE else side for channel, side in enumerate(sides))


def _side(paths: Pooled, sides: Sequence[int], side: int) -> Amount:
    """The paths of all channels on a side, put together."""
    chosen = [channel for channel in range(CHANNELS) if sides[channel] == side]
    return Amount(
        float(sum(paths.sum[chosen])),
        float(max(paths.max[chosen], default=0.0)),
        chance.noisy_or(paths.noisy_or[chosen].tolist()),
    )
