"""Which edges are walked and how likely each is: the lanes between concepts.

Every pair of neighbouring concepts offers at most one *lane* a sign: the likeliest positive, negative and unsigned
edge between them. A lane's *channel* says what it does to the sign of a path, and whether it is similarity alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fuzzygraph.membership import Membership
from groundwork import chance
from groundwork.arcs import Arcs, Signs
from groundwork.network import Bools, Floats, Ints, Network
from groundwork.polarity import relation_sign
from groundwork.records import Link
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

#: Channels of lanes and of paths: negative, without a sign, positive by some evidence, by similarity alone.
NEGATIVE, UNSIGNED, POSITIVE, ALIKE = range(4)
CHANNELS = 4
SIGNS: tuple[int, ...] = (-1, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class Weights:
    """How likely an edge is.

    Attributes:
        membership: The form of mu.
        alpha: Scale of similarity edges and probability of `contradicts`, in (0, 1].
        tau_min: An edge is walked if its belief, or its mu before alpha, is at least this; `contradicts` always is,
            as its weight before alpha is 1.
        syst: Systematic error in belief.
        rand: Random error in belief.
    """

    membership: Membership = field(default_factory=Membership)
    alpha: float = 0.9
    tau_min: float = 0.2
    syst: float = 0.05
    rand: float = 0.3

    def probability(self, link: Link) -> float | None:
        """Probability of an edge, None if it is too weak to be walked."""
        if link.kind == CONTRADICTS:
            return self.alpha
        if link.kind == SIMILAR_TO:
            mu = self.membership.mu(link.cosine or 0.0)
            return self.alpha * mu if mu >= self.tau_min else None
        belief = chance.belief(link.articles, self.syst, self.rand)
        return belief if belief >= self.tau_min else None

    def probabilities(self, network: Network) -> Floats:
        """The same for all links at once; -1 for one that is too weak. `scaled` goes by logits, where there are any."""
        counts = np.asarray(network.articles)
        table = np.full(int(counts.max(initial=0)) + 1, -1.0)
        for articles in np.flatnonzero(np.bincount(counts)).tolist():
            table[articles] = chance.belief(articles, self.syst, self.rand) if articles else -1.0
        found: Floats = table[counts]
        found[found < self.tau_min] = -1.0
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        if network.logits is not None and self.membership.form == "scaled":
            told = [chance.sigmoid(logit) for logit in network.logits[rows].tolist()]
        else:
            told = [self.membership.mu(cosine) for cosine in network.cosine[rows].tolist()]
        mus = np.array(told, dtype=np.float64)
        found[rows] = np.where(mus >= self.tau_min, self.alpha * mus, -1.0)
        found[network.of_kind(CONTRADICTS)] = self.alpha
        return found


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes between concepts.

    Attributes:
        network: The links they were made of.
        arcs: The lanes both ways round, marked with their channels.
    """

    network: Network
    arcs: Arcs

    @property
    def keys(self) -> Sequence[str]:
        """The concepts, ascending; positions elsewhere are into this."""
        return self.network.keys

    def kind(self, arc: int) -> str:
        """The kind of link behind a lane."""
        return self.network.kinds[int(self.network.kind[self.arcs.link[arc]])]

    def inverted(self) -> "Lanes":
        """The same with 1 - p for every p (paper B, 6.5); a pair's lanes still tell each other apart by channel."""
        arcs = self.arcs
        return Lanes(self.network, Arcs(arcs.first, arcs.target, arcs.mark, 1.0 - arcs.weight, arcs.link))


def lanes(network: Network, weights: Weights) -> Lanes:
    """The likeliest edge of each sign between each two concepts, of those likely enough to be walked.

    Where a relation and a similarity edge of a pair are equally likely, the relation counts: it is evidence; of equally
    likely relations the last by name.
    """
    probability = weights.probabilities(network)
    channels = np.array([_channel(kind) for kind in network.kinds], dtype=np.int8)
    channel: Signs = channels[network.kind] if len(network.kind) else channels[:0]
    chosen = probability >= 0.0
    _likeliest(network, probability, channel, chosen)
    return Lanes(network, Arcs.of(network.wired(), chosen, channel, probability))


def _channel(kind: str) -> int:
    if kind == SIMILAR_TO:
        return ALIKE
    return {-1: NEGATIVE, 0: UNSIGNED, 1: POSITIVE}[relation_sign(kind)]


def _likeliest(network: Network, probability: Floats, channel: Signs, chosen: Bools) -> None:
    """Leave of links with the same ends and sign only one chosen. Few pairs have several, and only these are sorted."""
    a, b = network.a, network.b
    same = (a[1:] == a[:-1]) & (b[1:] == b[:-1])
    several = np.zeros(len(chosen), dtype=bool)
    several[1:] |= same
    several[:-1] |= same
    rows: Ints = np.flatnonzero(several & chosen)
    sign = np.array(SIGNS, dtype=np.int8)[channel[rows]]
    order = np.lexsort((rows, channel[rows] != ALIKE, probability[rows], sign, b[rows], a[rows]))
    rows, sign = rows[order], sign[order]
    beaten = (a[rows][1:] == a[rows][:-1]) & (b[rows][1:] == b[rows][:-1]) & (sign[1:] == sign[:-1])
    chosen[rows[:-1][beaten]] = False
