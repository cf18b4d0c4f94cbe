"""Replacing rows of a relation's table, in one of two ways.

A few edges are removed and written one by one, 0.1 ms each, whatever the size of the table. For many, the table is
made anew from what stays and what comes, and takes the old one's place in one step. (Copying into a table that is not
empty is what ladybug 0.22 does badly: its checkpoint took 16 s for 60,000 edges, against 4 s for 800,000 into an empty
one.)
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from cypher import schema
from cypher.catalog import query
from cypher.embedded.session import Session
from cypher.lookups import missing_end

#: Edges are written one by one up to this share of the table they are in, and always up to FEW.
SHARE, FEW = 1 / 60, 200
_ENDS = ["from", "to"]


def replace(session: Session, relation: str, rows: pa.Table) -> None:
    """Insert or replace edges of a relation.

    Args:
        session: Open for writing.
        relation: Its name.
        rows: As `schema.EDGE_ROWS`, an edge at most once.

    Raises:
        StoreError: An end is not in the graph; nothing was changed.
    """
    if _few(session, relation, rows.num_rows):
        drop, write = (query("embedded", name).naming(relation) for name in ("drop_edge", "create_edge"))
        with session.transaction():
            for row in rows.to_pylist():
                session.run(drop, {"from": row["from"], "to": row["to"]})
                if not list(session.rows(write, row)):
                    raise missing_end(_missing(session, row))
    else:
        swap(session, relation, [_others(session, relation, rows), rows])


def remove(session: Session, relation: str, ends: pa.Table) -> None:
    """Remove edges of a relation; those that are not there are passed over.

    Args:
        session: Open for writing.
        relation: Its name.
        ends: With columns `from` and `to`.
    """
    if _few(session, relation, ends.num_rows):
        with session.transaction():
            for row in ends.select(_ENDS).to_pylist():
                session.run(query("embedded", "drop_edge").naming(relation), row)
    else:
        swap(session, relation, [_others(session, relation, ends)])


def swap(session: Session, kind: str, rows: list[pa.Table]) -> None:
    """Give the table of a kind of link these rows (tables of one schema) and no others, all or nothing."""
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


def _few(session: Session, relation: str, changes: int) -> bool:
    edges: int
    ((edges,),) = session.rows(query("embedded", "edge_count").naming(relation))
    return edges > 0 and changes <= max(FEW, edges * SHARE)


def _others(session: Session, relation: str, rows: pa.Table) -> pa.Table:
    """The rows of the relation's table that are not the same edges as these."""
    there = session.arrow(query("embedded", "relation_rows").naming(relation)).cast(schema.EDGE_ROWS)
    numbered = there.select(_ENDS).append_column("row", pa.array(range(there.num_rows), pa.int64()))
    kept = numbered.join(rows.select(_ENDS), _ENDS, join_type="left anti")["row"].sort()
    return there.take(kept)


def _missing(session: Session, row: Mapping[str, Any]) -> str:
    """Which end of an edge is not in the graph."""
    known = {
        key for key, *_ in session.rows(query("embedded", "concepts_by_key").text, {"keys": [row["from"], row["to"]]})
    }
    return str(row["to"] if row["from"] in known else row["from"])
