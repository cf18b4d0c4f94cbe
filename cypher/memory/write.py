"""The writing half of the memory store."""

from abc import ABC
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from threading import Lock

import pyarrow as pa

from cypher.lookups import missing_end
from cypher.memory.content import Content
from cypher.names import forms_of
from cypher.rows import (
    EdgeKey,
    concept_keys_of,
    concepts_of,
    edge_keys_of,
    edges_of,
    similarities_of,
    similarity_keys_of,
)
from groundwork.errors import StoreBusy, StoreError
from groundwork.ports import Progress
from groundwork.records import Contradiction, Release


class MemoryWriter(ABC):
    """The writing operations of a load (`groundwork.ports.GraphWriter`) on dicts.

    Attributes:
        content: The content of the store.
        changes: A number that increases with every change of the store's links.
    """

    content: Content
    changes: int
    read_only: bool
    _lock: Lock

    @contextmanager
    def writing(self, _progress: Progress | None = None, /) -> Iterator[None]:
        """See `GraphWriter.writing`."""
        if self.read_only:
            raise StoreError(
                "the graph store memory: was opened for reading only",
                "a store opened for writing",
                "open the store with read_only=False",
            )
        if not self._lock.acquire(blocking=False):
            raise _busy()
        try:
            yield
        finally:
            self._lock.release()

    def check_idle(self) -> None:
        """See `GraphWriter.check_idle`."""
        if self._lock.locked():
            raise _busy()

    def put_release(self, release: Release) -> None:
        """See `GraphWriter.put_release`."""
        self.content.releases[release.source, release.id] = release

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        for concept in concepts_of(batches):
            self._forget_names(concept.key)
            self.content.concepts[concept.key] = concept
            for form in forms_of(concept):
                self.content.by_form[form].add(concept.key)

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """See `GraphWriter.put_edges`."""
        self.changes += 1
        for edge in edges_of(batches, release):
            self._check_ends(edge.head, edge.tail)
            key = (edge.head, edge.relation, edge.tail)
            self.content.edges[key] = edge
            self.content.touching[edge.head].add(key)
            self.content.touching[edge.tail].add(key)
        self.drop_edges(dropped)

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        self.changes += 1
        for edge in edge_keys_of(batches):
            self._drop(edge)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        self.changes += 1
        gone = set(concept_keys_of(batches)) & self.content.concepts.keys()
        for key in gone:
            self._forget_names(key)
            del self.content.concepts[key]
            for edge in list(self.content.touching.get(key, ())):
                self._drop(edge)
            self.content.touching.pop(key, None)
        self.content.similar = {key: edge for key, edge in self.content.similar.items() if not gone & set(key[1:])}
        for source, ends in self.content.contradictions.items():
            self.content.contradictions[source] = {pair for pair in ends if not gone & set(pair)}

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        self.changes += 1
        for edge in similarities_of(batches):
            self._check_ends(edge.head, edge.tail)
            self.content.similar[edge.model, edge.head, edge.tail] = edge

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`."""
        self.changes += 1
        for key in similarity_keys_of(batches):
            self.content.similar.pop(key, None)

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        ends = {(pair.head, pair.tail) for pair in pairs}
        self._check_ends(*chain.from_iterable(ends))
        self.content.contradictions[source] = ends
        self.changes += 1

    def _forget_names(self, key: str) -> None:
        if key in self.content.concepts:
            for form in forms_of(self.content.concepts[key]):
                self.content.by_form[form].discard(key)
                if not self.content.by_form[form]:
                    del self.content.by_form[form]

    def _drop(self, edge: EdgeKey) -> None:
        self.content.edges.pop(edge, None)
        for end in (edge[0], edge[2]):
            if end in self.content.touching:
                self.content.touching[end].discard(edge)

    def _check_ends(self, *keys: str) -> None:
        for key in keys:
            if key not in self.content.concepts:
                raise missing_end(key)


def _busy() -> StoreBusy:
    return StoreBusy("the graph store memory: is being loaded", "one load at a time", "wait until the load has ended")
