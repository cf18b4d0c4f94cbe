"""Links and paths out of an atlas of the state that a store is in.

A look-up takes from the atlas what lies between its concepts and around them, so it costs by that part of the graph.
For many look-ups, or for hubs, all links are laid out once. Answers are those of the other stores, to the last digit.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from cypher.arguments import check_chains, check_hops
from cypher.atlas.atlas import Atlas, Region
from cypher.lookups import Lookups
from cypher.network import Floats, Network, Reach
from cypher.ranking import rounded
from cypher.sketch import sketch
from groundwork.arcs import Arcs
from groundwork.records import Chain, Chains, Hop, Link, Rank
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical
from groundwork.walks import Walk, best_walks

#: What looking at an arc of a part costs, in arcs laid out with all: 100 to 180 ns against 50 to 170 (1.5 M edges).
_PART = 2
#: Regions and layouts of the whole graph that are kept; a layout takes some 30 bytes an edge.
_KEPT = 4


@dataclass(frozen=True, slots=True)
class _Layout:
    """Links laid out for walking.

    Attributes:
        region: The links.
        beliefs: The belief of each link.
        arcs: The links as arcs, weighted by their factors in a score.
    """

    region: Region
    beliefs: Floats
    arcs: Arcs


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
        self._atlas: Atlas | None = None
        self._spent: Counter[Reach] = Counter()  # arcs looked at in parts
        self._kept: dict[object, Any] = {}

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
        atlas = self._current()
        start, end = (self._number(atlas, key) for key in (head, tail))
        total, found = 0, list[Chain]()
        if start is not None and end is not None and start != end:
            layout = self._layout(atlas, (start, end), hops, Reach(before, similar is not None), rank, similar or 0.0)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            network = layout.region.network
            total, walks = best_walks(layout.arcs, network.number(head), network.number(tail), scales, limit)
            found = [_chain(atlas, layout, walk, pmids) for walk in walks]
        text = sketch(head, tail, hops, before, limit, rank, similar, self.settings)
        return Chains(head, tail, tuple(found), total, total > len(found), text)

    def network(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> Network:
        """See `GraphReader.network`."""
        check_hops(hops)
        atlas = self._current()
        start, end = (self._number(atlas, key) for key in (head, tail))
        if start is None or end is None:
            return Network.of((), (head, tail))
        return self._region(atlas, (start, end), hops, Reach(before, similar, contradicts=True)).network

    def links(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> tuple[Link, ...]:
        """See `GraphReader.links`."""
        network = self.network(head, tail, hops=hops, before=before, similar=similar)
        return network.chosen(network.there()).within(head, tail, hops).links()

    def shown(self, keys: Sequence[str], before: int | None, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        atlas = self._current()
        numbers = {number for key in keys if (number := atlas.number(key)) is not None}
        links = atlas.among(np.array(sorted(numbers), dtype=np.int64))
        for link, count in zip(links.tolist(), atlas.articles(links, before).tolist(), strict=True):
            kind = atlas.kinds[atlas.kind[link]]
            if count and kind not in {SIMILAR_TO, CONTRADICTS}:
                head, tail = canonical(atlas.keys[int(atlas.a[link])], atlas.keys[int(atlas.b[link])])
                yield Hop(head, kind, tail, count, atlas.newest(link, count, pmids), self._belief(count))

    # -- within

    def _current(self) -> Atlas:
        """The atlas of the state that the store is in, asked for again when it was trusted long enough."""
        if self._atlas is None or monotonic() - self._asked > self._trusted:
            state = self.state()
            if self._atlas is None or state != self._state:
                self._atlas, self._state = self.chart(state), state
                self._spent, self._kept = Counter(), {}
            self._asked = monotonic()
        return self._atlas

    def _region(self, atlas: Atlas, ends: tuple[int, int], hops: int, reach: Reach) -> Region:
        """The links around two concepts; or all, the same object each time, where many have been looked at already.

        To look at a part costs by that part, and to lay all links out costs by all. So parts are looked at until they
        have cost as much as laying all out would.
        """
        if reach not in self._kept:
            self._spent[reach] += atlas.steps(*ends, hops)
            if self._spent[reach] * _PART <= len(atlas.target):
                return atlas.region(*ends, hops, reach)
        whole: Region = self._once(reach, lambda: atlas.whole(reach))
        return whole

    def _layout(
        self, atlas: Atlas, ends: tuple[int, int], hops: int, reach: Reach, rank: Rank, alpha: float
    ) -> _Layout:
        """The links around two concepts, or all, laid out for walking."""
        region = self._region(atlas, ends, hops, reach)

        def made() -> _Layout:
            beliefs = self._beliefs(region.network, alpha)
            factors = beliefs if rank == "evidence" else np.ones(len(beliefs))
            if rank == "dwpc":
                factors = _damped(atlas, region, reach)
            network = region.network
            return _Layout(
                region, beliefs, Arcs.of(network.wired(), region.there, network.kind.astype(np.int8), factors)
            )

        layout: _Layout = self._once((reach, rank, alpha), made) if region is self._kept.get(reach) else made()
        return layout

    def _once(self, name: object, make: Callable[[], Any]) -> Any:
        """What was made of the present state before, or is made now. A few are kept: questions come in rows."""
        made = self._kept.pop(name) if name in self._kept else make()
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[name] = made  # those asked for last stay
        return made

    def _number(self, atlas: Atlas, key: str) -> int | None:
        """The number of a concept, None if it has no links.

        Raises:
            UnknownConcept: The concept is not in the graph either.
        """
        number = atlas.number(key)
        if number is None:
            self.check_keys(key)
        return number


def _damped(atlas: Atlas, region: Region, reach: Reach) -> Floats:
    """(d_a * d_b)^-0.5 of each link, d the degree of its ends under its kind and the cut."""
    degrees, network = atlas.degrees(region.nodes, reach).astype(np.float64), region.network
    product = degrees[network.a, network.kind] * degrees[network.b, network.kind]
    damped: Floats = np.power(np.maximum(product, 1.0), -0.5)  # links that are not walked may have ends of degree 0
    return damped


def _chain(atlas: Atlas, layout: _Layout, walk: Walk, pmids: int) -> Chain:
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
