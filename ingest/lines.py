"""The lines of a block and the positions of their tabs.

Columns are cut out at these positions without a parser. Every tab and every line end is a separator, because the files
have no quoting. So an error in one line does not affect other lines.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.blocks import Block, Places, spans
from ingest.rejects import Reason, decoded

#: A number for each row: `KEPT`, or the number that `verdict` gives for the reason why the row is rejected.
Verdicts = np.ndarray[tuple[int], np.dtype[np.int8]]

#: The verdict of a row that is kept.
KEPT = -1

_REASONS = tuple(Reason)
_TAB, _NEWLINE = b"\t\n"


def verdict(reason: Reason) -> int:
    """Return the number that stands for a reason in `Verdicts`."""
    return _REASONS.index(reason)


def reasons(verdicts: Verdicts) -> pa.StringArray:
    """Return the reason of each rejected row as a text, as in receipts."""
    return pa.array(_REASONS, pa.string()).take(pa.array(verdicts))


@dataclass(frozen=True, slots=True)
class Lines:
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
    def of(cls, block: Block) -> "Lines":
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

    def verdicts(self, tabs: int) -> Verdicts:
        """Return the verdict of each line: `KEPT` if it is valid text with `tabs` tabs, else why it is rejected."""
        found = np.full(len(self.tabs), KEPT, np.int8)
        found[self.tabs != tabs] = verdict(Reason.WRONG_COLUMN_COUNT)
        if isinstance(decoded(self.data), Reason):
            octets = np.frombuffer(self.data, np.uint8)
            places = np.flatnonzero((octets == 0) | (octets > 127))
            for line in np.unique(np.searchsorted(self.starts, places, "right") - 1):
                reason = decoded(self.data[self.starts[line] : self.ends[line]])
                if isinstance(reason, Reason):
                    found[line] = verdict(reason)
        return found
