"""A block of lines read column by column; lines out of the ordinary are set apart, to be read one by one.

What is quick is done for whole columns, what is rare is left to whoever knows what is wrong with a line.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from ingest.blocks import Block

Line = tuple[int, bytes]

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Columns:
    """A block's lines: most of them as rows of a table, the others apart.

    Attributes:
        table: One row a line that has as many columns as wanted.
        odd: (number, line) of the others that are not empty, in no promised order: another number of columns, a NUL, a
            lone CR, bytes that are not UTF-8, a line that is too long, or any line of a block that cannot be read so.
    """

    table: pa.Table
    odd: list[Line]
    _block: Block
    _numbers: list[int] | None  # of the lines that went into the table or were of another width; None: all not empty
    _passed: list[int]  # positions among these, from 0, of lines of another width

    def lines(self, rows: npt.NDArray[np.int64]) -> list[Line]:
        """(number, line) of some rows of the table."""
        lines = self._lines
        if not self._passed:
            return [lines[row] for row in rows]
        positions = np.setdiff1d(np.arange(len(lines)), self._passed)
        return [lines[positions[row]] for row in rows]

    @cached_property
    def _lines(self) -> list[Line]:
        return _chosen(self._block, self._numbers)


def columns(block: Block, types: Mapping[str, pa.DataType]) -> Columns:
    """Read a block column by column, without quoting; nothing in a text column is null.

    Args:
        block: Whole lines, separated by tabs.
        types: Name and Arrow type of each column, in the file's order.

    Raises:
        pa.ArrowInvalid: A value does not fit its column's type.
    """
    if block.overlong:
        return Columns(_nothing(types), list(block.lines()), block, [], [])
    data, numbers, odd = _apart(block)
    passed: list[int] = []

    def pass_over(row: csv.InvalidRow) -> str:
        passed.append(row.number - 1)
        return "skip"

    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=list(types)),
        parse_options=csv.ParseOptions(
            delimiter="\t", quote_char=False, double_quote=False, invalid_row_handler=pass_over
        ),
        convert_options=csv.ConvertOptions(column_types=types),
    ) if data else _nothing(types)  # fmt: skip
    if passed:
        lines = _chosen(block, numbers)
        odd += [lines[position] for position in passed]
    return Columns(table, odd, block, numbers, passed)


def _apart(block: Block) -> tuple[bytes, list[int] | None, list[Line]]:
    """The bytes that can be read by columns, the numbers of their lines (None: all not empty), and the other lines."""
    data = block.data.replace(b"\r\n", b"\n") if b"\r" in block.data else block.data
    if b"\0" not in data and b"\r" not in data and not data.startswith(_BOM) and _is_text(data):
        return data, None, []
    ordinary: list[Line] = []
    odd: list[Line] = []
    for line in _chosen(block, None):
        (odd if _is_odd(line[1]) else ordinary).append(line)
    return b"\n".join(text for _, text in ordinary), [number for number, _ in ordinary], odd


def _is_odd(line: bytes) -> bool:
    return b"\0" in line or b"\r" in line or line.startswith(_BOM) or not _is_text(line)


def _is_text(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _chosen(block: Block, numbers: list[int] | None) -> list[Line]:
    """The block's lines of some numbers, or all that are not empty."""
    lines = [line for line in block.lines() if line[1]]
    if numbers is None:
        return lines
    wanted = set(numbers)
    return [line for line in lines if line[0] in wanted]


def _nothing(types: Mapping[str, pa.DataType]) -> pa.Table:
    return pa.schema(list(types.items())).empty_table()
