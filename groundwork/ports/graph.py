"""The port of concept graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from groundwork.ports.progress import Progress
from groundwork.records import (
    Chains,
    Concept,
    Contradiction,
    Counts,
    Found,
    Hop,
    Link,
    Match,
    Rank,
    Release,
    Stats,
    Table,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from groundwork.network import Network


class GraphReader(Protocol):
    """Look-ups on a concept graph; none of them writes.

    All methods raise StoreUnreachable when the store is gone and TimeLimit when the setting `graph_timeout` is
    passed.
    """

    address: str

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
        """Simple undirected paths of 1 to `hops` relation edges between two concepts, best first.

        Two relations between the same concepts make two chains; a self-relation takes part in none; head == tail
        has no chains. Score: `evidence` the product of the hops' beliefs; `dwpc` the product over hops of
        (d_head * d_tail)^-0.5, d the degree under that relation and cut (self-relations not counted); `hops`
        1/length. Scores are rounded to 12 significant digits; ties go by (length, keys along the walk, relations),
        ascending by code point. The same on every store.

        Args:
            head: Key to start from.
            tail: Key to end at.
            hops: 1 to 4.
            before: PMID cut.
            limit: How many chains to return, >= 0.
            rank: Which score orders them.
            pmids: How many PMIDs to list on a hop, newest first.
            similar: None leaves similarity edges out; a number is alpha, and they are walked as hops with relation
                `similar_to`, articles 0, no PMIDs and belief alpha * mu, mu = sigmoid(cosine) (the largest over
                models). In `dwpc` their degree counts similarity edges.

        Raises:
            InputError: hops outside 1-4, or an unknown rank.
            UnknownConcept: A key that is not in the graph.
        """

    def edges(self, keys: Sequence[str], *, before: int | None = None, pmids: int = 20) -> tuple[Hop, ...]:
        """All relation edges with both ends among the keys (self-relations included).

        Ordered by belief (12 significant digits, falling), then head, tail, relation. Keys that are not in the
        graph have no edges; that is no error.
        """

    def edges_at(self, key: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        """(relation, all PMIDs) of every relation edge between a concept and another, in no promised order.

        Self-relations are left out. A key that is not in the graph has no edges; that is no error.
        """

    def links(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> tuple[Link, ...]:
        """Every edge that can lie on a walk of at most `hops` edges between two concepts, of any kind.

        Relations, `contradicts` and (unless `similar` is False) `similar_to` links whose ends a, b satisfy
        d(head, a) + 1 + d(b, tail) <= hops one way round. A superset that keeps this promise is allowed; a missing
        link is not. Self-relations are left out. Ordered by (head, tail, kind). Several models' similarity edges on
        one pair come as the one with the largest cosine.

        Raises:
            InputError: hops outside 1-4.
            UnknownConcept: A key that is not in the graph.
        """

    def network(
        self, head: str, tail: str, *, hops: int = 3, before: int | None = None, similar: bool = True
    ) -> Network:
        """The links of `links` as arrays, or more: a store that is asked often may give all, ever the same object.

        Relations without articles under the cut may be among them.

        Raises:
            InputError: hops outside 1-4.
            UnknownConcept: A key that is not in the graph.
        """

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """The concepts of those keys that the graph holds."""

    def every_concept(self) -> Iterator[Concept]:
        """All concepts, ordered by key, streamed."""

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Concepts by key or name, best first; ties by mentions (falling), then key.

        Exact matches first (case, hyphens and spacing ignored): key or preferred name 1.0, synonym below 1 by its
        share of the concept's mentions; near matches (rapidfuzz) only where no exact match is, with a score below
        any exact one. Names and scores are the same on every store.
        """

    def find_all(self, texts: Sequence[str], *, limit: int = 10) -> dict[str, Found]:
        """What `find` gives for each of many texts, in one go where a store has its names at hand."""

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """Exact matches of many texts in one go, each list ordered as `find` orders it.

        Same normalisation and scores as `find`, without near matches; texts that match nothing are absent.
        """

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run one free read-only query.

        Every store lets only the clauses through that contract.md names. Nodes and edges come back as plain dicts.

        Args:
            cypher: The query, at most 100 kB of text and 200 levels of nesting.
            parameters: Values of its parameters.
            limit: Rows to return, 0 to the setting `row_limit`; None means `row_limit`.

        Raises:
            QueryRefused: The query holds another clause or calls a procedure; the error names it.
            InputError: The store cannot parse the query, a parameter is missing, or `limit` is out of range.
            TimeLimit: The query ran longer than the setting `graph_timeout`.
            SizeLimit: The query needs more memory than the setting `query_memory` (on Neo4j: than the server allows),
                or its answer is larger than the setting `answer_bytes`.
        """

    def stats(self, *, anew: bool = False) -> Stats:
        """Counts by type and relation, releases (by source, then order), and the digest of the relation edges.

        A concept of a variant type counts under its own type. A store may keep counts and digest with its state.

        Args:
            anew: Count, and read all edges, even if the store keeps what came of it.
        """

    def counts(self) -> Counts:
        """The counts of `stats` without its digest: cheap, so that it can be asked after every load."""

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Those of some relation edges (`tables.EDGE_KEYS`) that the store holds, as batches of `tables.EDGES`.

        In no promised order; an edge that stands in the store twice, which it should not, comes twice.
        """

    def faults(self) -> tuple[str, ...]:
        """What is missing or broken of the guards the store relies on (constraints, indexes), a line each.

        Empty where all is well, and where the store's own files cannot be without them.
        """

    def relations(self) -> Iterator[pa.RecordBatch]:
        """All relation edges as batches of `tables.EDGES`, in no promised order, streamed."""

    def beside(self) -> Iterator[pa.RecordBatch]:
        """All similarity and contradiction links as batches of `network.LINKS`, in no promised order, streamed.

        A link stands there once for each model or source that gave it.
        """

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """All similarity edges as batches of `tables.SIMILARITIES`, in no promised order, streamed."""

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Those of some similarity edges (`tables.SIMILARITY_KEYS`) that the store holds, as `held` gives relations."""

    def state(self) -> str:
        """A text that is another one once relations, similarities or contradictions were changed. Cheap to ask for."""

    def releases(self) -> tuple[Release, ...]:
        """Releases this store knows of, by source, then order."""


class GraphWriter(Protocol):
    """Writes of a load. Every call is idempotent, so a load killed anywhere is repeated whole."""

    def writing(self, progress: Progress | None = None, /) -> AbstractContextManager[None]:
        """Hold the store for one load: schema made if absent, other loads refused.

        Args:
            progress: Is told when the load waits for a server.

        Raises:
            StoreBusy: Another process holds it. A lock dies with its process (OS lock, or a lease with heartbeat).
        """

    def check_idle(self) -> None:
        """Look whether a load is under way, so that another need not read its files for nothing.

        A look only: who wants to write still needs `writing`.

        Raises:
            StoreBusy: It is.
        """

    def put_release(self, release: Release) -> None:
        """Write or replace the release (source, id)."""

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Insert or replace concepts by key (`tables.CONCEPTS`)."""

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """Insert or replace relation edges by (head, relation, tail) (`tables.EDGES`); ends exist already.

        Writes articles, first_pmid, last_pmid and belief from the PMIDs, and `changed_in` = release.

        Args:
            batches: The edges.
            release: The release that they come from.
            dropped: Other edges, which are removed as by `drop_edges`. A store that writes a table anew does so once.
        """

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove relation edges (`tables.EDGE_KEYS`); those that are not there are passed over."""

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove concepts (`tables.CONCEPT_KEYS`) with their similarity and contradiction edges."""

    def complete_import(self) -> None:
        """Give concepts what an importer's input could not say (`ports.BulkImport`); otherwise nothing happens."""

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Insert or replace similarity edges by (model, head, tail) (`tables.SIMILARITIES`); ends exist already."""

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove similarity edges (`tables.SIMILARITY_KEYS`); those that are not there are passed over."""

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """Replace the whole set of CONTRADICTS edges of one source."""


class Graph(GraphReader, GraphWriter, Protocol):
    """A graph store: both ports, and a way to let go of it."""

    def close(self) -> None:
        """Let go of the store. Calling it twice is no error."""
