"""Reader of the entity files: gene2pubtator3, ... or their union bioconcepts2pubtator3.

The files have the tab-separated columns `pmid  type  id  mentions  resource`, without a header or quoting. Nothing is
read as null: `-` and `"` are mentions like any other.

A few names occur very often, and most names once. So the counts of equal names are summed in memory, up to a limit,
before the rows are written, and few repeated rows are left to write.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from groundwork.ports import Progress
from ingest import entities
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

#: A name of a concept and its number of mentions. A row with an empty name only says that the concept exists.
NAMES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)

#: A document and a concept that it mentions.
PAIRS = pa.schema([pa.field("pmid", pa.int64(), nullable=False), pa.field("key", pa.string(), nullable=False)])
_HELD = 500_000  # maximum number of rows (key, name, count) in memory, not counting the newest batch


def read(files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Yield the names of concepts as batches of `NAMES`; the same (key, name) may be in several batches.

    Each mention of a row counts once for every id of the row. A row without mentions only says that its concepts exist.

    Args:
        files: The files, each read to its end, one after the other.
        rejects: Receives the lines that are not entity rows, including those whose only id is `-`.
        rows: Receives the number of rows kept.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, or contains no row.
    """
    return summed(_names(block) for block in entities.read(files, rejects, rows, progress))


def read_pairs(
    files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    """Yield which document mentions which concepts, as batches of `PAIRS` in the files' order.

    A row gives one pair for each of its ids. A pair is repeated only if two rows have the same document and id.

    Args:
        files: As in `read`.
        rejects: As in `read`.
        rows: As in `read`.
        progress: As in `read`.

    Raises:
        InputError: As in `read`.
    """
    for block in entities.read(files, rejects, rows, progress):
        keys = block.keys.take(block.ids)
        pmids = block.pmids.take(pc.list_parent_indices(keys))
        yield pa.RecordBatch.from_arrays([pmids, pc.list_flatten(keys)], schema=PAIRS)


def _names(block: entities.Entities) -> pa.RecordBatch:
    """Return the names in a block with their counts. Each concept also has a row with an empty name and the count 0."""
    mentions = pc.split_pattern(block.mentions, "|")
    met = pa.table({"id": block.ids.take(pc.list_parent_indices(mentions)), "name": pc.list_flatten(mentions)})
    counted = met.group_by(["id", "name"], use_threads=False).aggregate([([], "count_all")])
    blank = pc.or_(pc.equal(counted["name"], ""), pc.utf8_is_space(counted["name"]))
    named = counted.filter(pc.invert(blank)).combine_chunks()
    held = pc.unique(block.ids)
    ids, names, counts = (
        pa.concat_arrays([first, *named[column].chunks])
        for first, column in (
            (held, "id"),
            (pa.array([""], pa.string()).take(pa.array([0] * len(held), pa.int32())), "name"),
            (pa.array([0] * len(held), pa.int64()), "count_all"),
        )
    )
    keys = block.keys.take(ids)
    rows = pc.list_parent_indices(keys)
    return pa.RecordBatch.from_arrays([pc.list_flatten(keys), names.take(rows), counts.take(rows)], schema=NAMES)


def summed(counts: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
