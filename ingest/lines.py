"""The lines of a block and the places of their tabs.

Columns are cut out at these places, without a parser: nothing is quoted and nothing is null, so every tab and every
line end counts, and whatever is wrong with a line stays in it.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.blocks import Block, Places, spans
from ingest.rejects import Reason, decoded

#: Of each of many rows why it is rejected, by `verdict`, or `KEPT`.
Verdicts = np.ndarray[tuple[int], np.dtype[np.int8]]

#: The verdict of a row that is not rejected.
KEPT = -1

_REASONS = tuple(Reason)
_TAB, _NEWLINE = b"\t\n"


def verdict(reason: Reason) -> int:
    """What stands for the reason in `Verdicts`."""
    return _REASONS.index(reason)


def reasons(verdicts: Verdicts) -> pa.StringArray:
    """The reasons of rejected rows by name, as receipts have them."""
    return pa.array(_REASONS, pa.string()).take(pa.array(verdicts))


@dataclass(frozen=True, slots=True)
class Lines:
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
    marks: Places
    numbers: Places
    starts: Places
    ends: Places
    last: Places
    tabs: Places

    @classmethod
    def of(cls, block: Block) -> "Lines":
        """Those of a block that is no overlong line."""
        data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
        octets = np.frombuffer(data, np.uint8)
        marks = np.flatnonzero(octets - np.uint8(_TAB) < 2)  # tab 9, line end 10; what is less than a tab wraps around
        last = np.flatnonzero(octets[marks] == _NEWLINE)
        starts, ends = spans(octets, marks[last])
        tabs = np.diff(last, prepend=-1) - 1
        full = np.flatnonzero(starts < ends)
        return cls(data, marks, full, starts[full], ends[full], last[full], tabs[full])

    def between(self, starts: Places, ends: Places, kind: pa.DataType) -> pa.Array:
        """The texts from each start to its end; they ascend and do not overlap."""
        offsets = np.empty(2 * len(starts) + 1, np.int32)
        offsets[:-1:2], offsets[1::2], offsets[-1] = starts, ends, len(self.data)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        pieces = pa.Array.from_buffers(kind, len(offsets) - 1, buffers)
        return pieces.take(pa.array(np.arange(0, len(pieces), 2)))

    def column(self, rows: Places, first: int, last: int) -> pa.StringArray:
        """The text from column `first` to column `last`, both from 0, of lines that have these."""
        tabs = self.last[rows] - self.tabs[rows]  # the first of each
        starts = self.marks[tabs + first - 1] + 1 if first else self.starts[rows]
        return self.between(starts, self.marks[tabs + last], pa.string())

    def verdicts(self, tabs: int) -> Verdicts:
        """Which lines are no text of as many columns as there are between and beside so many tabs."""
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
