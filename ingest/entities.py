"""Entity rows, a block of lines at a time: which of them can be kept, and why the others cannot.

The columns are cut out of a block where its tabs and line ends are, without a parser: nothing is quoted and nothing is
null, so every tab and every line end counts. Python looks only at what is out of the ordinary, and at each id once.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from groundwork.ports import Progress
from groundwork.vocabulary import TYPES, VARIANTS
from ingest.blocks import Block
from ingest.rejects import Reason, Rejects, RowCount, decoded
from ingest.release import SourceFile

_Positions = np.ndarray[tuple[int], np.dtype[np.int64]]
_Reasons = np.ndarray[tuple[int], np.dtype[np.int8]]  # positions in _REASONS, or _KEPT

_TAB, _NEWLINE, _RETURN = b"\t\n\r"
_TABS = 4  # between pmid, type, id, mentions and resource
_PMID_DIGITS = 18  # as `identifiers.pmid`

_REASONS = tuple(Reason)
_KEPT = -1


def _ordinary(types: Iterable[str], separators: str) -> str:
    """Type and id, where the id has a letter or digit and nothing that has to be split or unescaped."""
    return rf"(?:{'|'.join(map(re.escape, sorted(types)))})\t[^{separators}]*[0-9A-Za-z][^{separators}]*"


_ORDINARY = f"^(?:{_ordinary(TYPES - VARIANTS, '&;')}|{_ordinary(VARIANTS, '&')})$"


@dataclass(frozen=True, slots=True)
class Entities:
    """The rows of a block that can be kept, in the file's order.

    Attributes:
        pmids: Of each row, int64.
        ids: Of each row the position in `keys`, int32.
        mentions: Of each row as they stand, joined by bars; empty where there are none.
        keys: Lists of distinct keys; some may belong to no row.
    """

    pmids: pa.Int64Array
    ids: pa.Int32Array
    mentions: pa.StringArray
    keys: pa.ListArray


def read(files: Iterable[SourceFile], rejects: Rejects, rows: RowCount, progress: Progress) -> Iterator[Entities]:
    """The entity rows of some files, block by block.

    Args:
        files: Read one after the other, each to its end.
        rejects: Gets the lines that are no entity row, those whose only id is `-` among them.
        rows: Gets the number of rows kept.
        progress: Is told the bytes read.

    Raises:
        InputError: A file that cannot be read to its end, or holds no row.
    """
    for file in files:
        for block in file.blocks(progress):
            if block.overlong:
                rejects.add(file.path, block.number, Reason.OVERLONG_LINE, block.data)
                continue
            lines = _Lines.of(block)
            found, reasons = _entities(lines)
            refused = np.flatnonzero(reasons != _KEPT)
            rejects.add_all(
                file.path,
                pa.array(lines.numbers[refused] + block.number),
                pa.array(_REASONS, pa.string()).take(pa.array(reasons[refused])),
                lines.between(lines.starts[refused], lines.ends[refused], pa.binary()),
            )
            rows.kept += len(found.ids)
            yield found


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a block that are not empty.

    Attributes:
        data: The block; it ends with a line end.
        marks: Where the tabs and line ends are.
        numbers: Of each line, 0 for the block's first.
        starts: Where each line starts ...
        ends: ... and where it ends, without a trailing CR.
        last: Of each line the position of its line end in `marks`.
        tabs: How many each line has.
    """

    data: bytes
    marks: _Positions
    numbers: _Positions
    starts: _Positions
    ends: _Positions
    last: _Positions
    tabs: _Positions

    @classmethod
    def of(cls, block: Block) -> "_Lines":
        data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
        octets = np.frombuffer(data, np.uint8)
        marks = np.flatnonzero(octets - np.uint8(_TAB) < 2)  # tab 9, line end 10; what is less than a tab wraps around
        last = np.flatnonzero(octets[marks] == _NEWLINE)
        ends = marks[last]
        starts = np.append(0, ends[:-1] + 1)
        tabs = np.diff(last, prepend=-1) - 1
        ends -= octets[ends - 1] == _RETURN  # before an empty line is a line end, be it the block's last
        full = np.flatnonzero(starts < ends)
        return cls(data, marks, full, starts[full], ends[full], last[full], tabs[full])

    def between(self, starts: _Positions, ends: _Positions, kind: pa.DataType) -> pa.Array:
        """The texts from each start to its end; they ascend and do not overlap."""
        offsets = np.empty(2 * len(starts) + 1, np.int32)
        offsets[:-1:2], offsets[1::2], offsets[-1] = starts, ends, len(self.data)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        pieces = pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
        return pieces.take(pa.array(np.arange(0, len(pieces), 2)))

    def tab(self, lines: _Positions, number: int) -> _Positions:
        """Where the tab of that number, from 1, is in lines of five columns."""
        return self.marks[self.last[lines] - _TABS - 1 + number]

    def reasons(self) -> _Reasons:
        """Why each line cannot be cut into columns, or `_KEPT`."""
        found = np.full(len(self.tabs), _KEPT, np.int8)
        found[self.tabs != _TABS] = _number(Reason.WRONG_COLUMN_COUNT)
        if isinstance(decoded(self.data), Reason):
            octets = np.frombuffer(self.data, np.uint8)
            places = np.flatnonzero((octets == 0) | (octets > 127))
            for line in np.unique(np.searchsorted(self.starts, places, "right") - 1):
                reason = decoded(self.data[self.starts[line] : self.ends[line]])
                if isinstance(reason, Reason):
                    found[line] = _number(reason)
        return found


