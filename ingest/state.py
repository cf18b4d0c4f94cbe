"""Compute what a graph should contain from the snapshots of its live releases (see "State" in ARCHITECTURE.md).

The counts of this content and a sample of its edges are stored with each change of the graph.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
from ibis.expr.types import StringValue, Table

from groundwork.records import Counts
from groundwork.tables import CONCEPTS, EDGE_KEYS, EDGES, SIMILARITIES, SIMILARITY_KEYS
from groundwork.vocabulary import VARIANTS
from ingest import normalise, thesauri
from ingest.concepts import NAMES
from ingest.document_sources import newest
from ingest.engine import Engine, Expressions, count, read, write
from ingest.identifiers import CARRIERS, Variants
from ingest.live import Standing

_ROWS = 100_000  # number of rows folded at a time
#: Maximum number of rows in a sample. Samples are drawn from all edges, from all similarity edges, and from the rows
#: that a change writes or deletes.
LOOKED_AT = 200
#: Maximum number of row groups to draw from, so that drawing a few rows does not read a whole release.
_GROUPS = 16


@dataclass(frozen=True, slots=True)
class EdgesAndConcepts:
    """All relation edges (`tables.EDGES`) and concepts (`tables.CONCEPTS`) of a graph, as Parquet files."""

    edges: Path
    concepts: Path


@dataclass(frozen=True, slots=True)
class State(EdgesAndConcepts):
    """All relation edges and concepts of a graph, and its similarity edges (`tables.SIMILARITIES`)."""

    similarities: Path


def derive(standing: Standing, engine: Engine, folder: Path) -> EdgesAndConcepts:
    """Compute the edges and concepts of a graph.

    The edges are those of the relation releases and of the documents. An edge that occurs several times has the union
    of the PMIDs. The concepts are those in an edge, a name row or a document; their names come from the name rows and
    the documents together. Thesauri (`ingest.thesauri`) add names, organisms and descriptions to these concepts, and
    no further concepts. If name rows and edges write the key of a sequence variant differently, the variant has the
    key that the edges use (see `identifiers.Variants`).

    Args:
        standing: The snapshots of the live releases.
        engine: Runs the expressions.
        folder: An empty folder for the result and intermediate files.
    """
    documents = newest(standing.documents, engine)
    edges = _edges(standing, documents, engine, folder)
    ends = _ends(engine.table(edges))
    named = [_names(engine.table(snapshot.table), types) for snapshot, types in standing.names]
    if documents is not None:
        named.append(_mentions(documents))
    holders = [ends, _carried(_union(named), ends, engine, folder)] if named else [ends]
    added = _added(standing, engine, folder / "learned.parquet")
    rows = engine.write(normalise.described(_union(holders), added), folder / "names.parquet")
    return EdgesAndConcepts(
        edges, write(normalise.folded_concepts(read(rows, _ROWS)), CONCEPTS, folder / "concepts.parquet")
    )


def alike(known: EdgesAndConcepts, standing: Standing, engine: Engine, folder: Path) -> State:
    """Add the similarity edges of the live sets. An edge is added if both of its concepts are in the graph.

    So the order in which releases are loaded does not matter.
    """
    file = folder / "similarities.parquet"
    if not standing.similarities:
        return State(known.edges, known.concepts, write((), SIMILARITIES, file))
    every = _union([engine.table(snapshot.table).select(*SIMILARITIES.names) for snapshot in standing.similarities])
    keys = engine.table(known.concepts)["key"]
    kept = every.filter(every["head"].isin(keys), every["tail"].isin(keys)).order_by(*SIMILARITY_KEYS.names)
    return State(known.edges, known.concepts, engine.write(kept, file))


def as_edges(rows: Table, keys: Table, by: str, engine: Expressions, file: Path) -> Path:
    """Merge rows of relations into edges (`tables.EDGES`) in a Parquet file, sorted by head, relation and tail.

    Concepts are sorted in the canonical order (`vocabulary.order`).

    Args:
        rows: Rows for `normalise.evidence`.
        keys: A table with a column `key`: the keys of all concepts in the rows.
        by: The column of `keys` that contains the values by which the rows name heads and tails.
        engine: Runs the expressions.
        file: The file for the edges.
    """
    placed = engine.write(normalise.places(keys), file.with_suffix(".places"))
    flat = engine.stream(normalise.evidence(rows, engine.table(placed), by), _ROWS)
    write(normalise.folded_edges(flat, normalise.in_place(read(placed, _ROWS))), EDGES, file)
    engine.remove(placed)
    return file


def _edges(standing: Standing, documents: Table | None, engine: Engine, folder: Path) -> Path:
    """Write the edges of all releases of relations and of the documents. The PMIDs of equal edges are united."""
    parts = [snapshot.table for snapshot in standing.relations]
    if documents is not None:
        parts.append(_of_rows(_related(documents), engine, folder / "related.parquet"))
    if not parts:
        return write((), EDGES, folder / "edges.parquet")
    return parts[0] if len(parts) == 1 else _merged([engine.table(part) for part in parts], engine, folder)


def _merged(parts: Sequence[Table], engine: Engine, folder: Path) -> Path:
    """Write the edges of several tables as one table. Only edges in several tables are unpacked, and they are few."""
    identity = EDGE_KEYS.names
    every = _union([part.select(*identity) for part in parts])
    counted = every.group_by(*identity).agg(holders=every.count())
    shared = engine.table(engine.write(counted.filter(counted.holders > 1), folder / "shared.parquet"))
    common = [part.semi_join(shared, identity) for part in parts]
    rows = _union([part.select("head", "relation", "tail", pmid=part.pmids.unnest()) for part in common])
    joined = engine.table(_of_rows(rows, engine, folder / "joined.parquet"))
    alone = [part.anti_join(shared, identity).select(*EDGES.names) for part in parts]
    return engine.write(_union([*alone, joined.select(*EDGES.names)]), folder / "edges.parquet")


def _of_rows(rows: Table, engine: Engine, file: Path) -> Path:
    """Write rows of relations as edges. The rows contain keys of concepts and names of relations."""
    texts = engine.table(engine.write(rows, file.with_suffix(".rows")))
    ends = texts.select(key=texts["head"]).union(texts.select(key=texts["tail"]), distinct=True)
    return as_edges(normalise.coded(texts), ends, "key", engine, file)


def _related(documents: Table) -> Table:
    """Return the documents' relations as rows of relations."""
    triples = documents.select("pmid", triple=documents.relations.unnest())
    triple = triples.triple
    return triples.select("pmid", head=triple["head"], relation=triple["relation"], tail=triple["tail"])


