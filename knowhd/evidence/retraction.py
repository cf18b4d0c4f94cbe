"""Remove retracted articles from edges and chains."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from math import prod

from groundwork.digits import twelve
from groundwork.records import Chain, Hop

#: Function from the number of articles of an edge to its belief, in [0, 1].
Belief = Callable[[int], float]


def standing(chains: Iterable[Chain], withdrawn: Collection[int], belief: Belief) -> list[Chain]:
    """Return chains without retracted articles. A chain is dropped if one of its edges has no other article.

    Args:
        chains: The chains; their hops have all their PMIDs.
        withdrawn: PMIDs that do not count.
        belief: Function from the number of articles of an edge to its belief.

    Returns:
        The remaining chains, scored by the remaining beliefs (12 significant digits), best first.
    """
    left = (tuple(_without(hop, withdrawn, belief) for hop in chain.hops) for chain in chains)
    kept = [Chain(twelve(prod(hop.belief for hop in hops)), hops) for hops in left if all(hop.pmids for hop in hops)]
    return sorted(kept, key=lambda chain: -chain.score)


def _without(hop: Hop, withdrawn: Collection[int], belief: Belief) -> Hop:
    pmids = tuple(pmid for pmid in hop.pmids if pmid not in withdrawn)
    if len(pmids) == len(hop.pmids):
        return hop
    return replace(hop, articles=len(pmids), pmids=pmids, belief=belief(len(pmids)))
