"""The state a graph should have, as a function of the snapshots that count (ARCHITECTURE.md, "What is live")."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import ibis
from ibis.expr.types import Table

from groundwork.tables import CONCEPTS, EDGES
from groundwork.vocabulary import VARIANTS
from ingest import fold, normalise
from ingest.concepts import NAMES
from ingest.engine import Engine, read, write
from ingest.live import Standing
from ingest.relations import ROWS
from ingest.snapshot import Snapshot
from ingest.variants import CARRIERS, Variants

_ROWS = 100_000  # rows folded at a time


@dataclass(frozen=True, slots=True)
class State:
    """All relation edges (`tables.EDGES`) and concepts (`tables.CONCEPTS`) of a graph, as Parquet sorted by key."""

    edges: Path
    concepts: Path


def derive(standing: Standing, engine: Engine, folder: Path) -> State:
    """Work out the state.

    Edges are the union of the relation releases and the documents, PMIDs as a set. Concepts are what an edge, a name
    row or a document holds, named by the name rows and the documents together. A variant that these write otherwise
    than the edges is the edges' concept (`variants`).

    Args:
        standing: The snapshots that count.
        engine: Runs the expressions.
        folder: An empty folder for the result and what leads to it.
    """
    documents = _newest(standing.documents, engine)
    edges = _edges(standing, documents, engine, folder)
    ends = _ends(engine.table(edges))
    named = [_names(engine.table(snapshot.table), types) for snapshot, types in standing.names]
    if documents is not None:
        named.append(_mentions(documents))
    holders = [ends, _carried(_union(named), ends, engine, folder)] if named else [ends]
    rows = engine.write(normalise.names(_union(holders)), folder / "names.parquet")
    return State(edges, write(fold.concepts(read(rows, _ROWS)), CONCEPTS, folder / "concepts.parquet"))


def as_edges(rows: Table, engine: Engine, file: Path) -> Path:
    """Rows of relations (`relations.ROWS`) in canonical order, merged to edges (`tables.EDGES`) in a Parquet file."""
    flat = engine.write(normalise.evidence(rows), file.with_suffix(".flat"))
    write(fold.edges(read(flat, _ROWS)), EDGES, file)
    flat.unlink()
    return file


def _edges(standing: Standing, documents: Table | None, engine: Engine, folder: Path) -> Path:
    if documents is None and len(standing.relations) == 1:
        return standing.relations[0].table
    parts = [_rows(engine.table(snapshot.table)) for snapshot in standing.relations]
    if documents is not None:
        parts.append(_related(documents))
    if not parts:
        return write((), EDGES, folder / "edges.parquet")
    return as_edges(_union(parts), engine, folder / "edges.parquet")


def _newest(snapshots: Sequence[Snapshot], engine: Engine) -> Table | None:
    """(pmid, annotations, relations) of the documents, each PMID as the last snapshot that holds it says."""
    tables = [
        engine.table(snapshot.table).select("pmid", "annotations", "relations", load=ibis.literal(number, "int64"))
        for number, snapshot in enumerate(snapshots)
    ]
    if len(tables) < 2:
        return tables[0] if tables else None
    every = _union(tables)
    last = every.group_by("pmid").agg(load=every.load.max())
    return every.semi_join(last, ["pmid", "load"])


def _rows(edges: Table) -> Table:
    """Edges as rows of relations."""
    return _ordered(edges.select("head", "relation", "tail", pmid=edges.pmids.unnest()), ROWS.names)


def _related(documents: Table) -> Table:
    """The documents' relations as rows of relations."""
    triples = documents.select("pmid", triple=documents.relations.unnest())
    triple = triples.triple
    return triples.select("pmid", head=triple["head"], relation=triple["relation"], tail=triple["tail"])


def _ends(edges: Table) -> Table:
    """The concepts that edges hold, without names."""
    keys = edges.select(key=edges["head"]).union(edges.select(key=edges["tail"]), distinct=True)
    return _ordered(keys.mutate(name=ibis.literal(""), count=ibis.literal(0, "int64")), NAMES.names)


def _names(names: Table, types: frozenset[str]) -> Table:
    """The name rows of some types."""
    return _ordered(names.filter(normalise.kind(names.key).isin(sorted(types))), NAMES.names)


def _carried(names: Table, ends: Table, engine: Engine, folder: Path) -> Table:
    """Name rows with the keys of variants as the edges write them, where they are the same variant.

    A function of the names and the edges alone, so of the live releases: worked out anew for each state.
    """
    related = engine.values(_variants(ends).key)
    if not related:
        return names
    keys = engine.write(_variants(names).select("key").distinct(), folder / "variants.parquet")
    carriers = engine.table(write(Variants(related).carriers(read(keys, _ROWS)), CARRIERS, folder / "carriers.parquet"))
    joined = names.left_join(carriers, "key")
    return joined.select("name", "count", key=ibis.coalesce(joined.carrier, joined.key)).select(*NAMES.names)


def _variants(rows: Table) -> Table:
    return rows.filter(normalise.kind(rows.key).isin(sorted(VARIANTS)))


def _mentions(documents: Table) -> Table:
    """The documents' annotations, each counting once."""
    mentions = documents.select(mention=documents.annotations.unnest())
    named = mentions.select(key=mentions.mention.key, name=mentions.mention.mention)
    counts = (named.name != "").cast("int64")
    return named.mutate(count=counts)


def _ordered(table: Table, columns: Sequence[str]) -> Table:
    return table.select(*columns)


def _union(tables: Sequence[Table]) -> Table:
    return reduce(lambda a, b: a.union(b), tables)
