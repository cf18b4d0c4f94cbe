"""Edges and chains without the articles that were retracted."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from math import prod

from groundwork.digits import twelve
from groundwork.records import Chain, Hop

#: The belief of an edge in so many articles, in [0, 1].
Belief = Callable[[int], float]


def standing(chains: Iterable[Chain], withdrawn: Collection[int], belief: Belief) -> list[Chain]:
    """What is left of chains without retracted articles: one with an edge that no other article reports goes.

    Args:
        chains: Their hops with all their PMIDs.
        withdrawn: PMIDs that do not count.
        belief: That of an edge by its articles.

    Returns:
        The chains that are left, scored by the beliefs that are left (12 significant digits), best first.
    """
    left = [_left(chain, withdrawn, belief) for chain in chains]
    return sorted((chain for chain in left if all(hop.pmids for hop in chain.hops)), key=lambda chain: -chain.score)


def _left(chain: Chain, withdrawn: Collection[int], belief: Belief) -> Chain:
    hops = tuple(_without(hop, withdrawn, belief) for hop in chain.hops)
    return Chain(twelve(prod(hop.belief for hop in hops)), hops)


def _without(hop: Hop, withdrawn: Collection[int], belief: Belief) -> Hop:
    pmids = tuple(pmid for pmid in hop.pmids if pmid not in withdrawn)
    if len(pmids) == len(hop.pmids):
        return hop
    return replace(hop, articles=len(pmids), pmids=pmids, belief=belief(len(pmids)))
