"""Replace rows in the table of one kind of link (a relation, similar_to), in one of two ways.

A few links are deleted and written one by one. For more links, a new table is made from the remaining and the new
links, and replaces the old table in one step. Single writes are cheap until ladybug 0.22 makes its checkpoint, which
rewrites every changed part of the table. In a table of 272,833 edges, 200 changes took 2.9 s of CPU, 4,500 changes took
6.2 s, and a new table took 2.3 s. A query that changes many rows at once (`LOAD FROM`) costs more than a new table if
it removes a link.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cypher import schema
from cypher.catalog import query
from cypher.embedded.session import Session
from cypher.lookups import missing_end
from cypher.rows import numbered
from groundwork.vocabulary import SIMILAR_TO

#: Largest number of changed links of a kind that are written one by one.
FEW = 200
_ENDS = ["from", "to"]


@dataclass(frozen=True, slots=True)
class _Table:
    """The table of one kind of link: its identifying columns, all its columns, and the queries on it."""

    identity: list[str]
    columns: pa.Schema
    every: str
    create: str
    drop: str

    @classmethod
    def of(cls, kind: str) -> "_Table":
        if kind == SIMILAR_TO:
            names = "similarity_rows", "create_similarity", "drop_similarity"
            return cls([*_ENDS, "model"], schema.SIMILARITY_ROWS, *names)
        return cls(_ENDS, schema.EDGE_ROWS, "relation_rows", "create_edge", "drop_edge")


def exchange(session: Session, kind: str, put: pa.Table, drop: pa.Table) -> None:
    """Insert or replace links of a kind, and delete others. Links to delete that do not exist are ignored.

    Args:
        session: A session that is open for writing.
        kind: The name of a relation, or similar_to.
        put: The links to write, each at most once, with the schema `schema.EDGE_ROWS` or `schema.SIMILARITY_ROWS`.
        drop: The links to delete: columns `from` and `to`, and `model` for similarities. None of them is in `put`.

    Raises:
        StoreError: An end of a link is not in the graph; nothing was changed.
    """
    table = _Table.of(kind)
    which = pa.schema([table.columns.field(name) for name in table.identity])
    gone = pa.concat_tables([some.select(table.identity).cast(which) for some in (put, drop)])
    if not _few(session, kind, gone.num_rows):
        swap(session, kind, [_others(session, kind, gone), put])
        return
    remove, write = (query("embedded", name).naming(kind) for name in (table.drop, table.create))
    with session.transaction():
        for row in gone.to_pylist():
            session.run(remove, row)
        for row in put.to_pylist():
            if not list(session.rows(write, row)):
                raise missing_end(_missing(session, row))


def swap(session: Session, kind: str, rows: list[pa.Table]) -> None:
    """Replace all rows in the table of a kind of link by the rows of the given tables, in one step."""
    table, new = kind.upper(), schema.shadow(kind)
    schema.drop(session, new)
    session.run(schema.links(kind, new))
    try:
        session.copy(new, pa.concat_tables([some.cast(rows[-1].schema) for some in rows]))
        with session.transaction():
            schema.drop(session, table)
            session.run(f"ALTER TABLE {new} RENAME TO {table}")
    except BaseException:
        schema.drop(session, new)
        raise


def _few(session: Session, kind: str, changes: int) -> bool:
    edges: int
    ((edges,),) = session.rows(query("embedded", "edge_count").naming(kind))
    return edges > 0 and changes <= FEW


def _others(session: Session, kind: str, links: pa.Table) -> pa.Table:
    """Return the rows of the table of a kind, except those of the given links.

    `links` has only the identifying columns.
    """
    table = _Table.of(kind)
    there = session.arrow(query("embedded", table.every).naming(kind)).cast(table.columns)
    numbers, gone = numbered([there, links], table.identity)
    return there.filter(pa.array(~np.isin(numbers, gone)))


def _missing(session: Session, row: Mapping[str, Any]) -> str:
    """Return which of the two ends of an edge, given by its row, is no concept of the graph, as a key."""
    known = {
        key for key, *_ in session.rows(query("embedded", "concepts_by_key").text, {"keys": [row["from"], row["to"]]})
    }
    return str(row["to"] if row["from"] in known else row["from"])
