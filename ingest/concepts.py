"""Reader of the entity files: gene2pubtator3, ... or their union bioconcepts2pubtator3.

The files have the tab-separated columns `pmid  type  id  mentions  resource`, without a header or quoting. Nothing is
read as null: `-` and `"` are mentions like any other.

A few names occur very often, and most names once. So the counts of equal names are summed in memory, up to a limit,
before the rows are written, and few repeated rows are left to write.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.ports import Progress
from groundwork.vocabulary import TYPES, VARIANTS
from ingest import identifiers
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.release import Block, Places, SourceFile, spans

#: A number for each row: `_KEPT`, or the number that `_verdict` gives for the reason why the row is rejected.
_Verdicts = np.ndarray[tuple[int], np.dtype[np.int8]]

#: The verdict of a row that is kept.
_KEPT = -1

_REASONS = tuple(Reason)
_TAB, _NEWLINE = b"\t\n"
_TABS = 4  # number of tabs between pmid, type, id, mentions and resource


def _verdict(reason: Reason) -> int:
    """Return the number that stands for a reason in `_Verdicts`."""
    return _REASONS.index(reason)


def _reasons(verdicts: _Verdicts) -> pa.StringArray:
    """Return the reason of each rejected row as a text, as in receipts."""
    return pa.array(_REASONS, pa.string()).take(pa.array(verdicts))


@dataclass(frozen=True, slots=True)
class _Lines:
    """The non-empty lines of a block.

    Attributes:
        data: The bytes of the block; a line end is added if the block does not end with one.
        marks: Positions of the tabs and line ends in `data`.
        numbers: Number of each line within the block, counted from 0. Empty lines are counted too.
        starts: Position in `data` at which each line starts.
        ends: Position in `data` at which each line ends, before LF or CR LF.
        last: For each line, the index in `marks` of its line end.
        tabs: Number of tabs of each line.
    """

    data: bytes
    marks: Places
    numbers: Places
    starts: Places
    ends: Places
    last: Places
    tabs: Places

    @classmethod
    def of(cls, block: Block) -> "_Lines":
        """Return the lines of a block that is not an overlong line."""
        data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
        octets = np.frombuffer(data, np.uint8)
        marks = np.flatnonzero(octets - np.uint8(_TAB) < 2)  # tab is 9, line end 10; smaller bytes become large numbers
        last = np.flatnonzero(octets[marks] == _NEWLINE)
        starts, ends = spans(octets, marks[last])
        tabs = np.diff(last, prepend=-1) - 1
        full = np.flatnonzero(starts < ends)
        return cls(data, marks, full, starts[full], ends[full], last[full], tabs[full])

    def between(self, starts: Places, ends: Places, kind: pa.DataType) -> pa.Array:
        """Return the text from each start up to (not including) its end. The texts must be in order and not overlap."""
        offsets = np.empty(2 * len(starts) + 1, np.int32)
        offsets[:-1:2], offsets[1::2], offsets[-1] = starts, ends, len(self.data)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        pieces = pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
        return pieces.take(pa.array(np.arange(0, len(pieces), 2)))

    def column(self, rows: Places, first: int, last: int) -> pa.StringArray:
        """Return columns `first` to `last` (inclusive, numbered from 0) of each given line as one text."""
        tabs = self.last[rows] - self.tabs[rows]  # index of each line's first tab
        starts = self.marks[tabs + first - 1] + 1 if first else self.starts[rows]
        return self.between(starts, self.marks[tabs + last], pa.string())

    def verdicts(self, tabs: int) -> _Verdicts:
        """Return the verdict of each line: `_KEPT` if it is valid text with `tabs` tabs, else why it is rejected."""
        found = np.full(len(self.tabs), _KEPT, np.int8)
        found[self.tabs != tabs] = _verdict(Reason.WRONG_COLUMN_COUNT)
        if isinstance(decoded(self.data), Reason):
            octets = np.frombuffer(self.data, np.uint8)
            places = np.flatnonzero((octets == 0) | (octets > 127))
            for line in np.unique(np.searchsorted(self.starts, places, "right") - 1):
                reason = decoded(self.data[self.starts[line] : self.ends[line]])
                if isinstance(reason, Reason):
                    found[line] = _verdict(reason)
        return found


def _alternatives(types: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(types)))


#: A text `Type TAB id` that is a key if the tab is replaced by a bar: `identifiers.keys` would return the id unchanged.
#: The id of a variant must also not match `_MISSING`.
_ORDINARY = (
    rf"^(?:(?:{_alternatives(TYPES - VARIANTS)})\t{identifiers.ORDINARY}"
    rf"|(?:{_alternatives(VARIANTS)})\t[!-%'-~]+)$"
)
_MISSING = r"(?i)\t(?:[^:]*:)?(?:-|-1|none)?$"


@dataclass(frozen=True, slots=True)
class Entities:
    """The rows of a block that can be kept, in the file's order.

    Attributes:
        pmids: PMID of each row, int64.
        ids: For each row, the position in `keys` of the list of its keys, int32.
        mentions: Mentions of each row as in the file, joined by bars; empty if there are none.
        keys: Lists of distinct keys; some lists may belong to no row.
    """

    pmids: pa.Int64Array
    ids: pa.Int32Array
    mentions: pa.StringArray
    keys: pa.ListArray


def read_entities(
    files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress
) -> Iterator[Entities]:
    """Yield the entity rows of some files, block by block.

    Args:
        files: The files, each read to its end, one after the other.
        rejects: Receives the lines that are not entity rows, including those whose only id is `-`.
        rows: Receives the number of rows kept.
        progress: Receives the number of bytes read.

    Raises:
        InputError: If a file cannot be read to its end, or contains no row.
    """
    for file in files:
        for block in file.blocks(progress):
            if block.overlong:
                rejects.add(file.path, block.number, Reason.OVERLONG_LINE, block.data)
                continue
            lines = _Lines.of(block)
            found, verdicts = _entities(lines, rows.organisms)
            refused = np.flatnonzero(verdicts != _KEPT)
            rejects.add_all(
                file.path,
                pa.array(lines.numbers[refused] + block.number),
                _reasons(verdicts[refused]),
                lines.between(lines.starts[refused], lines.ends[refused], pa.binary()),
            )
            rows.kept += len(found.ids)
            yield found


def _entities(lines: _Lines, organisms: dict[str, str]) -> tuple[Entities, _Verdicts]:
    """Return the rows that can be kept, and the verdict of each line. Add the organisms that their ids tell."""
    verdicts = lines.verdicts(_TABS)
    rows = np.flatnonzero(verdicts == _KEPT)
    ids = lines.column(rows, 1, 2).dictionary_encode()
    positions = ids.indices.to_numpy()
    keys, unkeyed = _keys(ids.dictionary)
    for text in ids.dictionary.filter(pc.match_substring(ids.dictionary, "(tax:", ignore_case=True)).to_pylist():
        organisms |= identifiers.organisms(*text.split("\t", 1))
    pmids = identifiers.pmids(lines.column(rows, 0, 0))
    verdicts[rows] = np.where(pmids == 0, _verdict(Reason.BAD_PMID), unkeyed[positions])
    kept = np.flatnonzero(verdicts[rows] == _KEPT)
    mentions = lines.column(rows[kept], 3, 3)
    return Entities(pa.array(pmids[kept]), pa.array(positions[kept]), mentions, keys), verdicts


def _keys(texts: pa.StringArray) -> tuple[pa.ListArray, _Verdicts]:
    """Return the keys of each text `Type TAB id`, and the verdict of each text: `_KEPT`, or why it has no keys."""
    short = pc.less_equal(pc.binary_length(texts), identifiers.KEY_BYTES)
    ordinary = pc.and_(short, pc.match_substring_regex(texts, _ORDINARY))
    ordinary = pc.and_not(ordinary, pc.match_substring_regex(texts, _MISSING))
    others = np.flatnonzero(~ordinary.to_numpy(zero_copy_only=False))
    parsed = [_parsed(text) for text in texts.take(pa.array(others)).to_pylist()]
    verdicts = np.full(len(texts), _KEPT, np.int8)
    verdicts[others] = [_verdict(found) if isinstance(found, Reason) else _KEPT for found in parsed]
    lists = [() if isinstance(found, Reason) else found for found in parsed]
    sizes = np.ones(len(texts), np.int32)
    sizes[others] = [len(keys) for keys in lists]
    single = pc.replace_substring(texts.filter(ordinary), "\t", "|", max_replacements=1)
    owners = np.concatenate([np.setdiff1d(np.arange(len(texts)), others), np.repeat(others, sizes[others])])
    flat = pa.concat_arrays([single, pa.array(chain.from_iterable(lists), pa.string())])
    in_order = flat.take(pa.array(np.argsort(owners, kind="stable")))
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), in_order), verdicts


def _parsed(text: str) -> tuple[str, ...] | Reason:
    """Return the distinct keys of a text `Type TAB id`, or why it has none."""
    kind, _, ident = text.partition("\t")
    return identifiers.keys(kind, ident) if kind in TYPES else Reason.UNKNOWN_TYPE


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
    return summed(_names(block) for block in read_entities(files, rejects, rows, progress))


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
    for block in read_entities(files, rejects, rows, progress):
        keys = block.keys.take(block.ids)
        pmids = block.pmids.take(pc.list_parent_indices(keys))
        yield pa.RecordBatch.from_arrays([pmids, pc.list_flatten(keys)], schema=PAIRS)


def _names(block: Entities) -> pa.RecordBatch:
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
