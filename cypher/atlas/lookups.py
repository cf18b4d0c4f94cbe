"""Arrange the links of an atlas for traversal: the links near two concepts, or all links.

Arrangements of all links are cached.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from time import monotonic
from typing import Any

import numpy as np

from cypher.atlas.atlas import Atlas, Region
from cypher.lookups import Lookups, check_chains, check_hops
from cypher.network import Floats, Ints, Network, Reach
from cypher.ranking import rounded
from cypher.sketch import sketch
from groundwork.network import ArticleMask
from groundwork.records import Chain, Chains, Hop, Rank
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical
from groundwork.walks import Arcs, Walk, best_walks

#: Cost of examining an arc of a region (100-180 ns), relative to an arc in a layout of all links (50-170 ns), measured
#: with 1.5 million edges.
_PART = 2
#: Number of regions and layouts of the whole graph that are cached; a layout takes about 30 bytes per edge.
_KEPT = 4
#: Number of masks whose layouts are cached: notices alone, and notices with retracted articles.
_MASKS = 2


@dataclass(frozen=True, slots=True)
class Layout:
    """Links arranged for traversal.

    Attributes:
        region: The links.
        beliefs: The belief of each link.
        arcs: The links as arcs, weighted by their factors in a score.
    """

    region: Region
    beliefs: Floats
    arcs: Arcs


class Layouts:
    """The layouts (links arranged for traversal) of one atlas; safe for several threads.

    Args:
        atlas: The atlas.
        beliefs: Returns the belief of each link of a network, given the network and the factor alpha of similarity
            links.
    """

    def __init__(self, atlas: Atlas, beliefs: Callable[[Network, float], Floats]) -> None:
        self.atlas = atlas
        self._beliefs = beliefs
        self._spent: Counter[Reach] = Counter()  # number of arcs examined in regions so far
        self._kept: dict[object, Any] = {}
        self._masked: dict[ArticleMask, Layouts] = {}
        self._guard = RLock()  # one thread builds a layout while the others wait for it

    def without(self, mask: ArticleMask | None) -> "Layouts":
        """Return the layouts of the same atlas in which the articles of a mask do not count."""
        if not mask:
            return self
        with self._guard:
            made = self._masked.pop(mask, None) or Layouts(self.atlas.without(mask), self._beliefs)
            while len(self._masked) >= _MASKS:
                self._masked.pop(next(iter(self._masked)))
            self._masked[mask] = made  # at the end, because it was used last
            return made

    def region(self, start: int, end: int, hops: int, reach: Reach) -> Region:
        """Return the links near two concepts, or, after many look-ups, all links (the same object each time).

        Finding a region takes time in proportion to its size. Arranging all links takes time in proportion to the
        graph. Therefore regions are used until their total cost exceeds the cost of arranging all links.
        """
        if reach not in self._kept:
            self._spent[reach] += self.atlas.steps(start, end, hops)
            if self._spent[reach] * _PART <= len(self.atlas.target):
                return self.atlas.region(start, end, hops, reach)
        whole: Region = self._cached(reach, lambda: self.atlas.whole(reach))
        return whole

    def counted(self, start: int, end: int, hops: int, reach: Reach) -> Network:
        """Return the links near two concepts, or all links, with `Network.degree`."""
        region = self.region(start, end, hops, reach)
        if region is not self._kept.get(reach):
            return replace(region.network, degree=_relations(region, self.atlas.degrees(region.nodes, reach)))
        whole = region.network
        network: Network = self._cached(
            (reach, "degrees"), lambda: replace(whole, degree=whole.relation_degrees(region.there))
        )
        return network

    def layout(self, start: int, end: int, hops: int, reach: Reach, rank: Rank, alpha: float) -> Layout:
        """Return the links near two concepts, or all links, with weights for a ranking."""
        region = self.region(start, end, hops, reach)
        if region is not self._kept.get(reach):
            return self._make_layout(region, reach, rank, alpha)
        layout: Layout = self._cached((reach, rank, alpha), lambda: self._make_layout(region, reach, rank, alpha))
        return layout

    def _make_layout(self, region: Region, reach: Reach, rank: Rank, alpha: float) -> Layout:
        network = region.network
        beliefs = self._beliefs(network, alpha)
        factors = beliefs if rank == "evidence" else np.ones(len(beliefs))
        if rank == "dwpc":
            factors = _degree_factors(self.atlas, region, reach)
        arcs = Arcs.of(network.wired(), region.there, network.kind.astype(np.int8), factors)
        return Layout(region, beliefs, arcs)

    def _cached(self, name: object, make: Callable[[], Any]) -> Any:
        """Return a cached object, or create it. The last `_KEPT` used stay cached, because questions often repeat."""
        with self._guard:
            made = self._kept.pop(name) if name in self._kept else make()
            while len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[name] = made  # at the end, because it was used last
            return made


def _relations(region: Region, degrees: Ints) -> Ints:
    """Return the number of relation links of each concept, given its number of links of each kind."""
    relations = np.array([kind not in {SIMILAR_TO, CONTRADICTS} for kind in region.network.kinds], dtype=bool)
    found: Ints = degrees[:, relations].sum(axis=1)
    return found


def _degree_factors(atlas: Atlas, region: Region, reach: Reach) -> Floats:
    """Return (d_a * d_b)^-0.5 of each link; d_a and d_b are its ends' numbers of neighbours by links of its kind."""
    degrees, network = atlas.degrees(region.nodes, reach).astype(np.float64), region.network
    product = degrees[network.a, network.kind] * degrees[network.b, network.kind]
    damped: Floats = np.power(np.maximum(product, 1.0), -0.5)  # ends of unused links may have degree 0
    return damped


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
