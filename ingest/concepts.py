"""Reader of the entity files: gene2pubtator3, ... or bioconcepts2pubtator3, which is their union.

Tab-separated `pmid  type  id  mentions  resource`, without a header or quoting. Nothing is read as null: `-` and `"`
are mentions like any other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from html import unescape

import pyarrow as pa

from groundwork.ports import Progress
from groundwork.vocabulary import TYPES, VARIANTS
from ingest.identifiers import pmid
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.release import SourceFile

#: A name of a concept and how often it was met. An empty name holds the concept without naming it.
NAMES = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)

_COLUMNS = 5
_HELD = 100_000  # distinct (key, name) counted in memory before they are handed on


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
    counts: Counter[tuple[str, str]] = Counter()
    for file in files:
        for number, line in file.lines(progress):
            if not line:
                continue
            row = _row(line)
            if isinstance(row, Reason):
                rejects.add(file.path, number, row, line)
                continue
            rows.kept += 1
            keys, mentions = row
            for key in keys:
                counts[key, ""] = 0
                for mention in mentions:
                    counts[key, mention] += 1
            if len(counts) >= _HELD:
                yield batch(counts)
                counts.clear()
    yield batch(counts)


def batch(counts: Counter[tuple[str, str]]) -> pa.RecordBatch:
    """Counted names as one batch of `NAMES`."""
    columns = [key for key, _ in counts], [name for _, name in counts], list(counts.values())
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, NAMES, strict=True)], schema=NAMES
    )


def _row(line: bytes) -> tuple[list[str], list[str]] | Reason:
    """Keys and mentions of a line, or why it has none."""
    text = decoded(line)
    if isinstance(text, Reason):
        return text
    fields = text.split("\t")
    if len(fields) != _COLUMNS:
        return Reason.WRONG_COLUMN_COUNT
    if pmid(fields[0]) is None:
        return Reason.BAD_PMID
    kind = fields[1]
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    keys = [f"{kind}|{ident}" for ident in _ids(kind, unescape(fields[2]))]
    if not keys:
        return Reason.EMPTY_ID
    return keys, [mention for mention in fields[3].split("|") if mention.strip()]


def _ids(kind: str, text: str) -> list[str]:
    """The distinct ids of a row. A variant's id has semicolons of its own and is never split."""
    parts = [text] if kind in VARIANTS else text.split(";")
    return list(dict.fromkeys(part for part in parts if part.strip() not in {"", "-"}))
