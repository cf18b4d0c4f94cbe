"""A graph that makes many look-ups faster: links and paths are read from an atlas and not from the server.

An atlas is a copy of the graph as memory-mapped arrays.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from cypher.atlas.atlas import Atlas
from cypher.atlas.atlas_lookups import AtlasLookups
from cypher.lookups import Lookups
from groundwork.ports import GraphReader
from groundwork.records import Concept, Match, Release, Table

#: Seconds for which the state of a store is assumed to be unchanged before the store is asked again.
_TRUSTED = 1.0


class ChartedGraph(AtlasLookups):
    """A graph that looks up links and paths in an atlas (`Atlas`), and everything else in the store (`GraphReader`).

    Args:
        store: The store, which must also be a `GraphReader`.
        chart: Returns the atlas of the store's current state, given the text of this state (`GraphReader.state`).
        trusted: Seconds for which the state of the store is assumed to be unchanged.
    """

    def __init__(self, store: Lookups, chart: Callable[[str], Atlas], trusted: float = _TRUSTED) -> None:
        super().__init__(store.address, store.settings, trusted)
        self._store, self._chart = store, chart
        self._reader = cast("GraphReader", store)

    def chart(self, state: str) -> Atlas:
        """See `AtlasLookups.chart`."""
        return self._chart(state)

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        return self._store.concepts(keys)

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        return self._reader.every_concept()

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """See `GraphReader.named`."""
        return self._store.named(texts)

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        return self._store.named_by(forms)

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """See `names.NameIndex.begun_by`."""
        return self._store.begun_by(forms)

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        return self._store.forms_near(grams, shortest, longest)

    def every_form(self) -> Iterable[str] | None:
        """See `names.NameIndex.every_form`."""
        return self._store.every_form()

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        return self._reader.edges_at(key)

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        return self._reader.similar_at(key)

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`."""
        return self._reader.query(cypher, parameters, limit=limit)

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        return self._reader.held(edges)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        return self._store.relations()

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        return self._store.beside()

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return self._store.releases()

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        return self._reader.similarities()

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        return self._reader.held_similarities(edges)

    def state(self) -> str:
        """See `GraphReader.state`."""
        return self._store.state()

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`."""
        return self._store.concept_counts()

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return self._store.edge_counts()

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        return self._store.similarity_count()

    def faults(self) -> tuple[str, ...]:
        """See `GraphReader.faults`."""
        return self._store.faults()
