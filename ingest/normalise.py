"""Ibis expressions that normalise the rows of a release. They are the same on every engine.

Rows of relations are (pmid, head, relation, tail), where head and tail are keys or their numbers. Rows of names are
(key, name, count). A row with an empty name only says that the concept exists.
"""

from collections.abc import Iterable

import ibis
import numpy as np
import pyarrow as pa
from ibis.expr.types import StringValue, Table

from groundwork.vocabulary import RELATIONS, TYPES, order

#: Version of the rules in this module. Increase it if the same file would give another snapshot than before, or if the
#: same snapshots would give another graph. A load computes its changes from the previous graph, so snapshots of
#: different versions are not used together.
RULES = 4

#: An edge is packed into one number: place of head * HEAD + relation * RELATION + place of tail. A place is a concept's
#: position in the canonical order (`places`). There is room for 2^28 concepts.
RELATION = 2**28
HEAD = 2**34


def places(keys: Table) -> Table:
    """Return the table with a column `place`: the position of the key in the canonical order (`vocabulary.order`).

    Positions are counted from 0. Equal keys have the same place.

    Args:
        keys: A table with a column `key`.
    """
    key = keys["key"]
    return keys.mutate(place=ibis.dense_rank().over(order_by=[_rank(key), ident(key), kind(key)]))


def in_place(placed: Iterable[pa.RecordBatch]) -> pa.StringArray:
    """Return the distinct keys in the order of their places, given the result of `places`."""
    batches = list(placed)
    keys = [key for batch in batches for key in batch.column("key").to_pylist()]
    places = np.concatenate([batch.column("place").to_numpy() for batch in batches] or [np.array([], np.int64)])
    _, first = np.unique(places, return_index=True)
    return pa.array(keys, pa.string()).take(pa.array(first))


def evidence(rows: Table, placed: Table, by: str) -> Table:
    """Return (edge, pmid) of rows of relations, sorted by edge, then PMID. Repeated rows remain.

    Head and tail are put in canonical order, and the edge is packed into one number, which `fold` unpacks. Sorting one
    number is several times faster than sorting three texts.

    Args:
        rows: (pmid, head, relation, tail), where the relation is its position in `vocabulary.RELATIONS`.
        placed: The result of `places` for all heads and tails.
        by: The column of `placed` that contains the values of heads and tails.
    """
    heads = placed.select(head=placed[by], at_head="place")
    tails = placed.select(tail=placed[by], at_tail="place")
    joined = rows.join(heads, "head").join(tails, "tail")
    first, last = ibis.least(joined.at_head, joined.at_tail), ibis.greatest(joined.at_head, joined.at_tail)
    edge = (first * HEAD + joined.relation.cast("int64") * RELATION + last).cast("int64")
    return joined.select("pmid", edge=edge).select("edge", "pmid").order_by("edge", "pmid")


def coded(rows: Table) -> Table:
    """Return rows of relations with each relation as its position in `vocabulary.RELATIONS`."""
    return rows.mutate(relation=rows.relation.cases(*((name, code) for code, name in enumerate(RELATIONS))))


def names(rows: Table) -> Table:
    """Return the counts summed by (key, name), sorted by key, descending count, then name."""
    return _summed(rows).order_by("key", ibis.desc("count"), "name")


def described(held: Table, added: Table) -> Table:
    """Return rows (key, name, count, held, organism, description) for `fold.concepts`, sorted as it needs them.

    Args:
        held: Name rows of the concepts of a graph; one with an empty name only says that its concept exists.
        added: What thesauri say (`thesauri.ADDED`), also about other concepts. Rows of these are not `held`.
    """
    more = added.select("key", "name", count=ibis.literal(0, "int64"), held=ibis.literal(False))
    rows = _summed(held.mutate(held=ibis.literal(True)).select("key", "name", "count", "held").union(more))
    facts = added.filter(added.organism != "").select("key", "organism", "description", preferred="name")
    known = rows.left_join(facts, "key")
    told = known.select(
        "key", "name", "count", "held", first=ibis.coalesce(known.preferred == known.name, False),
        **{name: ibis.coalesce(known[name], "") for name in ("organism", "description")},
    )  # fmt: skip
    return told.order_by("key", ibis.desc("first"), ibis.desc("count"), "name").drop("first")


def _summed(rows: Table) -> Table:
    """Return the counts summed by (key, name). A column `held` is true if it is true in any of the rows."""
    # DuckDB sums integers to 128 bits, and Parquet would store these as floats. A decimal avoids this.
    total = rows["count"].cast("decimal(18, 0)").sum().cast("int64")
    held = {"held": rows["held"].any()} if "held" in rows.columns else {}
    return rows.group_by("key", "name").agg(count=total, **held)


def last(documents: Table) -> Table:
    """Return, for each PMID, the document that was read last, sorted by PMID."""
    newest = documents.group_by("pmid").agg(position=documents.position.max())
    return documents.semi_join(newest, ["pmid", "position"]).order_by("pmid")


def kind(key: StringValue) -> StringValue:
    """Return the type of a key: the text before its first bar."""
    return key.substr(0, key.find("|"))


def ident(key: StringValue) -> StringValue:
    """Return the id of a key: the text after its first bar."""
    return key.substr(key.find("|") + 1)


def _rank(key: StringValue) -> StringValue:
    return kind(key).cases(*((name, order(f"{name}|")[0]) for name in sorted(TYPES)), else_="")
