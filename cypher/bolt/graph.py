"""The graph store on a Neo4j server, over Bolt. `cypher.lookups` defines the look-ups; this module fetches the data."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from cypher import free
from cypher.bolt.server import CONSTRAINTS, NAMES, ONLINE, Server
from cypher.bolt.write import BoltWriter, by_relation, portions, similarity_rows
from cypher.guard import permitted
from cypher.neighbourhood import NeighbourhoodLookups
from cypher.network import LINKS, Reach
from cypher.rows import concept_of, edge_keys_of, similarity_keys_of
from cypher.tokens import Depth
from groundwork.errors import StoreUnreachable
from groundwork.records import Concept, Hop, Release, Table
from groundwork.settings import Settings
from groundwork.tables import EDGES, SIMILARITIES
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO


def table(columns: Iterable[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Return columns as an Arrow table."""
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


#: Page sizes for reading the whole graph: number of concepts, and number of heads with their edges. The transaction of
#: a page ends before the page is yielded, so no time limit runs while the caller works.
_CONCEPT_PAGE, _HEAD_PAGE = 2_000, 500
#: Maximum numbers of keys in a look-up, of forms (names without case and spacing, see `names`) in a Lucene query, which
#: allows 1,024 clauses, and of grams (parts of names) in one regular expression of Lucene.
_KEYS, _FORMS, _GRAMS = 5_000, 500, 50
#: How deep a free query may be nested. Neo4j 2026.08 plans 100 levels in about 1 s, but 199 levels of NOT overflow its
#: stack, and it never answers. Its planning time doubles with each nested subquery: 14 take 3 s, 20 take half a minute.
#: The planning of 60 did not end in 9 minutes, although the time limit had ended the transaction.
_DEPTH = Depth(levels=100, subqueries=10)


