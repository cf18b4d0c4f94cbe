"""The port of concept graphs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias

from groundwork.ports.progress import Progress
from groundwork.records import Chains, Concept, Contradiction, Counts, Found, Hop, Match, Rank, Release, Stats, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from groundwork.network import ArticleMask, Network


class GraphReader(Protocol):
    """Look-ups in a concept graph; none of them writes.

    All methods raise StoreUnreachable if the store is not available, and TimeLimit if a call takes longer than the
    setting `graph_timeout`.

    Attributes:
        address: Address of the store.
        species: Taxon id of the organism whose genes a symbol means, by the setting `species`; empty if it is not set.
    """

    address: str
    species: str

    def of_species(self, species: str) -> Self:
        """Return this store, opened only once, with another organism whose genes a symbol means.

        Args:
            species: Taxon id of the organism; empty for the default.
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
        """Return the simple undirected paths of 1 to `hops` relation edges between two concepts, best first.

        Two relations between the same concepts make two chains. Self-relations are in no chain, and there are no chains
        from a concept to itself. The score depends on `rank`. For `evidence`, it is the product of the hops' beliefs.
        For `dwpc`, it is the product over hops of (d_head * d_tail)^-0.5. Here d is the number of neighbours that a
        concept has by edges of the hop's relation, without self-relations and without edges of which no article counts.
        For `hops`, it is 1/length. Scores are rounded to 12 significant digits. Ties are ordered by (length, keys along
        the walk, relations), ascending by code point. All stores return the same chains.

        Args:
            head: Key of the start.
            tail: Key of the end.
            hops: Maximum number of hops, 1 to 4.
            before: PMID cut.
            limit: Maximum number of chains to return, >= 0.
            rank: The score by which chains are ordered: `evidence`, `dwpc` or `hops`.
            pmids: Maximum number of PMIDs to list per hop, newest first.
            similar: If None, similarity edges are left out. If it is a number alpha, similarity edges are used as hops
                with relation `similar_to`, articles 0, no PMIDs and belief alpha * mu. mu is sigmoid(cosine), with the
                largest cosine over the models. For `dwpc`, d of such a hop counts neighbours by similarity edges.
            without: Articles that do not count; see `groundwork.ports`.

        Raises:
            InputError: If hops is outside 1-4, limit, pmids or alpha is out of range, or the rank is unknown.
            UnknownConcept: If a key is not in the graph.
        """

    def edges(
        self, keys: Sequence[str], *, before: int | None = None, pmids: int = 20, without: ArticleMask | None = None
    ) -> tuple[Hop, ...]:
        """Return all relation edges with both ends among the keys, including self-relations.

        The edges are ordered by belief (12 significant digits, descending), then head, tail and relation. Keys that are
        not in the graph are ignored.
        """

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """Yield (relation, other concept, all PMIDs) of each relation edge of a concept, in no fixed order.

        Self-relations are left out. A key that is not in the graph has no edges; this is not an error.
        """

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """Yield (other concept, cosine, model) of each similarity edge of a concept, in no fixed order.

        A key that is not in the graph has no edges; this is not an error.
        """

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
        """Return every edge, of any kind, that can be on a walk of at most `hops` edges between two concepts.

        The edges are relations, `contradicts` links and (unless `similar` is False) `similar_to` links. An edge between
        a and b, in either order, is on such a walk if d(head, a) + 1 + d(b, tail) <= hops, where d is the distance in
        edges. The result must contain all of these edges. It may contain others, such as relations that have no article
        that counts. Self-relations are left out. If several models have a similarity edge for a pair, the edge with
        the largest cosine is returned. A store may return all of its links, as the same object each time. The network
        has `Network.degree`.

        Raises:
            InputError: If hops is outside 1-4.
            UnknownConcept: If a key is not in the graph.
        """

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """Return the concepts by key. Keys that the graph does not contain are left out."""

    def every_concept(self) -> Iterator[Concept]:
        """Yield all concepts, ordered by key, as a stream."""

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Return concepts found by key or name, best first; ties are ordered by mentions (descending), then key.

        Case, hyphens and spacing are ignored in exact matches. A key or preferred name scores 1.0. A synonym scores
        less, depending on its share of the concept's mentions. Similar names (rapidfuzz) are returned only if there is
        no exact match, and score less than any exact match. All stores return the same names and scores.
        """

    def find_all(self, texts: Sequence[str]) -> dict[str, Found]:
        """Return the result of `find` for each of many texts, in one request if the store has its names in memory."""

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """Return the exact matches of each of many texts in one request, ordered as in `find`.

        Texts are normalised and matches scored as in `find`. Similar names are not searched. Texts without a match are
        left out.
        """

    def begun(self, texts: Collection[str]) -> Collection[str]:
        """Return the given texts that are a prefix of a name or key, normalised as in `find`.

        The result may also contain given texts that are not such a prefix, if the store can answer faster in this way.
        This method saves callers from asking `named` about most texts that are not names. Normalisation (NFKC) joins a
        letter and its combining mark. Therefore a text that ends between a letter and its mark is not a prefix of the
        name with this mark.
        """

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run one read-only query.

        Every store allows only clauses that read. Nodes and edges are returned as plain dicts.

        Args:
            cypher: The query, at most 100 kB of text and 200 levels of nesting.
            parameters: Values of its parameters.
            limit: Maximum number of rows, 0 to the setting `row_limit`; None means `row_limit`.

        Raises:
            QueryRefused: If the query contains something that is not allowed, such as a clause that writes or a call of
                a procedure. The message says what it is.
            InputError: If the store cannot parse the query, a parameter is missing, or `limit` is out of range.
            TimeLimit: If the query takes longer than the setting `graph_timeout`.
            SizeLimit: If the query needs more memory than the setting `query_memory` (on Neo4j: than the server
                allows), or its answer is larger than the setting `answer_bytes`.
        """

    def draw(self, progress: Progress | None = None) -> None:
        """Prepare what `query` needs, so that the first query after a load does not wait for it.

        Only the embedded store prepares something: a database, which is drawn from the current state of the graph.
        """

    def stats(self, *, anew: bool = False) -> Stats:
        """Return counts by type and relation, releases (in the order of `releases`), and the digest of relation edges.

        Each variant type (`vocabulary.VARIANTS`) is counted separately. A store may cache counts and digest until its
        state changes.

        Args:
            anew: If True, count and read all edges even if the result is cached.
        """

    def counts(self) -> Counts:
        """Return the counts that `stats` returns, without the digest; cheap enough to call after every load."""

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield those of the given relation edges that the store contains, with their PMIDs.

        The given batches have the schema `tables.EDGE_KEYS`, the yielded batches `tables.EDGES`. The order is not
        fixed. An edge that is stored twice by mistake is yielded twice.
        """

    def faults(self) -> tuple[str, ...]:
        """Return one line for each missing or broken constraint or index that the store relies on.

        The result is always empty for stores that need no separate check.
        """

    def relations(self) -> Iterator[pa.RecordBatch]:
        """Yield all relation edges as batches of `tables.EDGES`, in no fixed order, as a stream."""

    def beside(self) -> Iterator[pa.RecordBatch]:
        """Yield all similarity and contradiction links as batches of `network.LINKS`, in no fixed order, as a stream.

        A link appears once for each model or source that gave it.
        """

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """Yield all similarity edges as batches of `tables.SIMILARITIES`, in no fixed order, as a stream."""

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield those of the given similarity edges (`tables.SIMILARITY_KEYS`) that the store contains; see `held`."""

    def state(self) -> str:
        """Return a text that changes whenever relations, similarities or contradictions change; cheap to call."""

    def releases(self) -> tuple[Release, ...]:
        """Return the releases that this store has recorded, sorted by source, then by `Release.order`."""


