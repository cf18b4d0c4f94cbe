"""Sum the counts of equal names in memory, up to a limit, before the rows are written.

A few names occur very often, and most names once. So few repeated rows are left to write.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

_HELD = 500_000  # maximum number of rows (key, name, count) in memory, not counting the newest batch


def added(counts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches of rows (key, name, count), in which rows of the same key and name are summed.

    The same key and name may still be in several batches, because memory holds only about `_HELD` rows.
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
        # If many rows remain, summing saves little memory, so they are yielded. Thus each row is summed about twice.
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
