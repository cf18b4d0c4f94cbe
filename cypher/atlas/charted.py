"""A graph read from an atlas: many look-ups into one state of a store, walked in memory.

Answers are the store's own, to the last digit. Everything but links is asked of the store.
"""

from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import numpy as np

from cypher.arguments import check_chains, check_hops
from cypher.atlas.atlas import Atlas
from cypher.atlas.relayed import Relayed
from cypher.lookups import Lookups
from cypher.network import Floats, Ints, Network
from cypher.ranking import rounded
from cypher.sketch import sketch
from groundwork.arcs import Arcs
from groundwork.chance import sigmoid
from groundwork.network import Bools
from groundwork.records import Chain, Chains, Hop, Link, Rank
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO, canonical
from groundwork.walks import Walk, best_walks

#: How long a state is trusted before the store is asked for it again, s.
_TRUSTED = 1.0


class ChartedGraph(Relayed):
    """A graph store's answers out of an atlas (`groundwork.ports.GraphReader`).

    Args:
        store: The store.
        chart: Gives the atlas of the state that the store is in.
        trusted: Seconds that a state is trusted for.
    """

    def __init__(self, store: Lookups, chart: Callable[[str], Atlas], trusted: float = _TRUSTED) -> None:
        super().__init__(store)
        self._chart, self._trusted = chart, trusted
        self._state, self._asked = "", -1e9
        self._atlas: Atlas | None = None
        self._kept: dict[Any, Any] = {}

    # -- links

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
        start, end = self._places(atlas, head, tail)
        found: list[Chain] = []
        total = 0
        if start is not None and end is not None:
            arcs, beliefs, articles = self._laid(atlas, before, rank, similar)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            total, walks = best_walks(arcs, start, end, scales, limit)
            found = [self._chain(atlas, arcs, walk, beliefs, articles, pmids) for walk in walks]
        text = sketch(head, tail, hops, before, limit, rank, similar, self.settings)
        return Chains(head, tail, tuple(found), total, total > len(found), text)

    def network(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> Network:
        """See `GraphReader.network`: all links, the same object until the store or the question changes."""
        check_hops(hops)
        atlas = self._current()
        self._places(atlas, head, tail)
        found: Network = self._once(("network", before, similar), lambda: self._whole(atlas, before, similar))
        return found

    def links(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> tuple[Link, ...]:
        """See `GraphReader.links`."""
        atlas = self._current()
        if any(place is None for place in self._places(atlas, head, tail)):
            check_hops(hops)
            return ()
        whole = self.network(head, tail, hops=hops, before=before, similar=similar)
        return whole.chosen(whole.there()).within(head, tail, hops).links()

    def shown(self, keys: Sequence[str], before: int | None, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        atlas = self._current()
        known = self._once("numbers", atlas.numbered)
        numbers = np.array(sorted(known[key] for key in keys if key in known), dtype=np.int64)
        articles = self._articles(atlas, before)
        for link in atlas.among(numbers).tolist() if numbers.size else ():
            count, kind = int(articles[link]), atlas.kinds[atlas.kind[link]]
            if count and kind not in {SIMILAR_TO, CONTRADICTS}:
                head, tail = canonical(atlas.keys[int(atlas.a[link])], atlas.keys[int(atlas.b[link])])
                yield Hop(head, kind, tail, count, atlas.newest(link, count, pmids), self._belief(count))

    # -- within

    def _current(self) -> Atlas:
        """The atlas of the state that the store is in, asked for again when it was trusted long enough."""
        if self._atlas is None or monotonic() - self._asked > self._trusted:
            state = self._store.state()
            if self._atlas is None or state != self._state:
                self._atlas, self._state, self._kept = self._chart(state), state, {}
            self._asked = monotonic()
        return self._atlas

    def _places(self, atlas: Atlas, *keys: str) -> list[int | None]:
        """Numbers of keys; a concept without links has none.

        Raises:
            UnknownConcept: A key that is not in the graph either.
        """
        known = self._once("numbers", atlas.numbered)
        places = [known.get(key) for key in keys]
        if None in places:
            self.check_keys(*keys)
        return places

    def _once(self, name: Any, make: Callable[[], Any]) -> Any:
        """What was made of the present state before, or is made now. A few are kept: questions come in rows."""
        if name not in self._kept:
            while len(self._kept) >= 8:
                self._kept.pop(next(iter(self._kept)))
            made = make()
        else:
            made = self._kept.pop(name)
        self._kept[name] = made  # those asked for last stay
        return made

    def _articles(self, atlas: Atlas, before: int | None) -> Ints:
        found: Ints = self._once(("articles", before), lambda: atlas.articles(before))
        return found

    def _whole(self, atlas: Atlas, before: int | None, similar: bool) -> Network:
        network = atlas.network(self._articles(atlas, before))
        if similar or SIMILAR_TO not in network.kinds:
            return network
        return network.chosen(~network.of_kind(SIMILAR_TO))

    def _laid(self, atlas: Atlas, before: int | None, rank: Rank, similar: float | None) -> tuple[Arcs, Floats, Ints]:
        """Arcs with the factors of a score, and belief and articles of each link."""
        articles = self._articles(atlas, before)
        network = atlas.network(articles)

        def made() -> tuple[Arcs, Floats]:
            chosen = network.there() & ~network.of_kind(CONTRADICTS)
            chosen &= True if similar is not None else ~network.of_kind(SIMILAR_TO)
            beliefs = self._beliefs(network, similar or 0.0)
            weights = beliefs
            if rank == "hops":
                weights = np.ones(len(network.a))
            elif rank == "dwpc":
                weights = _damped(network, chosen)
            return Arcs.of(network.wired(), chosen, network.kind.astype(np.int8), weights), beliefs

        return *self._once(("arcs", before, rank, similar), made), articles

    def _beliefs(self, network: Network, alpha: float) -> Floats:
        """Belief of each link."""
        table = np.zeros(int(network.articles.max(initial=0)) + 1)
        for articles in np.flatnonzero(np.bincount(network.articles)).tolist():
            table[articles] = self._belief(articles)
        beliefs: Floats = table[network.articles]
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        beliefs[rows] = [alpha * sigmoid(cosine) for cosine in network.cosine[rows].tolist()]
        return beliefs

    def _chain(self, atlas: Atlas, arcs: Arcs, walk: Walk, beliefs: Floats, articles: Ints, pmids: int) -> Chain:
        """A walk with its evidence."""
        keys = [atlas.keys[node] for node in walk.nodes]
        hops = []
        for head, tail, arc in zip(keys, keys[1:], walk.arcs, strict=False):
            link = int(arcs.link[arc])
            count = int(articles[link])
            newest = atlas.newest(link, count, pmids)
            hops.append(Hop(head, atlas.kinds[atlas.kind[link]], tail, count, newest, float(beliefs[link])))
        return Chain(rounded(walk.score), tuple(hops))


def _damped(network: Network, chosen: Bools) -> Floats:
    """(d_a * d_b)^-0.5 of each link, d the degree of its ends under its kind."""
    kinds = len(network.kinds)
    ends = np.concatenate([network.a[chosen], network.b[chosen]]).astype(np.int64)
    degree = np.bincount(ends * kinds + np.tile(network.kind[chosen], 2), minlength=len(network.keys) * kinds)
    product = degree[network.a.astype(np.int64) * kinds + network.kind].astype(np.float64)
    product *= degree[network.b.astype(np.int64) * kinds + network.kind]
    damped: Floats = np.power(np.maximum(product, 1.0), -0.5)
    return damped
