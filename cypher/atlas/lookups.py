"""Links and paths out of an atlas of the state that a store is in.

A look-up takes from the atlas what lies between its concepts and around them, so it costs by that part of the graph.
For many look-ups, or for hubs, all links are laid out once. Answers are those of the other stores, to the last digit.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
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
from groundwork.records import Chain, Chains, Hop, Link, Rank
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical
from groundwork.walks import Walk, best_walks


class AtlasLookups(Lookups, ABC):
    """Links and paths out of an atlas.

    Args:
        address: Where the store is.
        settings: As for every store.
        trusted: Seconds after which the store is asked for its state again.
    """

    def __init__(self, address: str, settings: Settings, trusted: float) -> None:
        super().__init__(address, settings)
        self._trusted = trusted
        self._state, self._asked = "", float("-inf")
        self._layouts: Layouts | None = None
        self._guard = RLock()  # one thread draws, and the others wait for it

    @abstractmethod
    def chart(self, state: str) -> Atlas:
        """The atlas of a state of the store.

        Raises:
            StoreBusy: The store was changed while its atlas was drawn.
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
    ) -> Chains:
        """See `GraphReader.chains`."""
        check_chains(hops, limit, rank, pmids, similar)
        layouts = self._current()
        start, end = (self._number(layouts.atlas, key) for key in (head, tail))
        total, found = 0, list[Chain]()
        if start is not None and end is not None and start != end:
            layout = layouts.layout(start, end, hops, Reach(before, similar is not None), rank, similar or 0.0)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            network = layout.region.network
            total, walks = best_walks(layout.arcs, network.number(head), network.number(tail), scales, limit)
            found = [_chain(layouts.atlas, layout, walk, pmids) for walk in walks]
        text = sketch(head, tail, hops, before, limit, rank, similar, self.settings)
        return Chains(head, tail, tuple(found), total, total > len(found), text)

    def network(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> Network:
        """See `GraphReader.network`."""
        check_hops(hops)
        layouts = self._current()
        start, end = (self._number(layouts.atlas, key) for key in (head, tail))
        if start is None or end is None:
            return Network.of((), (head, tail))
        return layouts.region(start, end, hops, Reach(before, similar, contradicts=True)).network

    def links(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> tuple[Link, ...]:
        """See `GraphReader.links`."""
        check_hops(hops)
        atlas = self._current().atlas
        start, end = (self._number(atlas, key) for key in (head, tail))
        if start is None or end is None:
            return ()
        region = atlas.region(start, end, hops, Reach(before, similar, contradicts=True))
        return region.network.within(head, tail, hops).links()

    def shown(self, keys: Sequence[str], before: int | None, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        atlas = self._current().atlas
        numbers = {number for key in keys if (number := atlas.number(key)) is not None}
        links = atlas.among(np.array(sorted(numbers), dtype=np.int64))
        for link, count in zip(links.tolist(), atlas.articles(links, before).tolist(), strict=True):
            kind = atlas.kinds[atlas.kind[link]]
            if count and kind not in {SIMILAR_TO, CONTRADICTS}:
                head, tail = canonical(atlas.keys[int(atlas.a[link])], atlas.keys[int(atlas.b[link])])
                yield Hop(head, kind, tail, count, atlas.newest(link, count, pmids), self._belief(count))

    # -- within

    def _current(self) -> Layouts:
        """The atlas of the state that the store is in, asked for again when it was trusted long enough."""
        with self._guard:
            if self._layouts is None or monotonic() - self._asked > self._trusted:
                state = self.state()
                if self._layouts is None or state != self._state:
                    self._layouts, self._state = Layouts(self.chart(state), self._beliefs), state
                self._asked = monotonic()
            return self._layouts

    def _number(self, atlas: Atlas, key: str) -> int | None:
        """The number of a concept, None if it has no links.

        Raises:
            UnknownConcept: The concept is not in the graph either.
        """
        number = atlas.number(key)
        if number is None:
            self.check_keys(key)
        return number


def _chain(atlas: Atlas, layout: Layout, walk: Walk, pmids: int) -> Chain:
    """A walk with its evidence."""
    region, network = layout.region, layout.region.network
    keys = [network.keys[node] for node in walk.nodes]
    hops = []
    for head, tail, arc in zip(keys, keys[1:], walk.arcs, strict=False):
        link = int(layout.arcs.link[arc])
        count = int(network.articles[link])
        newest = atlas.newest(int(region.links[link]), count, pmids)
        hops.append(Hop(head, network.kinds[network.kind[link]], tail, count, newest, float(layout.beliefs[link])))
    return Chain(rounded(walk.score), tuple(hops))
