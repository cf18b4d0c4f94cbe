"""Graph lookups by the key or name of a concept. They are available as `World.graph`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from groundwork import inventory
from groundwork.errors import InputError
from groundwork.network import ArticleMask
from groundwork.ports import Graph
from groundwork.records import Chains, Edges, Found, Rank, Stats, Table
from truthhypo.arguments import checked_arguments
from truthhypo.lookups import checked, dated, named, resolve


class GraphLookups:
    """Graph lookups that accept keys, ids or names of concepts.

    Args:
        opened: Function that returns the graph store, or raises an error if the store is closed.
        uncounted: Function that returns the articles that do not count as support of edges.
        home: The folder HOME, which knows the files of the releases.

    Example:
        >>> world.graph.chains("MESH:D019821", "HMGCR").total > 0
        True
    """

    def __init__(self, opened: Callable[[], Graph], uncounted: Callable[[], ArticleMask | None], home: Path) -> None:
        self._opened = opened
        self._uncounted = uncounted
        self._home = home

    def __repr__(self) -> str:
        return "GraphLookups: chains, edges, find, query, stats"

    @property
    def store(self) -> Graph:
        """The graph store."""
        return self._opened()

    @checked_arguments
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
        """Return simple paths between two concepts, best first; see `groundwork.ports.GraphReader.chains`.

        Notices in the literature (such as errata) do not count as articles of an edge.

        Args:
            head: The concept at which the chains start.
            tail: The concept at which they end.
            hops: Maximum number of edges in a chain, 1 to 4.
            before: Use only evidence with a PMID up to this one.
            limit: Maximum number of chains.
            rank: Order of the chains: by `evidence` (belief), `dwpc` (degree-weighted path count) or `hops` (length).
            pmids: Maximum number of PMIDs per edge, newest first.
            similar: Weight of similarity edges, in [0, 1]; None uses no similarity edges.

        Example:
            >>> chains = world.graph.chains("simvastatin", "cholesterol")
            >>> chains.to_frame()[["chain", "head_name", "relation", "tail_name"]].values.tolist()[0]
            [1, 'Simvastatin', 'negative_correlate', 'cholesterol']
        """
        dated(before)
        checked("rank", rank, get_args(Rank))
        store = self.store
        found = store.chains(
            resolve(store, head),
            resolve(store, tail),
            hops=hops,
            before=before,
            limit=limit,
            rank=rank,
            pmids=pmids,
            similar=similar,
            without=self._uncounted(),
        )
        return named(store, found)

    @checked_arguments
    def edges(self, *concepts: str, before: int | None = None, pmids: int = 20) -> Edges:
        """Return all relation edges with both ends among the concepts. Notices do not count as articles of an edge.

        Args:
            *concepts: Keys, ids or names.
            before: Use only evidence with a PMID up to this one.
            pmids: Maximum number of PMIDs per edge, newest first.

        Example:
            >>> [edge.relation for edge in world.graph.edges("simvastatin", "HMGCR")]
            ['negative_correlate']
        """
        dated(before)
        if len(concepts) < 2:
            raise InputError(
                "fewer than two concepts, and an edge has two ends",
                "two or more concepts",
                "name all concepts among which edges are looked up",
            )
        store = self.store
        keys = [resolve(store, text) for text in concepts]
        found = store.edges(keys, before=before, pmids=pmids, without=self._uncounted())
        return named(store, Edges(found))

    @checked_arguments
    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Return concepts by key or name, best match first.

        Args:
            text: A key, a name, or part of a name.
            type: Return only concepts of this type.
            limit: Maximum number of concepts.

        Example:
            >>> world.graph.find("metformin").to_frame()["key"].tolist()
            ['Chemical|MESH:D008687']
        """
        return self.store.find(text, type=type, limit=limit)

    @checked_arguments
    def query(self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run a Cypher query that only reads; see `groundwork.ports.GraphReader.query`.

        Example:
            >>> world.graph.query("MATCH (c:Concept {key: $key}) RETURN c.name", {"key": "Gene|3156"}).rows
            (('HMGCR',),)
        """
        return self.store.query(text, parameters, limit=limit)

    def stats(self) -> Stats:
        """Return the numbers of concepts by type and of edges by relation, the releases, and the digest of the edges.

        Example:
            >>> world.graph.stats().concepts["Gene"] > 10
            True
        """
        found = self.store.stats()
        return replace(found, releases=inventory.with_files(self._home, found.releases))
