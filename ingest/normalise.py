"""Ibis expressions that normalise the rows of a release. They are the same on every engine.

Rows of relations are (pmid, head, relation, tail), where head and tail are keys or their numbers. Rows of names are
(key, name, count). A row with an empty name only says that the concept exists.
"""

from collections.abc import Iterable, Iterator, Sequence

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ibis.expr.types import StringValue, Table

from groundwork.tables import CONCEPTS, EDGES
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
    """Return rows (key, name, count, held, organism, description) for `folded_concepts`, sorted as it needs them.

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


_RELATIONS = pa.array(RELATIONS)

_Positions = np.ndarray[tuple[int], np.dtype[np.int64]]


def folded_edges(rows: Iterable[pa.RecordBatch], keys: pa.StringArray) -> Iterator[pa.RecordBatch]:
    """Fold the rows (edge, pmid) that `normalise.evidence` returns, and yield batches of `tables.EDGES`.

    Args:
        rows: Rows sorted by both columns; repeats are ignored.
        keys: The keys in canonical order (the result of `normalise.in_place`). `edge` contains the places of head and
            tail, which are indices of this array.
    """
    for batch, starts in _groups(rows, ("edge",)):
        edge, pmid = (batch.column(name).to_numpy() for name in ("edge", "pmid"))
        new = np.append(True, pmid[1:] != pmid[:-1])
        new[starts] = True
        packed, pmid = edge[starts], pmid[new]
        heads, tails = keys.take(pa.array(packed // HEAD)), keys.take(pa.array(packed % RELATION))
        relations = _RELATIONS.take(pa.array(packed % HEAD // RELATION))
        pmids = pa.ListArray.from_arrays(_offsets(np.cumsum(new)[starts] - 1, len(pmid)), pa.array(pmid))
        yield pa.RecordBatch.from_arrays([heads, relations, tails, pmids], schema=EDGES)


def folded_concepts(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Fold rows (key, name, count, held, organism, description), and yield batches of `tables.CONCEPTS`.

    The rows must be sorted by key, with the preferred name first. A row with an empty name says only that the concept
    exists. A concept without names gets its id as its name. A key of which no row is `held` is not in the graph, and is
    left out. Organism and description are the same in all rows of a key.
    """
    for batch, starts in _groups(rows, ("key",)):
        batch, starts = _held(batch, starts)
        if not len(starts):
            continue
        named = pc.not_equal(batch.column("name"), "").to_numpy(zero_copy_only=False)
        before = np.concatenate(([0], np.cumsum(named)))  # number of names before each row
        offsets = pa.array(before[np.append(starts, batch.num_rows)], pa.int32())
        names, counts = (batch.column(name).filter(pa.array(named)) for name in ("name", "count"))
        keys, organisms, descriptions = (batch.column(name).take(starts) for name in ("key", "organism", "description"))
        synonyms = pa.ListArray.from_arrays(offsets, names)
        ids = pc.replace_substring_regex(keys, r"^[^|]*\|", "")
        first = pc.list_element(pc.if_else(pc.greater(pc.list_value_length(synonyms), 0), synonyms, _nobody), 0)
        preferred = pc.if_else(pc.equal(first, ""), ids, first)
        yield pa.RecordBatch.from_arrays(
            [keys, preferred, synonyms, pa.ListArray.from_arrays(offsets, counts), organisms, descriptions],
            schema=CONCEPTS,
        )


def _held(batch: pa.RecordBatch, starts: _Positions) -> tuple[pa.RecordBatch, _Positions]:
    """Return the groups in which any row is held, and the positions at which they start."""
    held = np.logical_or.reduceat(batch.column("held").to_numpy(zero_copy_only=False), starts)
    if held.all():
        return batch, starts
    sizes = np.diff(np.append(starts, batch.num_rows))
    return batch.filter(pa.array(np.repeat(held, sizes))), np.cumsum(np.append(0, sizes[held]))[:-1]


_nobody = pa.scalar([""], pa.list_(pa.string()))


def _groups(rows: Iterable[pa.RecordBatch], keys: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, _Positions]]:
    """Yield batches of whole groups, each with the positions at which its groups start.

    A group is a run of rows with equal values in the columns `keys`.
    """
    rest: pa.RecordBatch | None = None
    for batch in rows:
        joined = batch if rest is None else _joined(rest, batch)
        if not joined.num_rows:
            continue
        starts = _starts(joined, keys)
        if len(starts) > 1:
            yield joined.slice(0, starts[-1]), starts[:-1]
        rest = joined.slice(starts[-1])
    if rest is not None:
        yield rest, _starts(rest, keys)


def _starts(batch: pa.RecordBatch, keys: Sequence[str]) -> _Positions:
    new = np.zeros(batch.num_rows, dtype=bool)
    new[0] = True
    for name in keys:
        column = batch.column(name)
        new[1:] |= pc.not_equal(column.slice(1), column.slice(0, len(column) - 1)).to_numpy(zero_copy_only=False)
    return np.flatnonzero(new)


def _offsets(starts: _Positions, rows: int) -> pa.Array:
    return pa.array(np.append(starts, rows), pa.int32())


def _joined(first: pa.RecordBatch, second: pa.RecordBatch) -> pa.RecordBatch:
    return pa.Table.from_batches([first, second]).combine_chunks().to_batches()[0]
