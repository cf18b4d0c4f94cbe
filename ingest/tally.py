"""Sum counted names in memory, up to a limit.

A few names occur again and again and the others once, so most of the summing is done before anything is written.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

_HELD = 500_000  # maximum number of rows (key, name, count) in memory, not counting the newest batch


def added(counts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches (key, name, count) in which equal (key, name) are summed as far as memory allows.

    The totals are unchanged; the same (key, name) may still be in several batches.
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
