"""Graph lookups by the key or name of a concept. They are available as `World.graph`."""

from collections.abc import Mapping, Sequence
from typing import Any

from groundwork.ports import Graph
from groundwork.records import Chains, Found, Hop, Rank, Stats, Table
from truthhypo.lookups import resolve


class GraphLookups:
    """Graph lookups that accept keys or names of concepts.

    Args:
        store: The graph store.
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
        """Return simple paths between two concepts, best first; see `groundwork.ports.GraphReader.chains`."""
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
        """Return all relation edges with both ends among the concepts."""
        return self.store.edges([resolve(self.store, text) for text in concepts], before=before, pmids=pmids)

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Return concepts by key or name, best match first."""
        return self.store.find(text, type=type, limit=limit)

    def query(self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run a Cypher query that only reads; see `groundwork.ports.GraphReader.query`."""
        return self.store.query(text, parameters, limit=limit)

    def stats(self) -> Stats:
        """Return the graph's counts by type and relation, its releases and its digest."""
        return self.store.stats()
