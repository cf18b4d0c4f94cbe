"""What the rows of a release mean, as Ibis expressions: the same on whatever engine runs them.

Rows of relations are (pmid, head, relation, tail); rows of names are (key, name, count), where an empty name holds a
concept without naming it.
"""

import ibis
from ibis.expr.types import BooleanValue, StringValue, Table

from groundwork.vocabulary import TYPES, order

#: Goes up when the same file would give another snapshot, or the same snapshots another state: a change is worked out
#: from the state before it. Snapshots made by other rules are not mixed with ours.
RULES = 2


def canonical(rows: Table) -> Table:
    """The same relations with every pair in canonical order (`vocabulary.canonical`)."""
    swapped = _after(rows["head"], rows["tail"])
    return rows.select(
        rows["pmid"],
        rows["relation"],
        head=swapped.ifelse(rows["tail"], rows["head"]),
        tail=swapped.ifelse(rows["head"], rows["tail"]),
    )


def evidence(rows: Table) -> Table:
    """Distinct (head, relation, tail, pmid), sorted by all four: an edge's evidence stands together."""
    return rows.select("head", "relation", "tail", "pmid").distinct().order_by("head", "relation", "tail", "pmid")


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


def _after(a: StringValue, b: StringValue) -> BooleanValue:
    """Whether key a comes after key b in `vocabulary.order`."""
    a_rank, b_rank = _rank(a), _rank(b)
    a_id, b_id = ident(a), ident(b)
    by_id = (a_id > b_id) | ((a_id == b_id) & (kind(a) > kind(b)))
    return (a_rank > b_rank) | ((a_rank == b_rank) & by_id)


def _rank(key: StringValue) -> StringValue:
    return kind(key).cases(*((name, order(f"{name}|")[0]) for name in sorted(TYPES)), else_="")
