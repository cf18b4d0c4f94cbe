"""The writing half of the embedded store: what is replaced is removed, then everything new is copied in bulk."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from cypher import schema
from cypher.catalog import query
from cypher.folder import Folder
from cypher.rows import concepts_of, similarities_of
from cypher.session import Session
from groundwork.records import Contradiction, Release
from groundwork.settings import Settings
from groundwork.tables import CONCEPT_KEYS, CONCEPTS, EDGE_KEYS, EDGES
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

Item = TypeVar("Item")
#: Batches in one transaction: what is replaced is looked for in one pass over a relation's table, which is dear.
BATCHES = 4


class Loading(ABC):
    """Writes of a load (`groundwork.ports.GraphWriter`), some batches a transaction."""

    settings: Settings

    @property
    @abstractmethod
    def folder(self) -> Folder:
        """Where the graph is kept."""

    def put_release(self, release: Release) -> None:
        """See `GraphWriter.put_release`."""
        with self._session() as session:
            session.run(query("embedded", "put_releases").text, {"rows": schema.release_rows([release])})

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        with self._session() as session:
            for chunk in _chunks(batches, CONCEPTS, ["key"]):
                with session.transaction():
                    known = _known(session, chunk["key"])
                    there = pc.is_in(chunk["key"], value_set=known)
                    changed, added = chunk.filter(there), chunk.filter(pc.invert(there))
                    if changed.num_rows:
                        session.run(query("embedded", "change_concepts").text, {"rows": schema.concept_rows(changed)})
                    session.copy(schema.CONCEPT, schema.concept_rows(added))
                self.folder.names.put(concepts_of(chunk.to_batches()))

    def put_edges(self, batches: Iterable[pa.RecordBatch], release: str) -> None:
        """See `GraphWriter.put_edges`."""
        with self._session() as session:
            for chunk in _chunks(batches, EDGES, EDGE_KEYS.names):
                with session.transaction():
                    for relation, edges in _by_relation(chunk):
                        _remove(session, relation, edges)
                        rows = schema.edge_rows(edges, [release] * edges.num_rows, self.settings)
                        session.copy(relation.upper(), rows)

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        with self._session() as session:
            for chunk in _chunks(batches, EDGE_KEYS, EDGE_KEYS.names):
                with session.transaction():
                    for relation, edges in _by_relation(chunk):
                        _remove(session, relation, edges)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        with self._session() as session:
            for chunk in _chunks(batches, CONCEPT_KEYS, ["key"]):
                with session.transaction():
                    session.run(query("embedded", "drop_concepts").text, {"rows": chunk})
                self.folder.names.drop(chunk["key"].to_pylist())

    def put_similarities(self, model: str, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        pairs = similarities_of(model, batches)
        with self._session() as session, session.transaction():
            session.run(query("embedded", "drop_similarities").text, {"model": model})
            while some := list(islice(pairs, self.settings.batch_rows)):
                session.copy(SIMILAR_TO.upper(), schema.similarity_rows(some))

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        ends = sorted({(pair.head, pair.tail) for pair in pairs})
        with self._session() as session, session.transaction():
            session.run(query("embedded", "drop_contradictions").text, {"source": source})
            session.copy(CONTRADICTS.upper(), schema.contradiction_rows(Contradiction(*pair, source) for pair in ends))

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """The database open for writing: that of the load we are in, else for this one call."""
        if self.folder.loading:
            yield self.folder.session
        else:
            with self.folder.writing():
                yield self.folder.session


def _chunks(batches: Iterable[pa.RecordBatch], schema: pa.Schema, identity: Sequence[str]) -> Iterator[pa.Table]:
    """Some batches at a time as one table; of rows with the same identity the last."""
    remaining = iter(batches)
    while some := list(islice(remaining, BATCHES)):
        table = pa.Table.from_batches(some).select(schema.names).cast(schema)
        if table.num_rows:
            yield _latest(table, identity)


def _latest(table: pa.Table, identity: Sequence[str]) -> pa.Table:
    """Of rows with the same identity the last; the others as they came."""
    numbered = table.select(identity).append_column("row", pa.array(range(table.num_rows), pa.int64()))
    last = numbered.group_by(identity).aggregate([("row", "max")])["row_max"]
    return table if len(last) == table.num_rows else table.take(last.sort())


def _by_relation(chunk: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    for relation in sorted(chunk["relation"].unique().to_pylist()):
        yield relation, chunk.filter(pc.equal(chunk["relation"], relation))


def _known(session: Session, keys: pa.ChunkedArray) -> pa.Array:
    """Which of the keys are in the graph."""
    if not any(True for _ in session.rows(query("embedded", "any_concept").text)):
        return pa.array([], pa.string())
    found = session.arrow(query("embedded", "known_concepts").text, {"rows": pa.table({"key": keys})})
    return found["key"].combine_chunks()


def _remove(session: Session, relation: str, edges: pa.Table) -> None:
    """Remove the edges of a relation with these ends, where there can be any."""
    if any(True for _ in session.rows(query("embedded", "any_edge").naming(relation))):
        ends = edges.select(["head", "tail"])
        session.run(query("embedded", "drop_edges").naming(relation), {"rows": ends})
