"""The graph store in plain dicts: the oracle of the contract suite, and the store for examples."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from threading import Lock
from typing import Any

import pyarrow as pa

from cypher import free, schema
from cypher.embedded.session import MEMORY, Session
from cypher.guard.permission import permitted
from cypher.lookups import Lookups, missing_end
from cypher.names import forms_of
from cypher.network import LINKS, Reach
from cypher.rows import (
    EdgeKey,
    SimilarityKey,
    concept_keys_of,
    concepts_of,
    edge_keys_of,
    edges_of,
    similarities_of,
    similarity_keys_of,
)
from groundwork.errors import StoreBusy, StoreError
from groundwork.records import Concept, Contradiction, Relation, Release, Similarity, Table
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO


class MemoryGraph(Lookups):
    """A graph in dicts (`groundwork.ports.Graph`).

    Args:
        settings: As for every store.
        read_only: Refuse to write.
    """

    def __init__(self, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__("memory:", settings)
        self.read_only = read_only
        self._concepts: dict[str, Concept] = {}
        self._by_form: dict[str, set[str]] = defaultdict(set)
        self._edges: dict[EdgeKey, Relation] = {}
        self._touching: dict[str, set[EdgeKey]] = defaultdict(set)
        self._similar: dict[SimilarityKey, Similarity] = {}
        self._contradictions: dict[str, set[tuple[str, str]]] = {}
        self._releases: dict[tuple[str, str], Release] = {}
        self._lock = Lock()
        self._changes = 0

    # -- reading

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        return {key: self._concepts[key] for key in keys if key in self._concepts}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        for key in sorted(self._concepts):
            yield self._concepts[key]

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        keys = {key for form in forms for key in self._by_form.get(form, ())}
        return [self._concepts[key] for key in keys]

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`. One search for all grams: a phrase is held against every form there is."""
        any_gram = re.compile("|".join(map(re.escape, grams))).search
        return [form for form in self._by_form if shortest <= len(form) <= longest and any_gram(form)] if grams else []

    def around(self, key: str, radius: int, reach: Reach) -> pa.Table:
        """See `Lookups.around`."""
        centre = {key}
        found = list(self._links_at(centre, reach))
        if radius:
            neighbours = {end for a, b, *_ in found for end in (a, b)}
            found = list(self._links_at(neighbours, reach))
        columns = zip(*found, strict=True) if found else ((),) * len(LINKS)
        return pa.table([pa.array(c, field.type) for c, field in zip(columns, LINKS, strict=True)], schema=LINKS)

    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """See `Lookups.degrees`."""
        asked = set(keys)
        others = {
            (end, kind, other) for a, b, kind, *_ in self._links_at(asked, reach) for end, other in ((a, b), (b, a))
        }
        return Counter((end, kind) for end, kind, other in others if end in asked and end != other)

    def among(self, keys: Sequence[str]) -> Iterable[Relation]:
        """See `Lookups.among`."""
        asked = set(keys)
        edges = {edge for key in asked for edge in self._touching.get(key, ()) if edge[0] in asked and edge[2] in asked}
        return [self._edges[edge] for edge in edges]

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        edges = iter(list(self._edges.values()))
        while batch := list(islice(edges, self.settings.batch_rows)):
            yield edge_batch(batch)

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        yield edge_batch(self._edges[key] for key in edge_keys_of(edges) if key in self._edges)

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        similar = ((edge.head, edge.tail, SIMILAR_TO, edge.cosine) for edge in self._similar.values())
        opposed = ((a, b, CONTRADICTS, 0.0) for pairs in self._contradictions.values() for a, b in pairs)
        rows = [{"a": a, "b": b, "kind": k, "articles": 0, "cosine": c} for a, b, k, c in chain(similar, opposed)]
        yield pa.RecordBatch.from_pylist(rows, schema=LINKS)

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        edges = iter(list(self._similar.values()))
        while batch := list(islice(edges, self.settings.batch_rows)):
            yield similarity_batch(batch)

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        yield similarity_batch(self._similar[key] for key in similarity_keys_of(edges) if key in self._similar)

    def state(self) -> str:
        """See `GraphReader.state`."""
        return f"{id(self)} {self._changes}"

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return tuple(sorted(self._releases.values(), key=lambda r: (r.source, r.order, r.id)))

    def concept_counts(self) -> Mapping[str, int]:
        """See `Lookups.concept_counts`."""
        return Counter(concept.type for concept in self._concepts.values())

    def edge_counts(self) -> Mapping[str, int]:
        """See `Lookups.edge_counts`."""
        return Counter(relation for _, relation, _ in self._edges)

    def similarity_count(self) -> int:
        """See `Lookups.similarity_count`."""
        return len(self._similar)

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int = 1000) -> Table:
        """See `GraphReader.query`: asked of a passing copy in ladybug, so that it is Cypher that answers."""
        permitted(cypher, parameters)  # before anything is copied
        with closing(self._mirrored()) as session:
            session.limited(self.settings.graph_timeout)
            with session.transaction("READ ONLY"):
                return free.answer(session, cypher, parameters, limit, self.settings)

    def _mirrored(self) -> Session:
        """A ladybug database in memory that holds the same."""
        session = Session(MEMORY, self.settings)
        schema.create(session)
        session.copy(
            schema.CONCEPT, schema.concept_rows(pa.Table.from_batches([concept_batch(self._concepts.values())]))
        )
        by_relation = defaultdict(list)
        for edge in self._edges.values():
            by_relation[edge.relation].append(edge)
        for relation, edges in by_relation.items():
            rows = pa.Table.from_batches([edge_batch(edges)])
            session.copy(relation.upper(), schema.edge_rows(rows, [edge.changed_in for edge in edges], self.settings))
        similarities = pa.Table.from_batches([similarity_batch(self._similar.values())])
        session.copy(SIMILAR_TO.upper(), schema.similarity_rows(similarities))
        contradictions = (Contradiction(*p, source) for source, pairs in self._contradictions.items() for p in pairs)
        session.copy(CONTRADICTS.upper(), schema.contradiction_rows(contradictions))
        session.copy(schema.RELEASE, schema.release_rows(self._releases.values()))
        return session

    def _links_at(self, keys: set[str], reach: Reach) -> Iterator[tuple[str, str, str, int, float]]:
        """Every link that touches one of the keys, once."""
        for head, relation, tail in {edge for key in keys for edge in self._touching.get(key, ())}:
            pmids = self._edges[head, relation, tail].pmids
            articles = sum(reach.before is None or pmid <= reach.before for pmid in pmids)
            if articles:
                yield head, tail, relation, articles, 0.0
        for edge in self._similar.values() if reach.similar else ():
            if edge.head in keys or edge.tail in keys:
                yield edge.head, edge.tail, SIMILAR_TO, 0, edge.cosine
        for a, b in set().union(*self._contradictions.values()) if reach.contradicts else ():
            if a in keys or b in keys:
                yield a, b, CONTRADICTS, 0, 0.0

    # -- writing

    @contextmanager
    def writing(self) -> Iterator[None]:
        """See `GraphWriter.writing`."""
        if self.read_only:
            raise StoreError("the graph store memory: was opened for reading only", "a store opened for writing")
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
        self._releases[release.source, release.id] = release

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        for concept in concepts_of(batches):
            self._forget_names(concept.key)
            self._concepts[concept.key] = concept
            for form in forms_of(concept):
                self._by_form[form].add(concept.key)

    def put_edges(self, batches: Iterable[pa.RecordBatch], release: str) -> None:
        """See `GraphWriter.put_edges`."""
        self._changes += 1
        for edge in edges_of(batches, release):
            self._check_ends(edge.head, edge.tail)
            key = (edge.head, edge.relation, edge.tail)
            self._edges[key] = edge
            self._touching[edge.head].add(key)
            self._touching[edge.tail].add(key)

    def drop_edges(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_edges`."""
        self._changes += 1
        for edge in edge_keys_of(batches):
            self._drop(edge)

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        self._changes += 1
        gone = set(concept_keys_of(batches)) & self._concepts.keys()
        for key in gone:
            self._forget_names(key)
            del self._concepts[key]
            for edge in list(self._touching.get(key, ())):
                self._drop(edge)
            self._touching.pop(key, None)
        self._similar = {key: edge for key, edge in self._similar.items() if not gone & set(key[1:])}
        for source, ends in self._contradictions.items():
            self._contradictions[source] = {pair for pair in ends if not gone & set(pair)}

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`: nothing imports into this store."""

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        self._changes += 1
        for edge in similarities_of(batches):
            self._check_ends(edge.head, edge.tail)
            self._similar[edge.model, edge.head, edge.tail] = edge

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`."""
        self._changes += 1
        for key in similarity_keys_of(batches):
            self._similar.pop(key, None)

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        ends = {(pair.head, pair.tail) for pair in pairs}
        self._check_ends(*chain.from_iterable(ends))
        self._contradictions[source] = ends
        self._changes += 1

    def close(self) -> None:
        """See `Graph.close`: nothing to let go of."""

    def _forget_names(self, key: str) -> None:
        if key in self._concepts:
            for form in forms_of(self._concepts[key]):
                self._by_form[form].discard(key)
                if not self._by_form[form]:
                    del self._by_form[form]

    def _drop(self, edge: EdgeKey) -> None:
        self._edges.pop(edge, None)
        for end in (edge[0], edge[2]):
            if end in self._touching:
                self._touching[end].discard(edge)

    def _check_ends(self, *keys: str) -> None:
        for key in keys:
            if key not in self._concepts:
                raise missing_end(key)


def _busy() -> StoreBusy:
    return StoreBusy("the graph store memory: is being loaded", "one load at a time", "wait for it to end")
