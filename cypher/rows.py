"""Convert Arrow batches to records, and a few operations on their rows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from groundwork.records import Concept, Relation, Similarity
from groundwork.tables import rows_of

EdgeKey = tuple[str, str, str]  # head, relation, tail
SimilarityKey = tuple[str, str, str]  # model, head, tail


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Yield rows whose types are known from the schema but not to the type checker."""
    yield from rows_of(batches)


def concepts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Concept]:
    """Yield batches of `tables.CONCEPTS` as records."""
    for row in _rows(batches):
        yield Concept(row["key"], row["name"], tuple(row["synonyms"]), tuple(row["counts"]))


def edges_of(batches: Iterable[pa.RecordBatch], release: str = "") -> Iterator[Relation]:
    """Yield batches of `tables.EDGES` as records."""
    for row in _rows(batches):
        yield Relation(row["head"], row["relation"], row["tail"], tuple(row["pmids"]), release)


def edge_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[EdgeKey]:
    """Yield batches of `tables.EDGE_KEYS` as (head, relation, tail)."""
    for row in _rows(batches):
        yield row["head"], row["relation"], row["tail"]


def concept_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[str]:
    """Yield batches of `tables.CONCEPT_KEYS` as keys."""
    for row in _rows(batches):
        yield row["key"]


def similarities_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Similarity]:
    """Yield batches of `tables.SIMILARITIES` as records."""
    for row in _rows(batches):
        yield Similarity(row["head"], row["tail"], row["cosine"], row["model"])


def similarity_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[SimilarityKey]:
    """Yield batches of `tables.SIMILARITY_KEYS` as (model, head, tail)."""
    for row in _rows(batches):
        yield row["model"], row["head"], row["tail"]


def collected(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Return batches as one table of a schema, whatever their order of columns and their nullability."""
    tables = [pa.Table.from_batches([batch]).select(schema.names).cast(schema) for batch in batches]
    return pa.concat_tables([schema.empty_table(), *tables])


def latest(table: pa.Table, identity: Sequence[str]) -> pa.Table:
    """Return the last of the rows with the same identity; the others keep their order."""
    numbered = table.select(identity).append_column("row", pa.array(range(table.num_rows), pa.int64()))
    last = numbered.group_by(identity).aggregate([("row", "max")])["row_max"]
    return table if len(last) == table.num_rows else table.take(last.sort())
