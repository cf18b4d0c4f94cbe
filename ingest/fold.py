"""Fold sorted rows into one row per key. This row holds the values of the other columns as lists.

The rows are a stream, so a list needs memory only while it is built. (A database's list aggregates keep all lists in
memory and do not spill to the disk.)
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.tables import CONCEPTS, EDGES
from groundwork.vocabulary import RELATIONS
from ingest.normalise import HEAD, RELATION

_RELATIONS = pa.array(RELATIONS)

_Positions = np.ndarray[tuple[int], np.dtype[np.int64]]


def edges(rows: Iterable[pa.RecordBatch], keys: pa.StringArray) -> Iterator[pa.RecordBatch]:
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


def concepts(rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
