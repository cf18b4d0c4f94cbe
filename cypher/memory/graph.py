"""The graph store in plain dicts: its look-ups."""

import re
from abc import ABC
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from threading import Lock
from typing import Any

import pyarrow as pa

from cypher import free, schema
from cypher.embedded.session import MEMORY, Session
from cypher.free import answerable
from cypher.lookups import missing_end
from cypher.names import forms_of
from cypher.neighbourhood import NeighbourhoodLookups
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
from groundwork.ports import Progress
from groundwork.records import Concept, Contradiction, Hop, Relation, Release, Similarity, Table
from groundwork.settings import Settings
from groundwork.tables import concept_batch, edge_batch, similarity_batch
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO


@dataclass
class Content:
    """The content of a memory store.

    Attributes:
        concepts: Concepts by key.
        by_form: Keys of concepts by each form of their keys, names and synonyms (see `names.forms_of`).
        edges: Relation edges by head, relation and tail.
        touching: For each concept, the keys of the relation edges that begin or end at this concept.
        similar: Similarity edges by model, head and tail.
        contradictions: Pairs of keys of contradicting concepts, by source.
        releases: Releases by source and ID.
    """

    concepts: dict[str, Concept] = field(default_factory=dict)
    by_form: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    edges: dict[EdgeKey, Relation] = field(default_factory=dict)
    touching: dict[str, set[EdgeKey]] = field(default_factory=lambda: defaultdict(set))
    similar: dict[SimilarityKey, Similarity] = field(default_factory=dict)
    contradictions: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)


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


def mirrored(content: Content, settings: Settings) -> Session:
    """Return a ladybug database in memory with the content of a memory store. The caller closes the database."""
    session = Session(MEMORY, settings)
    schema.create(session)
    session.copy(schema.CONCEPT, schema.concept_rows(pa.Table.from_batches([concept_batch(content.concepts.values())])))
    by_relation = defaultdict(list)
    for edge in content.edges.values():
        by_relation[edge.relation].append(edge)
    for relation, edges in by_relation.items():
        rows = pa.Table.from_batches([edge_batch(edges)])
        session.copy(relation.upper(), schema.edge_rows(rows, [edge.changed_in for edge in edges], settings))
    similarities = pa.Table.from_batches([similarity_batch(content.similar.values())])
    session.copy(SIMILAR_TO.upper(), schema.similarity_rows(similarities))
    contradictions = (Contradiction(*p, source) for source, pairs in content.contradictions.items() for p in pairs)
    session.copy(CONTRADICTS.upper(), schema.contradiction_rows(contradictions))
    session.copy(schema.RELEASE, schema.release_rows(content.releases.values()))
    return session


