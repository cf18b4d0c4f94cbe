"""Counted names added up in memory, up to a bound.

The same few names come again and again and the rest once, so most of the adding up is done before anything is written.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

_HELD = 500_000  # rows (key, name, count) held at most, beside those of one batch


def added(counts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches (key, name, count) with equal (key, name) added up as far as memory allows.

    The counts add up to the same; the same (key, name) may still come in several batches.
    """
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in counts:
        held.append(batch)
        rows += batch.num_rows
        if rows < _HELD:
            continue
        merged = _sum(held)
        held, rows = [merged], merged.num_rows
        # Handed on when adding up no longer makes room: each row is then added up about twice.
        if rows > _HELD // 2:
            yield merged
            held, rows = [], 0
    if held:
        yield _sum(held)


def _sum(held: list[pa.RecordBatch]) -> pa.RecordBatch:
    schema = held[0].schema
    sums = pa.Table.from_batches(held).group_by(["key", "name"], use_threads=False).aggregate([("count", "sum")])
    columns = [column.combine_chunks() for column in sums.select(["key", "name", "count_sum"]).columns]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
