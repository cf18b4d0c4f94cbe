"""Convert Arrow batches to records; deduplicate the rows of Arrow tables."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

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


def latest(table: pa.Table, identity: Sequence[str]) -> pa.Table:
    """Keep only the last of the rows that are equal in the columns `identity`. Do not change the order of the rows.

    Args:
        table: The table. Its columns `identity` contain texts; the product of their numbers of different texts must not
            exceed 2^63. Numbering the texts needs far less memory than an aggregate over several text columns.
        identity: Names of the columns to compare.
    """
    numbers = np.zeros(table.num_rows, dtype=np.int64)
    for name in identity:
        coded = table[name].cast(pa.string()).dictionary_encode().combine_chunks()
        numbers = numbers * max(1, len(coded.dictionary)) + coded.indices.to_numpy()
    _, back = np.unique(numbers[::-1], return_index=True)
    return table if len(back) == len(numbers) else table.take(pa.array(np.sort(len(numbers) - 1 - back)))