def _entities(lines: _Lines) -> tuple[Entities, _Reasons]:
    """The rows that can be kept, and of each line why it cannot, or `_KEPT`."""
    reasons = lines.reasons()
    rows = np.flatnonzero(reasons == _KEPT)
    ids = lines.between(lines.tab(rows, 1) + 1, lines.tab(rows, 3), pa.string()).dictionary_encode()
    positions = ids.indices.to_numpy()
    keys, unkeyed = _keys(ids.dictionary)
    pmids = _pmids(lines.between(lines.starts[rows], lines.tab(rows, 1), pa.string()))
    reasons[rows] = np.where(pmids == 0, _number(Reason.BAD_PMID), unkeyed[positions])
    kept = np.flatnonzero(reasons[rows] == _KEPT)
    mentions = lines.between(lines.tab(rows[kept], 3) + 1, lines.tab(rows[kept], 4), pa.string())
    return Entities(pa.array(pmids[kept]), pa.array(positions[kept]), mentions, keys), reasons


def _pmids(texts: pa.StringArray) -> _Positions:
    """PMIDs as `identifiers.pmid` reads them; 0 for what is none."""
    digits = pc.and_(pc.ascii_is_decimal(texts), pc.less_equal(pc.binary_length(texts), _PMID_DIGITS))
    numbers: _Positions = pc.if_else(digits, texts, "0").cast(pa.int64()).to_numpy()
    return numbers


def _keys(texts: pa.StringArray) -> tuple[pa.ListArray, _Reasons]:
    """The keys of each text `Type TAB id`, and why it has none, or `_KEPT`."""
    ordinary = pc.match_substring_regex(texts, _ORDINARY)
    others = np.flatnonzero(~ordinary.to_numpy(zero_copy_only=False))
    parsed = [_parsed(text) for text in texts.take(pa.array(others)).to_pylist()]
    reasons = np.full(len(texts), _KEPT, np.int8)
    reasons[others] = [_number(found) if isinstance(found, Reason) else _KEPT for found in parsed]
    lists = [[] if isinstance(found, Reason) else found for found in parsed]
    sizes = np.ones(len(texts), np.int32)
    sizes[others] = [len(keys) for keys in lists]
    single = pc.replace_substring(texts.filter(ordinary), "\t", "|", max_replacements=1)
    owners = np.concatenate([np.setdiff1d(np.arange(len(texts)), others), np.repeat(others, sizes[others])])
    flat = pa.concat_arrays([single, pa.array(chain.from_iterable(lists), pa.string())])
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), flat.take(pa.array(np.argsort(owners, kind="stable")))), reasons


def _parsed(text: str) -> list[str] | Reason:
    """The distinct keys of a text `Type TAB id`. A variant's id has semicolons of its own and is never split."""
    kind, _, escaped = text.partition("\t")
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    ident = unescape(escaped)
    parts = [ident] if kind in VARIANTS else ident.split(";")
    keys = list(dict.fromkeys(f"{kind}|{part}" for part in parts if part.strip() not in {"", "-"}))
    return keys or Reason.EMPTY_ID


def _number(reason: Reason) -> int:
    return _REASONS.index(reason)
