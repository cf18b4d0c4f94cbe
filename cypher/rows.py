"""Rows between Arrow, records and drivers: batches read into records, and drivers' values made plain."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

import pyarrow as pa

from groundwork.records import Concept, Relation, Similarity
from groundwork.tables import rows_of

EdgeKey = tuple[str, str, str]  # head, relation, tail
SimilarityKey = tuple[str, str, str]  # model, head, tail


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Rows of which the schema, not the type checker, knows what they hold."""
    yield from rows_of(batches)


def concepts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Concept]:
    """Batches of `tables.CONCEPTS` as records."""
    for row in _rows(batches):
        yield Concept(row["key"], row["name"], tuple(row["synonyms"]), tuple(row["counts"]))


def edges_of(batches: Iterable[pa.RecordBatch], release: str = "") -> Iterator[Relation]:
    """Batches of `tables.EDGES` as records."""
    for row in _rows(batches):
        yield Relation(row["head"], row["relation"], row["tail"], tuple(row["pmids"]), release)


def edge_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[EdgeKey]:
    """Batches of `tables.EDGE_KEYS` as (head, relation, tail)."""
    for row in _rows(batches):
        yield row["head"], row["relation"], row["tail"]


def concept_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[str]:
    """Batches of `tables.CONCEPT_KEYS` as keys."""
    for row in _rows(batches):
        yield row["key"]


def similarities_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Similarity]:
    """Batches of `tables.SIMILARITIES` as records."""
    for row in _rows(batches):
        yield Similarity(row["head"], row["tail"], row["cosine"], row["model"])


def similarity_keys_of(batches: Iterable[pa.RecordBatch]) -> Iterator[SimilarityKey]:
    """Batches of `tables.SIMILARITY_KEYS` as (model, head, tail)."""
    for row in _rows(batches):
        yield row["model"], row["head"], row["tail"]


def collected(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Batches as one table of a schema, whatever they say of its columns' order and of what may be null."""
    tables = [pa.Table.from_batches([batch]).select(schema.names).cast(schema) for batch in batches]
    return pa.concat_tables([schema.empty_table(), *tables])


def latest(table: pa.Table, identity: Sequence[str]) -> pa.Table:
    """Of rows with the same identity the last; the others as they came."""
    numbered = table.select(identity).append_column("row", pa.array(range(table.num_rows), pa.int64()))
    last = numbered.group_by(identity).aggregate([("row", "max")])["row_max"]
    return table if len(last) == table.num_rows else table.take(last.sort())


def plain(value: object) -> Any:
    """A driver's value as JSON could hold it: dicts, lists, texts, numbers, booleans, None.

    Times become ISO 8601 text, decimals and UUIDs text; NaN and infinities, which JSON does not have, become None.
    """
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds():g}S"
    if isinstance(value, Decimal | UUID):
        return str(value)
    return bytes(value).hex() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def node(properties: Mapping[str, object]) -> dict[str, Any]:
    """A node as a look-up shows it: its properties."""
    return {name: plain(value) for name, value in sorted(properties.items()) if value is not None}


def edge(kind: str, properties: Mapping[str, object]) -> dict[str, Any]:
    """A relationship as a look-up shows it: its type in capitals under `type`, and its properties."""
    return {"type": kind, **node(properties)}


def path(nodes: Iterable[dict[str, Any]], edges: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """A path as a look-up shows it: nodes in walking order, and the edges between them."""
    return {"nodes": list(nodes), "edges": list(edges)}
