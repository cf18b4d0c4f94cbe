"""Reader of relation2pubtator3: tab-separated `pmid  relation  Type|ID  Type|ID`, without a header or quoting.

A block of lines is read column by column; where anything in it is out of the ordinary it is read line by line
instead, which says what is wrong. Both ways give the same rows.
"""

from collections.abc import Iterable, Iterator
from html import unescape

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from groundwork.ports import Progress
from groundwork.vocabulary import RELATIONS, TYPES
from ingest.blocks import Block
from ingest.identifiers import pmid
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.release import SourceFile

#: Rows as they stand in the file, with unescaped keys; the pair in the file's order.
ROWS = pa.schema(
    [
        pa.field("pmid", pa.int64(), nullable=False),
        pa.field("head", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("tail", pa.string(), nullable=False),
    ]
)

_COLUMNS = ["pmid", "relation", "head", "tail"]  # in the file's order
_NAMES = pa.dictionary(pa.int32(), pa.string())
_KNOWN_KEYS = 500_000  # how many checked keys are remembered
_KNOWN_RELATIONS = frozenset(RELATIONS)


def read(files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Rows of relations as batches of `ROWS`.

    Args:
        files: Read one after the other, each to its end.
        rejects: Gets the lines that are no relation.
        rows: Gets the number of rows kept.
        progress: Is told the bytes read.

    Raises:
        InputError: A file that cannot be read to its end, or holds no row.
    """
    keys: dict[str, str | Reason] = {}
    for file in files:
        for block in file.blocks(progress):
            if len(keys) > _KNOWN_KEYS:
                keys.clear()
            batch = _columns(block, keys)
            if batch is None:
                batch = _lines(file.path, block, keys, rejects)
            rows.kept += batch.num_rows
            yield batch


def key(text: str) -> str | Reason:
    """The key `Type|ID` with HTML entities unescaped, or why it is none."""
    plain = unescape(text)
    kind, _, ident = plain.partition("|")
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    return Reason.EMPTY_ID if ident.strip() in {"", "-"} else plain


def _columns(block: Block, keys: dict[str, str | Reason]) -> pa.RecordBatch | None:
    """All rows of a block, or None if one of them may have to be rejected."""
    data = block.data.replace(b"\r\n", b"\n")
    if block.overlong or b"\0" in data or b"\r" in data or data.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=_COLUMNS),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False, double_quote=False),
            convert_options=csv.ConvertOptions(
                column_types={"pmid": pa.string(), "relation": _NAMES, "head": _NAMES, "tail": _NAMES}
            ),
        )
    except pa.ArrowInvalid:
        return None
    pmids = table.column("pmid").combine_chunks()
    if not pc.all(pc.match_substring_regex(pmids, r"^0*[1-9][0-9]*$"), min_count=0).as_py():
        return None
    if (pc.max(pc.binary_length(pmids)).as_py() or 0) > 18:
        return None
    relations, heads, tails = (table.column(name).combine_chunks() for name in _COLUMNS[1:])
    if not _KNOWN_RELATIONS.issuperset(relations.dictionary.to_pylist()):
        return None
    ends = [_checked(column, keys) for column in (heads, tails)]
    if ends[0] is None or ends[1] is None:
        return None
    return pa.RecordBatch.from_arrays(
        [pmids.cast(pa.int64()), ends[0], relations.dictionary_decode(), ends[1]], schema=ROWS
    )


def _checked(column: pa.DictionaryArray, known: dict[str, str | Reason]) -> pa.StringArray | None:
    """The keys of a column, or None if one of them is none."""
    found = [_known(text, known) for text in column.dictionary.to_pylist()]
    if any(isinstance(key, Reason) for key in found):
        return None
    return pa.array(found, pa.string()).take(column.indices)


def _known(text: str, known: dict[str, str | Reason]) -> str | Reason:
    found = known.get(text)
    if found is None:
        found = known[text] = key(text)
    return found


def _lines(path: str, block: Block, keys: dict[str, str | Reason], rejects: Rejects) -> pa.RecordBatch:
    """The rows of a block that can be kept; the others are rejected."""
    kept: list[tuple[int, str, str, str]] = []
    for number, line in block.lines():
        if not line:
            continue
        row = _row(line, keys)
        if isinstance(row, Reason):
            rejects.add(path, number, row, line)
        else:
            kept.append(row)
    columns = zip(*kept, strict=True) if kept else ([] for _ in ROWS)
    return pa.RecordBatch.from_arrays(
        [pa.array(list(column), field.type) for column, field in zip(columns, ROWS, strict=True)], schema=ROWS
    )


def _row(line: bytes, keys: dict[str, str | Reason]) -> tuple[int, str, str, str] | Reason:
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    fields = text.split("\t")
    if len(fields) != len(_COLUMNS):
        return Reason.WRONG_COLUMN_COUNT
    number = pmid(fields[0])
    if number is None:
        return Reason.BAD_PMID
    if fields[1] not in _KNOWN_RELATIONS:
        return Reason.UNKNOWN_RELATION
    head, tail = _known(fields[2], keys), _known(fields[3], keys)
    if isinstance(head, Reason):
        return head
    return tail if isinstance(tail, Reason) else (number, head, fields[1], tail)