class GraphWriter(Protocol):
    """The writing operations of a load. Every call is idempotent, so an interrupted load can be repeated completely."""

    def writing(self, progress: Progress | None = None, /) -> AbstractContextManager[None]:
        """Hold the store for one load: create the schema if it is missing, and refuse other loads.

        Args:
            progress: Notified when the load waits for a server.

        Raises:
            StoreBusy: If another process holds the store. The lock (a lock of the operating system, or a lease with
                heartbeat) ends with the process that holds it.
        """

    def check_idle(self) -> None:
        """Check that no load is in progress, before a new load spends time on reading its files.

        This is only a check; a load still needs `writing` to write.

        Raises:
            StoreBusy: If a load is in progress.
        """

    def put_release(self, release: Release) -> None:
        """Write the record of a release, or replace the record with the same source and id."""

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Insert concepts (`tables.CONCEPTS`), or replace those with the same keys."""

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """Insert relation edges (`tables.EDGES`), or replace those with the same head, relation and tail.

        Both ends of an edge must exist. The store computes articles, first_pmid, last_pmid and belief from the PMIDs,
        and sets `changed_in` = release.

        Args:
            batches: The edges.
            release: The release that contains the edges.
            dropped: Other edges, which are removed as by `drop_edges`. A store that rewrites its tables for a change
                can make both changes at once.
        """

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove relation edges (`tables.EDGE_KEYS`); edges that do not exist are ignored."""

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove concepts (`tables.CONCEPT_KEYS`) with their similarity and contradiction edges."""

    def complete_import(self) -> None:
        """Add what an importer's input cannot express (see `BulkImport`). Stores without an importer do nothing."""

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Insert similarity edges (`tables.SIMILARITIES`), or replace those with the same model, head and tail.

        Both ends of an edge must exist.
        """

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Remove similarity edges (`tables.SIMILARITY_KEYS`); edges that do not exist are ignored."""

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """Replace all CONTRADICTS edges of one source by the given pairs."""


