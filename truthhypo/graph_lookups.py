"""The graph's look-ups for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from groundwork.ports import Graph
from groundwork.records import Chains, Found, Hop, Rank, Stats, Table
from truthhypo.lookups import resolve


class GraphLookups:
    """The graph's look-ups for people: every concept may be given as a key or a name.

    Args:
        store: The graph store behind it.
    """

    def __init__(self, store: Graph) -> None:
        self.store = store

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
        """Simple paths between two concepts, best first; see `groundwork.ports.GraphReader.chains`."""
        return self.store.chains(
            resolve(self.store, head),
            resolve(self.store, tail),
            hops=hops,
            before=before,
            limit=limit,
            rank=rank,
            pmids=pmids,
            similar=similar,
        )

    def edges(self, concepts: Sequence[str], *, before: int | None = None, pmids: int = 20) -> tuple[Hop, ...]:
        """All relation edges with both ends among the concepts."""
        return self.store.edges([resolve(self.store, text) for text in concepts], before=before, pmids=pmids)

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Concepts by key or name, best first."""
        return self.store.find(text, type=type, limit=limit)

    def query(self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run one free read-only Cypher query; see `groundwork.ports.GraphReader.query`."""
        return self.store.query(text, parameters, limit=limit)

    def stats(self) -> Stats:
        """Counts by type and relation, releases, digest."""
        return self.store.stats()
