"""The writing half of the graph store on Neo4j. Each transaction writes some rows and checks that the lease is held."""

import sys
from abc import ABC
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from neo4j import ManagedTransaction

from cypher import schema
from cypher.bolt import server as bolt_server
from cypher.bolt.lease import Lease
from cypher.bolt.server import CAPTION, FORMS, URL, Server, run
from cypher.browser_files import article_urls, caption, url
from cypher.lookups import missing_end
from cypher.names import forms_of
from cypher.rows import (
    EdgeKey,
    SimilarityKey,
    concept_keys_of,
    concept_of,
    concepts_of,
    edge_keys_of,
    latest,
    similarities_of,
    similarity_keys_of,
)
from groundwork.errors import StoreBusy, StoreError
from groundwork.ports import Progress
from groundwork.records import Concept, Contradiction, Release
from groundwork.settings import Settings
from groundwork.tables import EDGE_KEYS, EDGES
from groundwork.threads import BoundedThreads
from groundwork.vocabulary import RELATIONS, VARIANTS

R = TypeVar("R")
Row = dict[str, Any]

#: Maximum number of rows in a transaction, and of values in the lists of these rows. They limit the server's memory.
ROWS, VALUES = 10_000, 500_000


def portions(items: Iterable[R], weigh: Callable[[R], int] = lambda _: 0, most: int = ROWS) -> Iterator[list[R]]:
    """Yield lists of at most `most` items with a total weight of at most `VALUES`, unless a single item weighs more."""
    portion: list[R] = []
    weight = 0
    for item in items:
        more = weigh(item)
        if portion and (len(portion) == most or weight + more > VALUES):
            yield portion
            portion, weight = [], 0
        portion.append(item)
        weight += more
    if portion:
        yield portion


def concept_row(concept: Concept) -> Row:
    """Return a row for the query `put_concepts`: key, labels other than Concept, and properties other than the key."""
    properties = {
        "id": concept.id,
        "type": concept.type,
        "name": concept.name,
        "synonyms": list(concept.synonyms),
        "counts": list(concept.counts),
        "mentions": concept.mentions,
        "organism": concept.organism or None,
        "description": concept.description or None,
        FORMS: sorted(forms_of(concept)),
        **shown(concept),
    }
    labels = [concept.type, "Variant"] if concept.type in VARIANTS else [concept.type]
    return {"key": concept.key, "labels": labels, "properties": properties}


def shown(concept: Concept) -> Row:
    """Return the properties that Neo4j Browser shows of a concept."""
    return {CAPTION: caption(concept), URL: url(concept)}


def by_relation(edges: Iterable[EdgeKey]) -> dict[str, list[Row]]:
    """Return rows with head and tail for each relation.

    The rows are sorted by head, so that the server handles one concept at a time.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    for head, relation, tail in sorted(edges):
        groups[relation].append({"head": head, "tail": tail})
    return groups


def similarity_rows(keys: Iterable[SimilarityKey]) -> list[Row]:
    """Return a row for each key of a similarity edge, sorted by head."""
    ordered = sorted(keys, key=lambda key: key[1:])
    return [{"model": model, "head": head, "tail": tail} for model, head, tail in ordered]


#: Maximum number of edges in a transaction. With more edges, the server's caches overflow, and each edge takes longer.
MOST = 4_000

#: Positions of head and tail among the keys, type, PMIDs, articles, first and last PMID, belief, address in PubMed.
EdgeRow = tuple[int, int, str, list[int], int, int, int, float, str]


@dataclass(frozen=True, slots=True)
class Portion:
    """Edges that one transaction writes.

    Attributes:
        keys: The distinct keys of the concepts at the ends of the edges.
        rows: One row per edge.
        release: The release that the edges belong to.
    """

    keys: list[str]
    rows: list[EdgeRow]
    release: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the queries `create_edges` and `change_edges`."""
        return {"keys": self.keys, "rows": self.rows, "release": self.release}


def by_heads(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables of edges, sorted by head. If edges have the same head, relation and tail, the last is kept.

    The edges of a batch's last head are joined to the next batch. So if the input is sorted by head, no two tables
    share a head.

    Args:
        batches: Batches with the columns of `tables.EDGES`.
    """
    rest = EDGES.empty_table()
    for batch in batches:
        if batch.num_rows:
            come = pa.Table.from_batches([batch]).select(EDGES.names).cast(EDGES)
            edges = latest(pa.concat_tables([rest, come]), EDGE_KEYS.names).sort_by("head").combine_chunks()
            last = pc.index(edges["head"], edges["head"][-1]).as_py()
            if last:
                yield edges.slice(0, last)
            rest = edges.slice(last)
    if len(rest):
        yield rest


def portioned(edges: pa.Table, release: str, settings: Settings) -> Iterator[Portion]:
    """Yield portions of at most `MOST` edges, with at most `VALUES` PMIDs unless a single edge has more.

    Args:
        edges: A table with the columns of `tables.EDGES`; the order of its rows is kept.
        release: The release that the edges belong to.
        settings: The constants of belief (`syst`, `rand`).
    """
    rows = schema.edge_rows(edges, [release] * len(edges), settings)
    kinds = pc.utf8_upper(edges["relation"]).to_pylist()
    pmids = rows["pmids"].combine_chunks()
    lists, urls = _lists(pmids), article_urls(pmids).to_pylist()
    numbers = [rows[name].to_numpy().tolist() for name in ("articles", "first_pmid", "last_pmid", "belief")]
    for start, stop in _cuts(numbers[0]):
        here = slice(start, stop)
        heads, tails = (edges[end].slice(start, stop - start) for end in ("head", "tail"))
        keys = pc.unique(pa.chunked_array([*heads.chunks, *tails.chunks]))
        places = (pc.index_in(ends, value_set=keys).to_pylist() for ends in (heads, tails))
        columns = (*places, kinds[here], lists[here], *(column[here] for column in numbers), urls[here])
        yield Portion(keys.to_pylist(), list(zip(*columns, strict=True)), release)


def _cuts(weights: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the range of rows of each portion: the index of its first row, and the index after its last row.

    `weights` holds the number of PMIDs of each row.
    """
    start = weight = 0
    for row, more in enumerate(weights):
        if row > start and (row - start == MOST or weight + more > VALUES):
            yield start, row
            start, weight = row, 0
        weight += more
    if start < len(weights):
        yield start, len(weights)


def _lists(lists: pa.ListArray) -> list[list[int]]:
    """Convert an Arrow array of lists to Python lists. All items are converted at once, which is much faster."""
    ends = lists.offsets.to_numpy()
    values = lists.values[int(ends[0]) : int(ends[-1])].to_numpy().tolist()
    return [values[start:stop] for start, stop in pairwise((ends - ends[0]).tolist())]


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
            bolt_server.create(self.server, bolt_server.CONSTRAINTS)
            if concepts:
                bolt_server.create(self.server, bolt_server.OVER_CONCEPTS)
            if self.server.read("edge_count", RELATIONS) != [[0]]:
                bolt_server.create(self.server, bolt_server.OVER_EDGES)
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
        bolt_server.create(self.server, bolt_server.OVER_CONCEPTS)

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
        bolt_server.create(self.server, bolt_server.OVER_EDGES)

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