def _ends(edges: Table) -> Table:
    """Return the heads and tails of edges as name rows with an empty name and the count 0."""
    keys = edges.select(key=edges["head"]).union(edges.select(key=edges["tail"]), distinct=True)
    return _with_columns(keys.mutate(name=ibis.literal(""), count=ibis.literal(0, "int64")), NAMES.names)


def _names(names: Table, types: frozenset[str]) -> Table:
    """Return the name rows of some types."""
    return _with_columns(names.filter(normalise.kind(names.key).isin(sorted(types))), NAMES.names)


def _carried(names: Table, ends: Table, engine: Engine, folder: Path) -> Table:
    """Return the name rows. Where the edges use another key for a variant, the row gets this key.

    The result is computed again for each state, so it depends on the live releases alone.
    """
    related = engine.values(_variants(ends).key)
    if not related:
        return names
    keys = engine.write(_variants(names).select("key").distinct(), folder / "variants.parquet")
    carriers = engine.table(write(Variants(related).carriers(read(keys, _ROWS)), CARRIERS, folder / "carriers.parquet"))
    joined = names.left_join(carriers, "key")
    return joined.select("name", "count", key=ibis.coalesce(joined.carrier, joined.key)).select(*NAMES.names)


def _added(standing: Standing, engine: Engine, file: Path) -> Table:
    """Return the rows of all thesauri (`thesauri.ADDED`): the human genes of the program, loaded genes, added names.

    A loaded gene takes the place of the human gene with the same key. The organism of any other gene is that which the
    files told behind its id; these rows are written to `file`.
    """
    loaded = [
        table.semi_join(table.filter(table.organism.isin(sorted(organisms))), "key")
        for table, organisms in ((engine.table(snapshot.table), organisms) for snapshot, organisms in standing.genes)
    ]
    human = engine.table(thesauri.HUMAN_GENES)
    for table in loaded:
        human = human.anti_join(table, "key")
    known = _union([human, *loaded])
    told: dict[str, str] = {}
    for snapshot in (*standing.relations, *chain(*standing.documents), *(snapshot for snapshot, _ in standing.names)):
        told |= snapshot.manifest.organisms
    rows = [{"key": key, "name": "", "organism": told[key], "description": ""} for key in sorted(told)]
    others = engine.table(write([pa.RecordBatch.from_pylist(rows, thesauri.ADDED)], thesauri.ADDED, file))
    more = [engine.table(snapshot.table) for snapshot in standing.added]
    return _union([known, others.anti_join(known, "key"), *more])


