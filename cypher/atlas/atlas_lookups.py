"""Look up links and paths in an atlas: a memory-mapped copy of the graph in a store, in its current state.

A look-up reads the part of the atlas near its concepts, so its cost depends on the size of this part. For many
look-ups, or for concepts with very many links, all links are arranged for traversal once. The answers are equal to
those of the other stores, to the last digit.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import RLock
from time import monotonic

import numpy as np

from cypher.arguments import check_chains, check_hops
from cypher.atlas.atlas import Atlas
from cypher.atlas.layouts import Layout, Layouts
from cypher.lookups import Lookups
from cypher.network import Network, Reach
from cypher.ranking import rounded
from cypher.sketch import sketch
from groundwork.network import ArticleMask
from groundwork.records import Chain, Chains, Hop, Rank
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical
from groundwork.walks import Walk, best_walks


class AtlasLookups(Lookups, ABC):
    """Looks up links and paths in an atlas (a copy of the graph as arrays).

    Args:
        address: Address of the store.
        settings: Constants of belief (`syst`, `rand`), and limits of look-ups; see `Fetches`.
        trusted: Seconds after which the store is asked for its state again.
    """

    def __init__(self, address: str, settings: Settings, trusted: float) -> None:
        super().__init__(address, settings)
        self._trusted = trusted
        self._state, self._asked = "", float("-inf")
        self._layouts: Layouts | None = None
        self._guard = RLock()  # one thread builds the atlas while the others wait for it

    @abstractmethod
    def chart(self, state: str) -> Atlas:
        """Return the atlas of a state of the store.

        Raises:
            StoreBusy: If the store changed while its atlas was built.
        """

    def chains(
        self,
        head: str,
        tail: str,
        *,
        hops: int = 2,
        before: int | None = None,
        limit: int = 32,
        rank: Rank = "evidence",
        pmids: int = 20,
        similar: float | None = None,
        without: ArticleMask | None = None,
    ) -> Chains:
        """See `GraphReader.chains`."""
        check_chains(hops, limit, rank, pmids, similar)
        reach = Reach(before, similar=similar is not None)
        layouts = self._current(without)
        start, end = (self._number(layouts.atlas, key) for key in (head, tail))
        total, found = 0, list[Chain]()
        if start is not None and end is not None and start != end:
            layout = layouts.layout(start, end, hops, reach, rank, similar or 0.0)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            network = layout.region.network
            total, walks = best_walks(layout.arcs, network.number(head), network.number(tail), scales, limit)
            found = [_chain(layouts.atlas, layout, walk, before, pmids) for walk in walks]
        text = sketch(head, tail, hops, replace(reach, without=without), limit, rank, similar, self.settings)
        return Chains(head, tail, tuple(found), total, total > len(found), text)

    def network(
        self,
        head: str,
        tail: str,
        *,
        hops: int = 3,
        before: int | None = None,
        similar: bool = True,
        without: ArticleMask | None = None,
    ) -> Network:
        """See `GraphReader.network`."""
        check_hops(hops)
        layouts = self._current(without)
        start, end = (self._number(layouts.atlas, key) for key in (head, tail))
        if start is None or end is None:
            found = Network.of((), (head, tail))
            return replace(found, degree=np.zeros(len(found.keys), dtype=np.int64))
        return layouts.counted(start, end, hops, Reach(before, similar, contradicts=True))

    def shown(self, keys: Sequence[str], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        atlas, before = self._current(reach.without).atlas, reach.before
        numbers = {number for key in keys if (number := atlas.number(key)) is not None}
        links = atlas.among(np.array(sorted(numbers), dtype=np.int64))
        for link, count in zip(links.tolist(), atlas.articles(links, before).tolist(), strict=True):
            kind = atlas.kinds[atlas.kind[link]]
            if count and kind not in {SIMILAR_TO, CONTRADICTS}:
                head, tail = canonical(atlas.keys[int(atlas.a[link])], atlas.keys[int(atlas.b[link])])
                yield Hop(head, kind, tail, count, atlas.newest(link, count, before, pmids), self._belief(count))

    # -- private methods

    def _current(self, without: ArticleMask | None) -> Layouts:
        """Return the layouts for the store's current state, in which the articles of a mask do not count.

        The state is requested again after `trusted` seconds.
        """
        with self._guard:
            if self._layouts is None or monotonic() - self._asked > self._trusted:
                state = self.state()
                if self._layouts is None or state != self._state:
                    self._layouts, self._state = Layouts(self.chart(state), self._beliefs), state
                self._asked = monotonic()
            return self._layouts.without(without)

    def _number(self, atlas: Atlas, key: str) -> int | None:
        """Return the number of a concept, or None if it has no links.

        Raises:
            UnknownConcept: If the graph does not contain the concept.
        """
        number = atlas.number(key)
        if number is None:
            self.check_keys(key)
        return number


def _chain(atlas: Atlas, layout: Layout, walk: Walk, before: int | None, pmids: int) -> Chain:
    """Return a walk as a chain, with the articles and the belief of each hop."""
    region, network = layout.region, layout.region.network
    keys = [network.keys[node] for node in walk.nodes]
    hops = []
    for head, tail, arc in zip(keys, keys[1:], walk.arcs, strict=False):
        link = int(layout.arcs.link[arc])
        count = int(network.articles[link])
        newest = atlas.newest(int(region.links[link]), count, before, pmids)
        hops.append(Hop(head, network.kinds[network.kind[link]], tail, count, newest, float(layout.beliefs[link])))
    return Chain(rounded(walk.score), tuple(hops))
