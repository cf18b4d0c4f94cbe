"""Combine paths into support for a claim, contradiction of it, and evidence without a sign.

Numbers are named by their formula. `sum` adds the probabilities of the paths; the sum can exceed 1 and is not a
probability. `max` is the probability of the strongest path. `noisy_or` is the probability that at least one path holds,
if paths were independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fuzzygraph.lanes import ALIKE, CHANNELS, SIGNS, Lanes
from fuzzygraph.likelihood import Coefficients, Observed, likelihood
from fuzzygraph.options import Aggregate, Contradicting
from fuzzygraph.paths import PathSums, best_routes, pooled
from groundwork import chance
from groundwork.records import Record
from groundwork.vocabulary import Sign

#: `THIN` is the flag of a measured claim with little evidence: its strength is below `ENOUGH`. With the score `paper`,
#: the noisy-or of the supporting paths and that of the contradicting paths are both below `ENOUGH`.
THIN, ENOUGH = "thin", 0.5
Status = Literal["measured", "no_evidence", "unlinked", "no_triple"]


@dataclass(frozen=True, slots=True)
class Amount(Record):
    """Path probabilities aggregated in three ways."""

    sum: float = 0.0
    max: float = 0.0
    noisy_or: float = 0.0

    def by(self, aggregate: Aggregate) -> float:
        """Return the aggregate with this name."""
        return {"sum": self.sum, "max": self.max, "noisy_or": self.noisy_or}[aggregate]


@dataclass(frozen=True, slots=True)
class Path(Record):
    """A path in the form shown to people.

    Attributes:
        keys: Keys of the concepts from subject to object.
        probability: Product of the edge probabilities of the path.
        sign: 1, -1, or None if an edge of the path has no sign.
        kinds: Kind of each edge of the path: a relation, `similar_to` or `contradicts`.
        side: What the path is for the claim: `support`, `contradiction` or `unsigned`.
    """

    keys: tuple[str, ...]
    probability: float
    sign: int | None
    kinds: tuple[str, ...]
    side: str


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """All paths between two concepts, weighed for one claim. `paths` lists only the most probable ones."""

    paths: tuple[Path, ...] = ()
    paths_total: int = 0
    support: Amount = field(default_factory=Amount)
    contradiction: Amount = field(default_factory=Amount)
    unsigned: Amount = field(default_factory=Amount)


@dataclass(frozen=True, slots=True)
class Score(Record):
    """The scores of one claim. They are None unless the status is `measured`.

    Attributes:
        p_net: With the score `calibrated`, p_claim / (p_claim + p_opposite). With the score `paper`,
            Ps / (Ps + Pc + 1e-12), where Ps is the support and Pc the contradiction by the chosen aggregate.
        hrs: Hallucination risk score, 1 - p_net.
        strength: With the score `calibrated`, p_claim + p_opposite. With the score `paper`, Ps (1 - Pc), always by
            noisy-or. It is small if there is little evidence, which p_net does not show.
        status: `measured`, or the reason why nothing was measured.
        p_claim: Probability that the claim holds. This and the following fields are None with the score `paper`.
        p_opposite: Probability that its opposite holds.
        p_none: Probability that neither holds, because there is no relation between the two concepts; 0 for the denial
            of a claim without a sign, which then holds.
        observed: What the three probabilities were computed from.
    """

    p_net: float | None
    hrs: float | None
    strength: float | None
    status: Status
    p_claim: float | None = None
    p_opposite: float | None = None
    p_none: float | None = None
    observed: Observed | None = None


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
    """Divide the paths between two concepts into support for a claim, contradiction of it, and unsigned paths.

    `signed`: a path of sign s supports a claim of sign s and contradicts a claim of sign -s; negation reverses the sign
    of the claim. A path of only similarity edges supports any claim. An unsigned claim is supported by every path. A
    negated unsigned claim is contradicted by every path, except paths of only similarity edges. `inverted`: every path
    counts twice, whatever the signs are (paper B, 6.5). As support it has the product of its edge probabilities p, as
    contradiction the product of 1 - p.

    Args:
        lanes: The edges that paths use, with their probabilities.
        head: Key of the subject of the claim.
        tail: Key of the object of the claim.
        hops: Maximum length of a path in edges, 1 to 4.
        claim: Sign of the claim before negation; 0 for an unsigned claim.
        negated: Whether the claim is denied.
        contradiction: `signed` or `inverted`.
        limit: Maximum number of paths to list, most probable first; ties by length, then keys, then kinds.
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
    """Return P_net, HRS and strength of a claim.

    If support and contradiction are both 0, the status is `no_evidence` and HRS is None. Without this rule HRS would be
    1, because P_net = 0 / (0 + 1e-12) = 0.
    """
    support, against = evidence.support.by(aggregate), evidence.contradiction.by(aggregate)
    if not support + against > 0.0:
        return Score(None, None, None, "no_evidence")
    net = chance.net(support, against)
    strength = evidence.support.noisy_or * (1.0 - evidence.contradiction.noisy_or)
    return Score(net, 1.0 - net, strength, "measured")


def score_calibrated(observed: Observed, coefficients: Coefficients, claim: Sign, *, negated: bool) -> Score:
    """Return the calibrated scores of a claim. The status is `no_evidence` if nothing joins the two concepts."""
    if not observed.there:
        return Score(None, None, None, "no_evidence")
    likely = likelihood(observed, coefficients)
    for_, against = likely.of(claim, negated)
    strength = for_ + against
    none = max(0.0, 1.0 - strength) if claim == 0 and negated else likely.none
    return Score(for_ / strength, against / strength, strength, "measured", for_, against, none, observed)


def thin(evidence: Evidence) -> bool:
    """Return whether there is so little evidence that the HRS of the score `paper` says little.

    For example, two supporting paths with a probability of 0.27 each already give HRS 0.
    """
    return max(evidence.support.noisy_or, evidence.contradiction.noisy_or) < ENOUGH


def _sides(claim: int, negated: bool) -> tuple[int, ...]:
    """Return for each channel of paths (see `lanes`) 1 for support, -1 for contradiction or 0 for unsigned."""
    denied = -1 if negated else 1
    sides = tuple(sign * claim if claim else denied for sign in SIGNS)
    return tuple(1 if channel == ALIKE else side for channel, side in enumerate(sides))


def _side(paths: PathSums, sides: Sequence[int], side: int) -> Amount:
    """Return the aggregates of the paths in all channels whose entry in `sides` is `side`."""
    chosen = [channel for channel in range(CHANNELS) if sides[channel] == side]
    return Amount(
        float(sum(paths.sum[chosen])),
        float(max(paths.max[chosen], default=0.0)),
        chance.noisy_or(paths.noisy_or[chosen].tolist()),
    )
