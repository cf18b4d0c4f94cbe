"""What all graph stores share: look-ups of names, edges and counts, and the beliefs of links.

A store fetches data (`fetches`). It finds paths in an atlas (a memory-mapped copy of the graph, `atlas.atlas_lookups`),
or in the links around two concepts, which it fetches for each look-up (`neighbourhood`). The same look-up returns the
same result on every store.
"""

from collections.abc import Collection, Sequence

import numpy as np

from cypher import names
from cypher.arguments import check_pmids
from cypher.fetches import Fetches
from cypher.network import Floats, Network, Reach
from cypher.ranking import rounded
from groundwork.chance import sigmoid
from groundwork.errors import StoreError, TimeLimit
from groundwork.network import ArticleMask
from groundwork.records import Counts, Found, Hop, Match, Stats
from groundwork.tables import digest
from groundwork.vocabulary import SIMILAR_TO


class Lookups(Fetches):
    """The reading half of a graph store (`groundwork.ports.GraphReader`), built on the methods of `Fetches`."""

    def edges(
        self,
        keys: Sequence[str],
        *,
        before: int | None = None,
        pmids: int = 20,
        without: ArticleMask | None = None,
    ) -> tuple[Hop, ...]:
        """See `GraphReader.edges`."""
        check_pmids(pmids)
        shown = self.shown(sorted(set(keys)), Reach(before, without=without), pmids)
        return tuple(sorted(shown, key=lambda hop: (-rounded(hop.belief), hop.head, hop.tail, hop.relation)))

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """See `GraphReader.find`."""
        return names.find(self, text, type, limit)

    def find_all(self, texts: Sequence[str]) -> dict[str, Found]:
        """See `GraphReader.find_all`."""
        return names.find_all(self, texts)

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """See `GraphReader.named`."""
        return names.named(self, texts)

    def begun(self, texts: Collection[str]) -> Collection[str]:
        """See `GraphReader.begun`."""
        return names.begun(self, texts)

    def counts(self) -> Counts:
        """See `GraphReader.counts`."""
        concepts, edges = self.concept_counts(), self.edge_counts()
        return Counts(
            {kind: concepts[kind] for kind in sorted(concepts) if concepts[kind]},
            {relation: edges[relation] for relation in sorted(edges) if edges[relation]},
            self.similarity_count(),
        )

    def stats(self, *, anew: bool = False) -> Stats:
        """See `GraphReader.stats`."""
        kept = None if anew else self.summary()
        counts, edges = kept or (self.counts(), digest(self.relations()))
        return Stats(counts.concepts, counts.edges, self.releases(), edges)

    def summary(self) -> tuple[Counts, str] | None:
        """Return the counts and the digest of the edges in the current state if the store caches them, else None."""
        return None

    def faults(self) -> tuple[str, ...]:
        """Return no faults (see `GraphReader.faults`). A store with separate constraints or indexes overrides this."""
        return ()

    def _beliefs(self, network: Network, alpha: float) -> Floats:
        """Return the belief of each link; for a similarity link it is alpha * sigmoid(cosine)."""
        by_articles = np.zeros(int(network.articles.max(initial=0)) + 1)
        for articles in np.flatnonzero(np.bincount(network.articles)).tolist():
            by_articles[articles] = self._belief(articles)
        beliefs: Floats = by_articles[network.articles]
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        beliefs[rows] = [alpha * sigmoid(cosine) for cosine in network.cosine[rows].tolist()]
        return beliefs


def missing_end(key: str) -> StoreError:
    """Return the error for an edge whose concept `key` is not in the graph."""
    return StoreError(
        f"an edge ends at {key!r}, which is not in the graph",
        "concepts that are written before their edges",
        "repeat the load; if the error comes back, the release itself is wrong",
    )


def too_slow(what: str, seconds: float, *, free: bool = False) -> TimeLimit:
    """Return the error for a look-up or a free query that took longer than the setting `graph_timeout`.

    Args:
        what: What ran, for example "a query on bolt://127.0.0.1:7687".
        seconds: The limit.
        free: Whether the user wrote the query.
    """
    easier = "narrow the query (labels, keys, WHERE, LIMIT)" if free else "ask for less (fewer hops, a smaller limit)"
    return TimeLimit(what, seconds, "graph_timeout", easier)
