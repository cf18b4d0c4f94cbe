"""Convert Arrow batches to records; join, deduplicate and number rows of Arrow tables."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from groundwork.network import Ints
from groundwork.records import Concept, Relation, Similarity
from groundwork.tables import CONCEPTS, rows_of

EdgeKey = tuple[str, str, str]  # head, relation, tail
SimilarityKey = tuple[str, str, str]  # model, head, tail


def concepts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Concept]:
    """Yield each row as a record. The batches have the schema `tables.CONCEPTS`."""
    for row in rows_of(batches):
        yield Concept.of_row(row)


def concept_of(row: Sequence[Any]) -> Concept:
    """Return a row with the columns of `tables.CONCEPTS` as a record."""
    return Concept.of_row(dict(zip(CONCEPTS.names, row, strict=True)))


def edges_of(batches: Iterable[pa.RecordBatch], release: str = "") -> Iterator[Relation]:
    """Yield each row as a record. The batches have the schema `tables.EDGES`."""
    for row in rows_of(batches):
        yield Relation(row["head"], row["relation"], row["tail"], tuple(row["pmids"]), release)


def edge_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[EdgeKey]:
    """Yield (head, relation, tail) of each row. The batches have the schema `tables.EDGE_KEYS`."""
    for row in rows_of(batches):
        yield row["head"], row["relation"], row["tail"]


def concept_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[str]:
    """Yield the key in each row. The batches have the schema `tables.CONCEPT_KEYS`."""
    for row in rows_of(batches):
        yield row["key"]


def similarities_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Similarity]:
    """Yield each row as a record. The batches have the schema `tables.SIMILARITIES`."""
    for row in rows_of(batches):
        yield Similarity(row["head"], row["tail"], row["cosine"], row["model"])


def similarity_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[SimilarityKey]:
    """Yield (model, head, tail) of each row. The batches have the schema `tables.SIMILARITY_KEYS`."""
    for row in rows_of(batches):
        yield row["model"], row["head"], row["tail"]


def collected(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Join batches into one table with this schema. The columns of a batch may have another order or nullability."""
    tables = [pa.Table.from_batches([batch]).select(schema.names).cast(schema) for batch in batches]
    return pa.concat_tables([schema.empty_table(), *tables])


def latest(table: pa.Table, identity: Sequence[str]) -> pa.Table:
    """Keep only the last of the rows that are equal in the columns `identity`. Do not change the order of the rows."""
    (numbers,) = numbered([table], identity)
    _, back = np.unique(numbers[::-1], return_index=True)
    return table if len(back) == len(numbers) else table.take(pa.array(np.sort(len(numbers) - 1 - back)))


def numbered(tables: Sequence[pa.Table], identity: Sequence[str]) -> list[Ints]:
    """Number the rows of tables. Two rows get the same number if they are equal in the columns `identity`.

    Args:
        tables: The tables. Their columns `identity` contain texts.
        identity: Names of the columns to compare. Each column has a number of different texts; the product of these
            numbers must not exceed 2^63.

    Returns:
        For each table, an array with the number of each row. These numbers need far less memory than a join or an
        aggregate over several text columns.
    """
    numbers = np.zeros(sum(table.num_rows for table in tables), dtype=np.int64)
    for name in identity:
        texts = pa.chunked_array([chunk for table in tables for chunk in table[name].chunks], pa.string())
        coded = texts.dictionary_encode().combine_chunks()
        numbers = numbers * max(1, len(coded.dictionary)) + coded.indices.to_numpy()
    return np.split(numbers, np.cumsum([table.num_rows for table in tables])[:-1])
