"""The writing half of the graph store on Neo4j. Each transaction writes some rows and checks that the lease is held."""

import sys
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from neo4j import ManagedTransaction

from cypher.bolt import indexes
from cypher.bolt.edges import Portion, by_heads, portioned
from cypher.bolt.lease import Lease
from cypher.bolt.parameter_rows import ROWS, Row, by_relation, concept_row, portions, shown, similarity_rows
from cypher.bolt.server import Server, run
from cypher.lookups import missing_end
from cypher.rows import concept_keys_of, concept_of, concepts_of, edge_keys_of, similarities_of, similarity_keys_of
from groundwork.errors import StoreBusy, StoreError
from groundwork.ports import Progress
from groundwork.records import Contradiction, Release
from groundwork.settings import Settings
from groundwork.threads import BoundedThreads
from groundwork.vocabulary import RELATIONS

T = TypeVar("T")

#: Number of concepts written in one transaction.
_CONCEPTS = 2_000
#: Number of concepts (each with all its edges), and number of edges, that one transaction removes.
_DROPPED_CONCEPTS, _DROPPED_EDGES = 1_000, 10_000
#: Number of concurrent write transactions; more did not increase the speed.
_WRITERS = 2


class BoltWriter(ABC):
    """Writes of a load (`groundwork.ports.GraphWriter`) on a Neo4j server."""

    settings: Settings
    server: Server
    read_only: bool
    _lease: Lease | None = None

    @contextmanager
    def writing(self, progress: Progress | None = None, /) -> Iterator[None]:
        """See `GraphWriter.writing`: constraints and indexes are created, and the lease is held."""
        if self.read_only:
            raise StoreError(
                f"{self.server.address} was opened for reading only",
                "a store opened for writing",
                "open the store with read_only=False",
            )
        if self._lease:
            raise StoreBusy(f"{self.server.address} is being loaded", "one load at a time", "wait until it has ended")
        concepts = self.server.read("first_caption")  # fails at once if no server answers
        with self.server.watched(progress):
            # Indexing an existing graph at once costs less than updating an index in each transaction of a first load.
            indexes.create(self.server, indexes.CONSTRAINTS)
            if concepts:
                indexes.create(self.server, indexes.OVER_CONCEPTS)
            if self.server.read("edge_count", RELATIONS) != [[0]]:
                indexes.create(self.server, indexes.OVER_EDGES)
            lease = Lease(self.server)
            with lease.held(progress):
                self._lease = lease
                try:
                    if concepts == [[None]]:
                        self._put_captions()
                    yield
                finally:
                    self._lease = None

    def check_idle(self) -> None:
        """See `GraphWriter.check_idle`."""
        Lease(self.server).check_idle()

    def put_release(self, release: Release) -> None:
        """See `GraphWriter.put_release`."""
        self._send("put_release", source=release.source, id=release.id, release=release.flat)

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`. Concurrent transactions share no key."""
        with self._load(), BoundedThreads(_WRITERS) as writers:
            for concepts in portions(concepts_of(batches), lambda concept: len(concept.synonyms), _WRITERS * ROWS):
                latest = {concept.key: concept for concept in concepts}
                rows = [concept_row(latest[key]) for key in sorted(latest)]
                writers.touch(latest.keys())
                for some in portions(rows, most=_CONCEPTS):
                    writers.begin(partial(self._send, "put_concepts", rows=some))
        indexes.create(self.server, indexes.OVER_CONCEPTS)

    def _put_captions(self) -> None:
        """Give captions and addresses to all concepts of a graph that an older version of this program loaded.

        Concepts are written in descending order of their keys. So if the concept with the smallest key has a caption,
        all concepts have one, and no earlier run was killed halfway.
        """
        before = chr(sys.maxunicode)
        while page := self.server.read("concept_page_back", before=before, size=_CONCEPTS):
            self._send("put_captions", rows=[{"key": one.key, **shown(one)} for one in map(concept_of, page)])
            before = page[-1][0]

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """See `GraphWriter.put_edges`. It is fastest if edges are sorted by head.

        Concurrent transactions either all create edges or all change edges. This avoids deadlocks: when edges are
        created, the server takes its locks at the commit, in a fixed order.
        """
        with self._load(), BoundedThreads(_WRITERS) as writers:
            for edges in by_heads(batches):
                heads = pc.unique(edges["head"]).to_pylist()
                writers.touch(set(heads))
                new, others = self._split_new(edges, heads)
                left = self._change(others, release, writers)
                for portion in chain(left, portioned(new, release, self.settings)):
                    writers.begin(self._create, portion)
        self.drop_edges(dropped)
        indexes.create(self.server, indexes.OVER_EDGES)

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        for edges in portions(edge_keys_of(batches)):
            for relation, rows in by_relation(edges).items():
                self._send("drop_edges", (relation,), rows=rows)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        for keys in portions(concept_keys_of(batches), most=_DROPPED_CONCEPTS):
            self._send("drop_concepts", keys=keys)

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`: it adds empty lists, which CSV cannot express."""
        self.server.administer("empty_lists")

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        for edges in portions(similarities_of(batches)):
            self._run_leased(partial(_write, "put_similarities", (), [edge.to_dict() for edge in edges]))

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`."""
        for keys in portions(similarity_keys_of(batches), most=_DROPPED_EDGES):
            self._send("drop_similarities", rows=similarity_rows(keys))

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        self._drop_all("drop_contradictions", source=source)
        for portion in portions(pairs):
            rows = [{"head": pair.head, "tail": pair.tail} for pair in portion]
            self._run_leased(partial(_write, "put_contradictions", (), rows, source=source))

    def _split_new(self, edges: pa.Table, heads: Sequence[str]) -> tuple[pa.Table, pa.Table]:
        """Return two tables: edges that must be new, because their head has no edges in the store; and the others."""
        [[without]] = self._send("heads_without", RELATIONS, keys=heads)
        new = pc.is_in(edges["head"], value_set=pa.array(without, pa.string()))
        return edges.filter(new), edges.filter(pc.invert(new))

    def _change(self, edges: pa.Table, release: str, writers: BoundedThreads) -> list[Portion]:
        """Change the edges that exist in the store, and return the edges that do not exist."""
        if not len(edges):
            return []
        left: list[Portion] = []

        def change(relation: str, portion: Portion) -> None:
            [[found]] = self._send("change_edges", (relation,), **portion.parameters)
            there = set(found)
            rows = [row for place, row in enumerate(portion.rows) if place not in there]
            if rows:
                left.append(replace(portion, rows=rows))

        writers.settle()
        for relation in sorted(pc.unique(edges["relation"]).to_pylist()):
            some = edges.filter(pc.equal(edges["relation"], relation))
            for portion in portioned(some, release, self.settings):
                writers.begin(change, relation, portion)
        writers.settle()
        return left

    def _create(self, portion: Portion) -> None:
        """Create edges. Raise StoreError if the concept at one end of an edge is not in the graph."""

        def create(transaction: ManagedTransaction) -> None:
            [[written]] = run(transaction, "create_edges", **portion.parameters)
            _check(transaction, written, len(portion.rows), portion.keys)

        self._run_leased(create)

    def _drop_all(self, name: str, **owner: str) -> None:
        dropped = _DROPPED_EDGES
        while dropped == _DROPPED_EDGES:
            [[dropped]] = self._send(name, size=_DROPPED_EDGES, **owner)

    def _send(self, name: str, kinds: Sequence[str] = (), /, **parameters: Any) -> list[list[Any]]:
        return self._run_leased(partial(_run, name, kinds, parameters))

    def _run_leased(self, work: Callable[[ManagedTransaction], T]) -> T:
        """Run a function in a transaction. It is committed only if this process still holds the lease."""
        with self._load() as lease, lease.hand() as hand:

            def leased(transaction: ManagedTransaction) -> T:
                done = work(transaction)
                lease.check(transaction, hand)
                return done

            return self.server.write(leased)

    @contextmanager
    def _load(self) -> Iterator[Lease]:
        """Yield the lease of the load in progress. If there is none, take the lease for this write alone."""
        if self._lease:
            yield self._lease
        else:
            with self.writing():
                assert self._lease
                yield self._lease


def _run(
    name: str, kinds: Sequence[str], parameters: dict[str, Any], transaction: ManagedTransaction
) -> list[list[Any]]:
    return run(transaction, name, kinds, **parameters)


def _write(name: str, kinds: Sequence[str], rows: list[Row], transaction: ManagedTransaction, **more: Any) -> None:
    """Write links. Raise StoreError if the concept at one end of a link is not in the graph."""
    if not rows:
        return
    [[written]] = run(transaction, name, kinds, rows=rows, **more)
    _check(transaction, written, len(rows), {row[end] for row in rows for end in ("head", "tail")})


def _check(transaction: ManagedTransaction, written: int, wanted: int, ends: Iterable[str]) -> None:
    """Check that all rows were written.

    Raises:
        StoreError: If the concept at one end of a row is not in the graph.
    """
    if written != wanted:
        keys = sorted(ends)
        there = {key for key, *_ in run(transaction, "concepts", keys=keys)}
        raise missing_end(next(key for key in keys if key not in there))