class Graph(GraphReader, GraphWriter, Protocol):
    """A graph store: reading, writing, and closing."""

    def close(self) -> None:
        """Close the store. Calling it twice is allowed."""


#: A function that returns the batches; each call starts again with the first batch.
Batches: TypeAlias = "Callable[[], Iterable[pa.RecordBatch]]"


class BulkImport(Protocol):
    """The importer of one graph server. It creates a database from files while the server is stopped.

    After the server has been started again, `GraphWriter.complete_import` adds what an importer's input cannot express.
    """

    address: str

    def stopped(self) -> bool:
        """Return whether nothing listens at the server's address."""

    def runnable(self) -> bool:
        """Return whether the settings say how to run the importer. If not, the user must run a command that is printed.

        Raises:
            InputError: If the settings name the importer but not the folder of its server.
        """

    def check_absent(self) -> None:
        """Check that the database does not exist yet, as far as this machine can see.

        Raises:
            InputError: If the database exists; the importer would have to overwrite it.
        """

    def write(self, folder: Path, release: Release, concepts: Batches, edges: Batches) -> None:
        """Write the importer's input: files with the graph of one release.

        Args:
            folder: An empty folder.
            release: The release as the graph will store it.
            concepts: Batches with the schema `tables.CONCEPTS`, each key once.
            edges: Batches with the schema `tables.EDGES`, each edge once. Both ends of an edge are among the concepts.

        Raises:
            InputError: If a name contains every character that could separate the items of a list.
        """

    def command(self, folder: Path, *, overwrite: bool) -> tuple[str, ...]:
        """Return the command that imports the files that `write` wrote.

        Args:
            folder: The folder with these files. It may have been moved after `write`.
            overwrite: Whether to delete the database first if it exists.

        Raises:
            InputError: If the importer would not read the folder's path as one path, for example because of a comma.
        """

    def run(self, folder: Path, *, overwrite: bool, progress: Progress) -> None:
        """Run the importer and read its report. An interrupted import is started again.

        Raises:
            InputError: If the database exists and must not be overwritten.
            Refused: If the importer failed or left out rows. The message contains the reason or the rows.
            StoreBusy: If an importer that an earlier run started still works on this folder.
        """

    def done(self, folder: Path) -> bool:
        """Return whether `run` imported everything that is in the folder."""
