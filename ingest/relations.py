"""Reader of relation2pubtator3: tab-separated `pmid  relation  Type|ID  Type|ID`, without a header or quoting.

Blocks of lines are read column by column. Lines with a possible error are then read one by one, to find the error.
"""

from collections.abc import Iterable, Iterator
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from groundwork.ports import Progress
from groundwork.vocabulary import RELATIONS
from ingest import identifiers
from ingest.columns import Keys, columns, key
from ingest.rejects import Reason, Rejects, RowCount, fields
from ingest.release import Block, SourceFile

#: Rows of numbers. Head and tail are numbers of keys (column `code` of `keys.KEYS`). The head is the concept that
#: comes first in the row of the file. The relation is a position in `vocabulary.RELATIONS`.
ROWS = pa.schema(
    [
        pa.field("pmid", pa.int64(), nullable=False),
        pa.field("head", pa.int32(), nullable=False),
        pa.field("relation", pa.int32(), nullable=False),
        pa.field("tail", pa.int32(), nullable=False),
    ]
)

_TYPES = {
    "pmid": pa.string(),  # Arrow accepts more as a number than this program: `0x1f`, `-1`, blanks around it
    "relation": pa.dictionary(pa.int32(), pa.string()),
    "head": pa.string(),
    "tail": pa.string(),
}
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}

Row = tuple[int, int, int, int]


class RelationReader:
    """Reads rows of relations as batches of `ROWS`.

    Args:
        folder: The folder for the file of keys (`keys.KEYS`), which is complete after the last batch.
    """

    def __init__(self, folder: Path) -> None:
        self._file = keys_file(folder)

    def __call__(
        self, files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows of relations.

        Args:
            files: The files, each read to its end, one after the other.
            rejects: Receives the lines that are not relations.
            rows: Receives the number of rows kept.
            progress: Receives the number of bytes read.

        Raises:
            InputError: If a file cannot be read to its end, or contains no row.
        """
        with Keys(self._file) as keys:
            for file in files:
                for block in file.blocks(progress):
                    batch = read_block(block, keys, file.path, rejects)
                    rows.kept += batch.num_rows
                    yield batch
            rows.organisms |= keys.organisms


def keys_file(folder: Path) -> Path:
    """Return the path of the file of keys (`keys.KEYS`) in the folder that also contains the rows."""
    return folder / "keys.parquet"


def read_block(block: Block, keys: Keys, path: str, rejects: Rejects) -> pa.RecordBatch:
    """Return the rows of a block that can be kept. Reject all other lines, in the file's order."""
    found = columns(block, _TYPES)
    numbers = _numbers(found.table, keys)
    good = np.logical_and.reduce([column >= 0 for column in numbers])
    whole = bool(good.all())
    doubtful = found.odd() if whole else found.odd() + found.lines(np.flatnonzero(~good))
    more: list[Row] = []
    for number, line in sorted(doubtful, key=itemgetter(0)):
        row = _row(line, keys)
        if isinstance(row, Reason):
            rejects.add(path, number, row, line)
        else:
            more.append(row)
    if not whole:
        numbers = [column[good] for column in numbers]
    if more:
        numbers = [np.append(column, some) for column, some in zip(numbers, zip(*more, strict=True), strict=True)]
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(numbers, ROWS, strict=True)], schema=ROWS
    )


def _numbers(table: pa.Table, keys: Keys) -> list[npt.NDArray[np.int64]]:
    """Return the table as columns of `ROWS`; a negative number marks an invalid value."""
    pmids, relations, heads, tails = (table.column(name).combine_chunks() for name in _TYPES)
    numbers = identifiers.pmids(pmids)
    names = np.array([_CODES.get(name, -1) for name in relations.dictionary.to_pylist()], np.int32)
    head, tail = keys.codes(heads, tails)
    return [np.where(numbers, numbers, -1), head, names[relations.indices.to_numpy()], tail]


def _row(line: bytes, keys: Keys) -> Row | Reason:
    """Return one line as a row, or the reason why it is not a row."""
    found = fields(line, len(_TYPES))
    if isinstance(found, Reason):
        return found
    number = identifiers.pmid(found[0])
    if number is None:
        return Reason.BAD_PMID
    relation = _CODES.get(found[1])
    if relation is None:
        return Reason.UNKNOWN_RELATION
    for end in found[2:]:
        if isinstance(wrong := key(end), Reason):
            return wrong
    return number, keys.code(found[2]), relation, keys.code(found[3])
