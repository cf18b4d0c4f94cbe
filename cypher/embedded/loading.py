"""The writing half of the embedded store.

Each call writes in several steps. If a call is killed, the next run of the load repeats it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from cypher import schema
from cypher.catalog import query
from cypher.embedded.exchange import exchange, swap
from cypher.embedded.folder import Folder
from cypher.embedded.session import Session
from cypher.embedded.spool import spooled
from cypher.rows import collected, concept_keys_of, concepts_of, latest
from groundwork.records import Contradiction, Release
from groundwork.settings import Settings
from groundwork.tables import CONCEPTS, EDGE_KEYS, EDGES, SIMILARITIES, SIMILARITY_KEYS
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO


class EmbeddedWriter(ABC):
    """The write operations of a load (`groundwork.ports.GraphWriter`)."""

    settings: Settings

    @property
    @abstractmethod
    def folder(self) -> Folder:
        """The folder of the graph."""

    def put_release(self, release: Release) -> None:
        """See `GraphWriter.put_release`."""
        with self._session() as session:
            session.run(query("embedded", "put_releases").text, {"rows": schema.release_rows([release])})

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        import pyarrow.compute as pc

        with self._session() as session:
            for batch in batches:
                concepts = latest(pa.Table.from_batches([batch]).select(CONCEPTS.names).cast(CONCEPTS), ["key"])
                there = pc.is_in(concepts["key"], value_set=_known(session, concepts["key"]))
                with session.transaction():
                    for row in schema.concept_rows(concepts.filter(there)).to_pylist():
                        session.run(query("embedded", "change_concept").text, _only(row, "change_concept"))
                session.copy(schema.CONCEPT, schema.concept_rows(concepts.filter(pc.invert(there))))
                self.folder.names.put(concepts_of(concepts.to_batches()))

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """See `GraphWriter.put_edges`."""
        place = self.folder.path
        with (
            self._session() as session,
            spooled(batches, EDGES, place) as put,
            spooled(dropped, EDGE_KEYS, place) as drop,
        ):
            for relation in sorted(put.keys() | drop.keys()):
                edges = latest(put.get(relation, EDGES.empty_table()), EDGE_KEYS.names)
                gone = latest(drop.get(relation, EDGE_KEYS.empty_table()), EDGE_KEYS.names).select(["head", "tail"])
                rows = schema.edge_rows(edges, [release] * edges.num_rows, self.settings)
                exchange(session, relation, rows, gone.rename_columns(["from", "to"]))

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        self.put_edges((), "", batches)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        with self._session() as session:
            for batch in batches:
                keys = list(concept_keys_of([batch]))
                with session.transaction():
                    for key in keys:
                        session.run(query("embedded", "drop_concept").text, {"key": key})
                self.folder.names.drop(keys)

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`. All edges are in memory at once."""
        edges = latest(collected(batches, SIMILARITIES), SIMILARITY_KEYS.names)
        with self._session() as session:
            if edges.num_rows:
                rows = schema.similarity_rows(edges)
                exchange(session, SIMILAR_TO, rows, rows.slice(0, 0))

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`. All keys are in memory at once."""
        edges = latest(collected(batches, SIMILARITY_KEYS), SIMILARITY_KEYS.names)
        with self._session() as session:
            if edges.num_rows:
                none = schema.SIMILARITY_ROWS.empty_table()
                exchange(session, SIMILAR_TO, none, schema.similarity_rows(edges))

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        ends = sorted({(pair.head, pair.tail) for pair in pairs})
        with self._session() as session:
            others = session.arrow(query("embedded", "contradiction_rows").text, {"source": source})
            rows = schema.contradiction_rows(Contradiction(*pair, source) for pair in ends)
            swap(session, CONTRADICTS, [others, rows])

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """Yield the database, open for writing. If no load is running, it is opened for this call alone."""
        if self.folder.loading:
            yield self.folder.session
        else:
            with self.folder.writing():
                yield self.folder.session


def _known(session: Session, keys: pa.ChunkedArray) -> pa.Array:
    """Return the given keys that are in the graph."""
    if not any(True for _ in session.rows(query("embedded", "any_concept").text)):
        return pa.array([], pa.string())
    found = session.arrow(query("embedded", "known_concepts").text, {"rows": pa.table({"key": keys})})
    return found["key"].combine_chunks()


def _only(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the columns of a row that a named query takes as parameters."""
    return {parameter: row[parameter] for parameter in query("embedded", name).parameters}