class BoltGraph(BoltWriter, NeighbourhoodLookups):
    """A graph on Neo4j (`groundwork.ports.Graph`). The server is not contacted before it is needed.

    Args:
        address: `bolt://` or `neo4j://` (`+s` for TLS) with host and port.
        settings: Credentials, database, time and row limits, the constants of belief (`syst`, `rand`).
        read_only: Whether to refuse writes.
    """

    def __init__(self, address: str, settings: Settings, read_only: bool = False) -> None:
        NeighbourhoodLookups.__init__(self, address, settings)
        self.server, self.read_only = Server(address, settings), read_only
        self._indexed = False

    # -- concepts and names

    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""
        asked = portions(dict.fromkeys(keys), most=_KEYS)
        rows = (row for portion in asked for row in self.server.read("concepts", keys=portion))
        return {found.key: found for found in map(concept_of, rows)}

    def every_concept(self) -> Iterator[Concept]:
        """See `GraphReader.every_concept`."""
        after = ""
        while page := self.server.read("concept_page", after=after, size=_CONCEPT_PAGE):
            yield from map(concept_of, page)
            after = page[-1][0]

    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""
        queries = (" ".join(map(_term, portion)) for portion in portions(forms, most=_FORMS) if self._names_there)
        rows = (row for lucene in queries for row in self.server.read("named_by", lucene=lucene))
        return {found.key: found for found in map(concept_of, rows)}.values()

    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""
        if not self._names_there:
            return ()
        lucene = " ".join(map(_holding, portions(grams, most=_GRAMS)))
        rows = self.server.read("forms_near", lucene=lucene, grams=list(grams), shortest=shortest, longest=longest)
        return (form for (form,) in rows)

    @property
    def _names_there(self) -> bool:
        """Whether the index of names exists; a server into which nothing was loaded has none.

        Raises:
            StoreUnreachable: There are concepts, but no index of their names.
        """
        self._indexed = self._indexed or bool(self.server.read("names_index"))
        if not self._indexed and self.server.read("first_caption"):
            raise StoreUnreachable(
                f"{self.server.address} has no index of names ({NAMES.name}), so its concepts cannot be found by name",
                "a graph whose load has ended",
                "wait for the load, or run it again: it creates the index",
            )
        return self._indexed

    # -- links

    def between(self, head: str, tail: str, hops: int, reach: Reach) -> Sequence[pa.Table]:
        """See `NeighbourhoodLookups.between`. There is one query for each number of hops."""
        [columns] = self.server.read(
            f"links_{hops}", reach.kinds, head=head, tail=tail, before=reach.before, without=reach.masked
        )
        if not columns[0]:  # if there is a link, both concepts exist
            self.check_keys(head, tail)
        return [table(columns, LINKS)]

    def shown(self, keys: Sequence[str], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`. Only the PMIDs to show are fetched."""
        for head, relation, tail, articles, newest in self.server.read(
            "among", RELATIONS, keys=list(keys), before=reach.before, without=reach.masked, pmids=pmids
        ):
            yield Hop(head, relation, tail, articles, tuple(newest), self._belief(articles))

    def stated(self, pairs: Sequence[tuple[str, str]], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `NeighbourhoodLookups.stated`. `shown` is not used, because it would read all links of every concept."""
        cut = {"before": reach.before, "without": reach.masked}
        rows = self.server.read("stated", RELATIONS, pairs=list(map(list, pairs)), pmids=pmids, **cut)
        for head, relation, tail, articles, newest in rows:
            yield Hop(head, relation, tail, articles, tuple(newest), self._belief(articles))

    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """See `NeighbourhoodLookups.degrees`."""
        rows = self.server.read("degrees", reach.kinds, keys=list(keys), before=reach.before, without=reach.masked)
        return {(key, kind): degree for key, kind, degree in rows}

    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""
        rows = self.server.read("edges_at", RELATIONS, key=key)
        return ((relation, other, tuple(pmids)) for relation, other, pmids in rows)

    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""
        return ((other, cosine, model) for other, cosine, model in self.server.read("similar_at", key=key))

    # -- the whole graph

    def query(self, cypher: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """See `GraphReader.query`."""
        most = free.row_count(limit, self.settings)
        return self.server.free(*permitted(cypher, parameters, _DEPTH), most)

    def held(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held`."""
        for portion in portions(edge_keys_of(edges), most=_KEYS):
            for relation, rows in by_relation(portion).items():
                [columns] = self.server.read("held", (relation,), rows=rows)
                yield from table(columns, EDGES).to_batches()

    def faults(self) -> tuple[str, ...]:
        """See `GraphReader.faults`: constraints and indexes that are missing or not online."""
        there = {name: (constraint, state) for name, constraint, state in self.server.read("indexes")}
        constraints = [index.name for index in CONSTRAINTS]
        missing = [f"constraint {name} is missing" for name in constraints if not there.get(name, (None, ""))[0]]
        missing += [f"index {NAMES.name} is missing"] if NAMES.name not in there else []
        guards = (*constraints, NAMES.name)
        asleep = [f"index {name} is {there[name][1]}" for name in guards if name in there and there[name][1] != ONLINE]
        return (*missing, *asleep)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""
        after: str | None = ""
        while after is not None:
            [[after, *columns]] = self.server.read("edge_page", RELATIONS, after=after, size=_HEAD_PAGE)
            yield from table(columns, EDGES).to_batches()

    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""
        after: str | None = ""
        while after is not None:
            [[after, *columns]] = self.server.read(
                "beside_page", (SIMILAR_TO, CONTRADICTS), after=after, size=_HEAD_PAGE
            )
            yield from table(columns, LINKS).to_batches()

    def similarities(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.similarities`."""
        after: str | None = ""
        while after is not None:
            [[after, *columns]] = self.server.read("similarity_page", after=after, size=_HEAD_PAGE)
            yield from table(columns, SIMILARITIES).to_batches()

    def held_similarities(self, edges: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.held_similarities`."""
        for keys in portions(similarity_keys_of(edges), most=_KEYS):
            [columns] = self.server.read("held_similarities", rows=similarity_rows(keys))
            yield from table(columns, SIMILARITIES).to_batches()

    def state(self) -> str:
        """See `GraphReader.state`: the releases, the edge counts, and sums over similarities and contradictions."""
        releases = [(one.source, one.id, one.sha256, one.state, one.order, one.loaded_at) for one in self.releases()]
        return repr((releases, self.server.read("beside_state", (SIMILAR_TO, CONTRADICTS)), self.edge_counts()))

    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""
        found = (Release.of(release) for (release,) in self.server.read("releases"))
        return tuple(sorted(found, key=lambda release: (release.source, release.order, release.id)))

    def concept_counts(self) -> Mapping[str, int]:
        """See `Fetches.concept_counts`: Neo4j's own counts, unless the database also has concepts of other programs."""
        counts = dict(map(tuple, self.server.read("concept_count")))
        every = counts.pop(None)
        return counts if sum(counts.values()) == every else dict(map(tuple, self.server.read("concept_counts")))

    def edge_counts(self) -> Mapping[str, int]:
        """See `Fetches.edge_counts`."""
        return {relation: self.server.read("edge_count", (relation,))[0][0] for relation in RELATIONS}

    def similarity_count(self) -> int:
        """See `Fetches.similarity_count`."""
        edges: int
        [[edges]] = self.server.read("edge_count", (SIMILAR_TO,))
        return edges

    def close(self) -> None:
        """See `Graph.close`."""
        self.server.close()


def _term(form: str) -> str:
    """Return a form of a name as one exact term of a Lucene query."""
    return '"' + re.sub(r'(["\\])', r"\\\1", form) + '"'


def _holding(grams: Iterable[str]) -> str:
    """Return a regular expression of a Lucene query for terms that contain one of the grams (parts of names)."""
    escaped = ("".join(c if c.isalnum() else "\\" + c for c in gram) for gram in grams)
    return f"/.*({'|'.join(escaped)}).*/"
