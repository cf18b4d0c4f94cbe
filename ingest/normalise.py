"""What the rows of a release mean, as Ibis expressions: the same on whatever engine runs them.

Rows of relations are (pmid, head, relation, tail), in which concepts may stand by number; rows of names are (key, name,
count), where an empty name holds a concept without naming it.
"""

from collections.abc import Iterable

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import StringValue, Table

from groundwork.vocabulary import RELATIONS, TYPES, order

#: Goes up when the same file would give another snapshot, or the same snapshots another state: a change is worked out
#: from the state before it. Snapshots made by other rules are not mixed with ours.
RULES = 3

#: An edge as one number: place of its head * HEAD + relation * RELATION + place of its tail. Room for 2^28 concepts.
RELATION = 2**28
HEAD = 2**34


def places(keys: Table) -> Table:
    """Keys with their place in the canonical order (`vocabulary.order`), from 0; equal keys have one place.

    Args:
        keys: A table with a column `key`.
    """
    key = keys["key"]
    return keys.mutate(place=ibis.dense_rank().over(order_by=[_rank(key), ident(key), kind(key)]))


def in_place(placed: Iterable[pa.RecordBatch]) -> pa.StringArray:
    """The key at each place, out of what `places` gives."""
    batches = list(placed)
    keys = [key for batch in batches for key in batch.column("key").to_pylist()]
    places = np.concatenate([batch.column("place").to_numpy() for batch in batches] or [np.array([], np.int64)])
    _, first = np.unique(places, return_index=True)
    return pa.array(keys, pa.string()).take(pa.array(first))


def evidence(rows: Table, placed: Table, by: str) -> Table:
    """(edge, pmid) of rows of relations, sorted by both: an edge's evidence stands together, maybe repeated.

    Every pair is put in canonical order, and the edge packed into one number, which `fold` unpacks: that sorts several
    times faster than three texts.

    Args:
        rows: (pmid, head, relation, tail), relations by their place in `vocabulary.RELATIONS`.
        placed: What `places` gives, for all heads and tails.
        by: The column of it that heads and tails stand for.
    """
    heads = placed.select(head=placed[by], at_head="place")
    tails = placed.select(tail=placed[by], at_tail="place")
    joined = rows.join(heads, "head").join(tails, "tail")
    first, last = ibis.least(joined.at_head, joined.at_tail), ibis.greatest(joined.at_head, joined.at_tail)
    edge = (first * HEAD + joined.relation.cast("int64") * RELATION + last).cast("int64")
    return joined.select("pmid", edge=edge).select("edge", "pmid").order_by("edge", "pmid")


def coded(rows: Table) -> Table:
    """Rows of relations with the relations' names as their place in `vocabulary.RELATIONS`."""
    return rows.mutate(relation=rows.relation.cases(*((name, code) for code, name in enumerate(RELATIONS))))


def names(rows: Table) -> Table:
    """Counts added up by (key, name), sorted by key, falling count, then name."""
    # Through a decimal, since DuckDB adds integers up to a 128-bit one, which Parquet would hold as a float.
    total = rows["count"].cast("decimal(18, 0)").sum().cast("int64")
    merged = rows.group_by("key", "name").agg(count=total)
    return merged.order_by("key", ibis.desc("count"), "name")


def last(documents: Table) -> Table:
    """The last read document of each PMID, sorted by PMID."""
    newest = documents.group_by("pmid").agg(position=documents.position.max())
    return documents.semi_join(newest, ["pmid", "position"]).order_by("pmid")


def kind(key: StringValue) -> StringValue:
    """The type of a key: what stands before its first bar."""
    return key.substr(0, key.find("|"))


def ident(key: StringValue) -> StringValue:
    """The id of a key: what stands after its first bar."""
    return key.substr(key.find("|") + 1)


def _rank(key: StringValue) -> StringValue:
    return kind(key).cases(*((name, order(f"{name}|")[0]) for name in sorted(TYPES)), else_="")
