"""Select the edges that paths may use and compute their probabilities: the lanes between concepts.

Each pair of neighbouring concepts has at most one *lane* per sign: the most probable positive, negative and unsigned
edge between them. A lane's *channel* says how the lane changes the sign of a path, and whether the lane is a similarity
edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fuzzygraph.membership import Membership
from groundwork import chance
from groundwork.network import Bools, Floats, Ints, Network
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, relation_sign
from groundwork.walks import Arcs, Signs

#: Channels of lanes and paths: negative, unsigned, positive by at least one relation, positive by similarity alone.
NEGATIVE, UNSIGNED, POSITIVE, ALIKE = range(4)
CHANNELS = 4
SIGNS: tuple[int, ...] = (-1, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class Weights:
    """Parameters of the probability of an edge.

    Attributes:
        membership: The form of the membership mu.
        alpha: Factor by which mu is multiplied to give the probability of a similarity edge, in (0, 1]. It is also the
            probability of `contradicts` edges.
        tau_min: Minimum belief of a relation edge, and minimum mu of a similarity edge (mu is not multiplied by alpha
            for this test). `contradicts` edges are always used, because their weight without alpha is 1.
        syst: Systematic error in belief.
        rand: Random error in belief.
    """

    membership: Membership = field(default_factory=Membership)
    alpha: float = 0.9
    tau_min: float = 0.2
    syst: float = 0.05
    rand: float = 0.3

    def probabilities(self, network: Network) -> Floats:
        """Return the probability of each link; -1 for a link below tau_min.

        With the form `scaled`, mu is the sigmoid of `network.logits` if the network has logits.
        """
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
    """The lanes between concepts (see the module docstring).

    Attributes:
        network: The links from which the lanes were made.
        arcs: The lanes in both directions. The mark of an arc is the channel of its lane.
    """

    network: Network
    arcs: Arcs

    @property
    def keys(self) -> Sequence[str]:
        """The keys of the concepts, in ascending order. Positions of concepts refer to this sequence."""
        return self.network.keys

    def kind(self, arc: int) -> str:
        """Return the kind of edge from which a lane was made, given the index of an arc of the lane."""
        return self.network.kinds[int(self.network.kind[self.arcs.link[arc]])]

    def inverted(self) -> "Lanes":
        """Return the lanes with every probability p replaced by 1 - p (paper B, 6.5). Channels and signs are kept."""
        arcs = self.arcs
        return Lanes(self.network, Arcs(arcs.first, arcs.target, arcs.mark, 1.0 - arcs.weight, arcs.link))


def lanes(network: Network, weights: Weights) -> Lanes:
    """Return the most probable edge of each sign between each pair of concepts. Edges below tau_min are left out.

    If a relation edge and a similarity edge are equally probable, the relation is taken, because it is evidence.
    If several relations are equally probable, the last by name is taken.
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
    """Reduce `chosen` to the most probable link among the chosen links with the same ends and sign.

    Only pairs of concepts with several links are sorted.
    """
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