class MemoryGraph(MemoryWriter, NeighbourhoodLookups):
    """A graph in dicts (`groundwork.ports.Graph`).

    Args:
        settings: Constants of belief, and limits of look-ups; see `Fetches`.
        read_only: Whether to refuse writes.
    """

    def __init__(self, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__("memory:", settings)
        self.read_only = read_only
        self.content = Content()
        self.changes = 0
        self._lock = Lock()

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        return {key: self.content.concepts[key] for key in keys if key in self.content.concepts}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        for key in sorted(self.content.concepts):
            yield self.content.concepts[key]

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        keys = {key for form in forms for key in self.content.by_form.get(form, ())}
        return [self.content.concepts[key] for key in keys]

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`. All grams are searched for in one pass over the forms."""
        any_gram = re.compile("|".join(map(re.escape, grams))).search
        return (
            [form for form in self.content.by_form if shortest <= len(form) <= longest and any_gram(form)]
            if grams
            else []
        )

    def every_form(self) -> Iterable[str]:
        """See `names.NameIndex.every_form`."""
        return list(self.content.by_form)

    def between(self, head: str, tail: str, hops: int, reach: Reach) -> Sequence[pa.Table]:
        """See `NeighbourhoodLookups.between`."""
        ends = (head, tail)
        self.check_keys(*ends)
        tables = {end: self._around(end, 0, reach) for end in ends}
        if hops == 3:  # the links of one end's neighbours are enough; the end with fewer links is used
            smaller = min(ends, key=lambda end: tables[end].num_rows)
            tables["next"] = self._around(smaller, 1, reach)
        elif hops == 4:
            tables = {end: self._around(end, 1, reach) for end in ends}
        return list(tables.values())

    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """See `NeighbourhoodLookups.degrees`."""
        asked = set(keys)
        others = {
            (end, kind, other) for a, b, kind, *_ in self._links_at(asked, reach) for end, other in ((a, b), (b, a))
        }
        return Counter((end, kind) for end, kind, other in others if end in asked and end != other)

    def shown(self, keys: Sequence[str], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        found = (self._hop(edge, reach, pmids) for edge in self._among(set(keys)))
        return (hop for hop in found if hop.articles)

    def stated(self, pairs: Sequence[tuple[str, str]], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `NeighbourhoodLookups.stated`."""
        return self.shown([key for pair in pairs for key in pair], reach, pmids)

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        touching = self.content.touching.get(key, ())
        found = ((self.content.edges[edge].pmids, *edge) for edge in touching if edge[0] != edge[2])
        return ((relation, tail if head == key else head, pmids) for pmids, head, relation, tail in found)

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        held = (each for each in self.content.similar.values() if key in (each.head, each.tail))
        return ((each.tail if each.head == key else each.head, each.cosine, each.model) for each in held)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        edges = iter(list(self.content.edges.values()))
        while batch := list(islice(edges, self.settings.batch_rows)):
            yield edge_batch(batch)

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        yield edge_batch(self.content.edges[key] for key in edge_keys_of(edges) if key in self.content.edges)

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        similar = ((edge.head, edge.tail, SIMILAR_TO, edge.cosine) for edge in self.content.similar.values())
        opposed = ((a, b, CONTRADICTS, 0.0) for pairs in self.content.contradictions.values() for a, b in pairs)
        rows = [{"a": a, "b": b, "kind": k, "articles": 0, "cosine": c} for a, b, k, c in chain(similar, opposed)]
        yield pa.RecordBatch.from_pylist(rows, schema=LINKS)

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        edges = iter(list(self.content.similar.values()))
        while batch := list(islice(edges, self.settings.batch_rows)):
            yield similarity_batch(batch)

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        yield similarity_batch(
            self.content.similar[key] for key in similarity_keys_of(edges) if key in self.content.similar
        )

    def state(self) -> str:
        """See `GraphReader.state`."""
        return f"{id(self)} {self.changes}"

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        return tuple(sorted(self.content.releases.values(), key=lambda r: (r.source, r.order, r.id)))

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`."""
        return Counter(concept.type for concept in self.content.concepts.values())

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return Counter(relation for _, relation, _ in self.content.edges)

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        return len(self.content.similar)

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`: the query runs on a temporary copy in ladybug, a real Cypher engine."""
        most = free.row_count(limit, self.settings)
        text, given = answerable(cypher, parameters)  # refuse a bad query before anything is copied
        with closing(mirrored(self.content, self.settings)) as session:
            session.limited(self.settings.graph_timeout)
            with session.transaction("READ ONLY"):
                return session.table(text, given, most)

    def _around(self, key: str, radius: int, reach: Reach) -> pa.Table:
        """Return the links of a concept and, if `radius` is 1, of its neighbours. The schema is `network.LINKS`."""
        centre = {key}
        found = list(self._links_at(centre, reach))
        if radius:
            neighbours = {end for a, b, *_ in found for end in (a, b)}
            found = list(self._links_at(neighbours, reach))
        columns = zip(*found, strict=True) if found else ((),) * len(LINKS)
        return pa.table([pa.array(c, field.type) for c, field in zip(columns, LINKS, strict=True)], schema=LINKS)

    def _among(self, asked: set[str]) -> list[Relation]:
        """Return each relation edge whose two concepts are both among the given keys, once."""
        edges = {
            edge
            for key in asked
            for edge in self.content.touching.get(key, ())
            if edge[0] in asked and edge[2] in asked
        }
        return [self.content.edges[edge] for edge in edges]

    def _hop(self, edge: Relation, reach: Reach, pmids: int) -> Hop:
        """Return an edge as a hop with only the articles that count. The hop lists at most `pmids` PMIDs."""
        counted = reach.counted(edge.pmids)
        articles = len(counted)
        newest = counted[max(articles - pmids, 0) :][::-1]
        return Hop(edge.head, edge.relation, edge.tail, articles, newest, self._belief(articles))

    def _links_at(self, keys: set[str], reach: Reach) -> Iterator[tuple[str, str, str, int, float]]:
        """Yield each link that `reach` includes and that touches at least one of the keys. Yield each link once."""
        for head, relation, tail in {edge for key in keys for edge in self.content.touching.get(key, ())}:
            articles = len(reach.counted(self.content.edges[head, relation, tail].pmids))
            if articles:
                yield head, tail, relation, articles, 0.0
        for edge in self.content.similar.values() if reach.similar else ():
            if edge.head in keys or edge.tail in keys:
                yield edge.head, edge.tail, SIMILAR_TO, 0, edge.cosine
        for a, b in set().union(*self.content.contradictions.values()) if reach.contradicts else ():
            if a in keys or b in keys:
                yield a, b, CONTRADICTS, 0, 0.0

    def complete_import(self) -> None:
        """See `GraphWriter.complete_import`: does nothing, because nothing is imported into this store."""

    def close(self) -> None:
        """See `Graph.close`: does nothing."""
