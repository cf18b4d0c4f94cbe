"""What all graph stores have in common: the meaning of every look-up.

A store fetches (`fetches`); what a chain is, how it is scored and in which order answers come stands here once. So the
same question has the same answer on every store.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cypher import names
from cypher.arguments import check_chains, check_hops, check_pmids
from cypher.fetches import Fetches
from cypher.network import Floats, Network, Reach
from cypher.ranking import Path, best_paths, rounded
from cypher.sketch import sketch
from groundwork.chance import sigmoid
from groundwork.digest import digest
from groundwork.errors import StoreBusy, StoreError, TimeLimit
from groundwork.records import Chain, Chains, Counts, Found, Hop, Link, Match, Rank, Stats
from groundwork.vocabulary import SIMILAR_TO, canonical


class Lookups(Fetches):
    """The reading half of a graph store (`groundwork.ports.GraphReader`), on top of a few fetches."""

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
        total = 0
        if head == tail:
            self.check_keys(head)
            found: tuple[Chain, ...] = ()
        else:
            reach = Reach(before, similar=similar is not None)
            network = Network.of(self.between(head, tail, hops, reach), (head, tail)).within(head, tail, hops)
            weights = self._weights(network, rank, reach, similar or 0.0)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            total, paths = best_paths(network, weights, head, tail, scales, limit)
            found = self._chains(paths, network, before, pmids, similar or 0.0)
        text = sketch(head, tail, hops, before, limit, rank, similar, self.settings)
        return Chains(head, tail, found, total, total > len(found), text)

    def edges(self, keys: Sequence[str], *, before: int | None = None, pmids: int = 20) -> tuple[Hop, ...]:
        """See `GraphReader.edges`."""
        check_pmids(pmids)
        shown = self.shown(sorted(set(keys)), before, pmids)
        return tuple(sorted(shown, key=lambda hop: (-rounded(hop.belief), hop.head, hop.tail, hop.relation)))

    def links(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> tuple[Link, ...]:
        """See `GraphReader.links`."""
        return self.network(head, tail, hops=hops, before=before, similar=similar).links()

    def network(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> Network:
        """See `GraphReader.network`."""
        check_hops(hops)
        tables = self.between(head, tail, hops, Reach(before, similar=similar, contradicts=True))
        return Network.of(tables, (head, tail)).within(head, tail, hops)

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """See `GraphReader.find`."""
        return names.find(self, text, type, limit)

    def find_all(self, texts: Sequence[str], *, limit: int = 10) -> dict[str, Found]:
        """See `GraphReader.find_all`."""
        return names.find_all(self, texts, limit)

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """See `GraphReader.named`."""
        return names.named(self, texts)

    def counts(self) -> Counts:
        """See `GraphReader.counts`."""
        concepts, edges = self.concept_counts(), self.edge_counts()
        return Counts(
            {kind: concepts[kind] for kind in sorted(concepts) if concepts[kind]},
            {relation: edges[relation] for relation in sorted(edges) if edges[relation]},
            self.similarity_count(),
        )

    def stats(self) -> Stats:
        """See `GraphReader.stats`."""
        counts = self.counts()
        return Stats(counts.concepts, counts.edges, self.releases(), digest(self.relations()))

    def faults(self) -> tuple[str, ...]:
        """See `GraphReader.faults`: none, where tables are made with their keys."""
        return ()

    # -- within

    def _weights(self, network: Network, rank: Rank, reach: Reach, alpha: float) -> Floats:
        """The factor of each link in the score of a path."""
        if rank == "hops":
            return np.ones(len(network.a))
        if rank == "dwpc":
            return self._damped(network, reach)
        most = int(network.articles.max(initial=0))
        counts = Counter(network.articles.tolist())
        by_articles = np.zeros(most + 1)
        for articles in counts:
            by_articles[articles] = self._belief(articles)
        cosines = np.array([alpha * sigmoid(cosine) for cosine in network.cosine.tolist()])
        similar = np.array([kind == SIMILAR_TO for kind in network.kinds], dtype=bool)
        return np.where(similar[network.kind], cosines, by_articles[network.articles]) if len(network.a) else cosines

    def _damped(self, network: Network, reach: Reach) -> Floats:
        """(d_a * d_b)^-0.5 of each link, d the degree of its ends under its kind and the cut."""
        used = np.unique(np.concatenate([network.a, network.b])).tolist()
        degrees = self.degrees([network.keys[n] for n in used], reach)
        table = np.zeros((len(network.keys), max(len(network.kinds), 1)))
        for n in used:
            table[n] = [degrees.get((network.keys[n], kind), 0) for kind in network.kinds]
        return np.power(table[network.a, network.kind] * table[network.b, network.kind], -0.5)

    def _chains(
        self, paths: Sequence[Path], network: Network, before: int | None, pmids: int, alpha: float
    ) -> tuple[Chain, ...]:
        """Paths with their evidence."""
        pairs = sorted({canonical(*ends) for path in paths for ends in pairwise(path.keys)})
        edges = {(hop.head, hop.tail, hop.relation): hop for hop in self.stated(pairs, before, pmids)} if pairs else {}
        similar = SIMILAR_TO in network.kinds
        cosines = {(link.head, link.tail): link.cosine for link in network.links() if link.cosine} if similar else {}

        def hop(head: str, tail: str, kind: str) -> Hop:
            pair = canonical(head, tail)
            if kind == SIMILAR_TO:
                return Hop(head, kind, tail, 0, (), alpha * sigmoid(cosines.get(pair) or 0.0))
            if (*pair, kind) not in edges:
                raise StoreBusy(f"{self.address} was changed while it was read", "a graph at rest", "ask again")
            return replace(edges[(*pair, kind)], head=head, tail=tail)

        return tuple(Chain(path.score, tuple(map(hop, path.keys, path.keys[1:], path.kinds))) for path in paths)


def missing_end(key: str) -> StoreError:
    """The error of an edge whose end is not in the graph."""
    return StoreError(
        f"an edge ends at {key!r}, which is not in the graph",
        "concepts that are put before their edges",
        "repeat the load; if it comes back, the release itself is at fault",
    )


def too_slow(what: str, seconds: float, *, free: bool = False) -> TimeLimit:
    """Return the error of a look-up, or of a free query, that ran past the setting `graph_timeout`.

    Args:
        what: What ran, for example "a query on bolt://127.0.0.1:7687".
        seconds: The limit.
        free: Somebody else wrote the query.
    """
    easier = "narrow the query (labels, keys, WHERE, LIMIT)" if free else "ask for less (fewer hops, a smaller limit)"
    return TimeLimit(what, seconds, "graph_timeout", easier)
