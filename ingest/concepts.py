"""Reader of the entity files: gene2pubtator3, ... or bioconcepts2pubtator3, which is their union.

Tab-separated `pmid  type  id  mentions  resource`, without a header or quoting. Nothing is read as null: `-` and `"`
are mentions like any other.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from groundwork.ports import Progress
from ingest import entities, tally
from ingest.rejects import Rejects, RowCount
from ingest.release import SourceFile

#: A name of a concept and how often it was met. An empty name holds the concept without naming it.
NAMES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)

#: A document and a concept it holds.
PAIRS = pa.schema([pa.field("pmid", pa.int64(), nullable=False), pa.field("key", pa.string(), nullable=False)])


def read(files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Names of concepts as batches of `NAMES`; the same (key, name) may come in several batches.

    Each mention of a row counts once for every id of the row. A row without mentions holds its concepts.

    Args:
        files: Read one after the other, each to its end.
        rejects: Gets the lines that are no entity row, those whose only id is `-` among them.
        rows: Gets the number of rows kept.
        progress: Is told the bytes read.

    Raises:
        InputError: A file that cannot be read to its end, or holds no row.
    """
    return tally.added(_names(block) for block in entities.read(files, rejects, rows, progress))


def read_pairs(
    files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[pa.RecordBatch]:
    """Which document holds which concepts, as batches of `PAIRS` in the files' order.

    A row gives a pair for every id of it, so a pair comes twice only where two rows say the same.

    Args:
        files: As `read`.
        rejects: As `read`.
        rows: As `read`.
        progress: As `read`.

    Raises:
        InputError: As `read`.
    """
    for block in entities.read(files, rejects, rows, progress):
        keys = block.keys.take(block.ids)
        pmids = block.pmids.take(pc.list_parent_indices(keys))
        yield pa.RecordBatch.from_arrays([pmids, pc.list_flatten(keys)], schema=PAIRS)


def _names(block: entities.Entities) -> pa.RecordBatch:
    """The names of a block with their counts, and every concept of it once without a name."""
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