def _variants(rows: Table) -> Table:
    return rows.filter(normalise.kind(rows.key).isin(sorted(VARIANTS)))


def _mentions(documents: Table) -> Table:
    """Return the documents' annotations as name rows, each with the count 1, or 0 if its words are unknown."""
    mentions = documents.select(mention=documents.annotations.unnest())
    named = mentions.select(key=mentions.mention.key, name=mentions.mention.mention)
    counts = (named.name != "").cast("int64")
    return named.mutate(count=counts)


def _with_columns(table: Table, columns: Sequence[str]) -> Table:
    return table.select(*columns)


def _union(tables: Sequence[Table]) -> Table:
    return reduce(lambda a, b: a.union(b), tables)


@dataclass(frozen=True, slots=True)
class Target:
    """The expected content of a graph.

    Attributes:
        counts: Numbers of concepts and edges.
        some: A sample of all edges, as Parquet (`tables.EDGES`).
        alike: A sample of all similarity edges, as Parquet (`tables.SIMILARITIES`).
    """

    counts: Counts
    some: Path
    alike: Path

    @classmethod
    def of(cls, wanted: State, seed: str, engine: Engine, folder: Path) -> "Target":
        """Return the target of a state, and write its samples into a folder."""
        edges, concepts = engine.table(wanted.edges), engine.table(wanted.concepts)
        counts = Counts(
            _counted(concepts, normalise.kind(concepts["key"])),
            _counted(edges, edges["relation"]),
            count(wanted.similarities),
        )
        target = cls.under(folder, asdict(counts))
        for every, schema, some in (
            (wanted.edges, EDGES, target.some),
            (wanted.similarities, SIMILARITIES, target.alike),
        ):
            write([pa.RecordBatch.from_pylist(list(sample(every, seed, LOOKED_AT)), schema=schema)], schema, some)
        return target

    @classmethod
    def under(cls, folder: Path, shape: Mapping[str, Any]) -> "Target":
        """Return the target whose samples are in a folder."""
        return cls(Counts(**shape), folder / "some.parquet", folder / "alike.parquet")

    @property
    def shape(self) -> dict[str, Any]:
        """The part of the target that is stored as JSON."""
        return asdict(self.counts)


def _counted(table: Table, kind: StringValue) -> dict[str, int]:
    """Return the number of rows for each value of an expression."""
    counted = table.group_by(kind=kind).agg(rows=table.count()).order_by("kind").to_pyarrow()
    return dict(zip(counted["kind"].to_pylist(), counted["rows"].to_pylist(), strict=True))


def sample(file: Path, seed: str, rows: int) -> Iterator[dict[str, Any]]:
    """Draw at most `rows` rows of a file at random, and yield them in the order of the file."""
    chance = random.Random(seed)  # noqa: S311 - used for sampling, not for secrets
    with pq.ParquetFile(file) as source:
        every = range(source.num_row_groups)
        groups = sorted(chance.sample(every, min(_GROUPS, len(every))))
        sizes = [source.metadata.row_group(group).num_rows for group in groups]
        drawn = sorted(chance.sample(range(sum(sizes)), min(rows, sum(sizes))))
        start = 0
        for group, size in zip(groups, sizes, strict=True):
            here = [row - start for row in drawn if start <= row < start + size]
            start += size
            if here:
                yield from source.read_row_group(group).take(pa.array(here)).to_pylist()
