"""Read a block of lines column by column, and set unusual lines apart, which the caller reads one by one.

Whole columns are processed fast. Unusual lines are rare, and only the caller knows what can be wrong with them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from pyarrow import csv

from ingest.release import Block, Places, spans

Line = tuple[int, bytes]

_BOM = b"\xef\xbb\xbf"
_LATER_BOM = re.compile(rb"\n" + _BOM)
_LONE_CR = re.compile(rb"\r(?!\n)")
_LF = ord("\n")


@dataclass(frozen=True)
class Columns:
    """The lines of a block: most of them as rows of a table, the others set apart.

    Attributes:
        table: One row per ordinary line that has the wanted number of columns.
        block: The block that was read.
        apart: The unusual lines, as line positions in the block, counted from 0. They begin with a byte order mark, or
            have a NUL, a lone CR or invalid UTF-8.
        passed: The lines with another number of columns, as positions, counted from 0, among the lines that are neither
            empty nor in `apart`.
    """

    table: pa.Table
    block: Block
    apart: list[int]
    passed: list[int]

    def odd(self) -> list[Line]:
        """Return (line number, line) of the non-empty lines that are not rows of the table, in no fixed order."""
        if self.block.overlong:
            return list(self.block.lines())
        passed = self._ordinary[self.passed] if self.passed else ()
        return [line for line in self._lines([*self.apart, *passed]) if line[1]]

    def lines(self, rows: Places) -> list[Line]:
        """Return (line number, line) of the given rows of the table."""
        if not len(rows):
            return []
        return self._lines(np.delete(self._ordinary, self.passed)[rows])

    @cached_property
    def _ordinary(self) -> Places:
        """Positions in the block of the lines that are neither empty nor in `apart`."""
        starts, ends = self._spans
        there = ends > starts
        there[self.apart] = False
        return np.flatnonzero(there)

    @cached_property
    def _spans(self) -> tuple[Places, Places]:
        """The positions at which each line of the block starts and ends. LF or CR LF is not part of the line."""
        octets = np.frombuffer(self.block.data, np.uint8)
        return spans(octets, np.flatnonzero(octets == _LF))

    def _lines(self, positions: "Places | list[int]") -> list[Line]:
        starts, ends = self._spans
        return [(self.block.number + int(at), self.block.data[starts[at] : ends[at]]) for at in positions]


def columns(block: Block, types: Mapping[str, pa.DataType]) -> Columns:
    """Read a block column by column. Quotes have no meaning, and no text is read as null.

    Args:
        block: Whole lines with columns separated by tabs.
        types: Name and Arrow type of each column, in the file's order.

    Raises:
        pa.ArrowInvalid: If a value does not fit its column's type.
    """
    data, apart = (b"", []) if block.overlong else _ordinary(block.data)
    passed: list[int] = []

    def pass_over(row: csv.InvalidRow) -> str:
        passed.append(row.number - 1)
        return "skip"

    if not data.strip(b"\n"):
        return Columns(pa.schema(list(types.items())).empty_table(), block, apart, passed)
    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=list(types)),
        parse_options=csv.ParseOptions(
            delimiter="\t", quote_char=False, double_quote=False, invalid_row_handler=pass_over
        ),
        convert_options=csv.ConvertOptions(column_types=types, check_utf8=False),  # `_ordinary` has checked the UTF-8
    )
    return Columns(table, block, apart, passed)


def _ordinary(data: bytes) -> tuple[bytes, list[int]]:
    """Return the lines that Arrow can read, with LF as line end, and the positions of the other lines.

    A position is the number of lines before the line in the block.
    """
    apart: list[int] = []
    pieces: list[bytes] = []
    done = line = 0  # bytes examined, and number of lines in them
    for start in sorted(set(_odd(data))):
        pieces.append(data[done:start])
        line += data.count(b"\n", done, start)
        apart.append(line)
        done, line = _end(data, start), line + 1
    rest = b"".join([*pieces, data[done:]]) if pieces else data
    return rest.replace(b"\r\n", b"\n") if b"\r" in rest else rest, apart


def _odd(data: bytes) -> Iterator[int]:
    """Yield the start of each line that Arrow would misread or refuse. A start may be yielded several times."""
    if data.startswith(_BOM):
        yield 0
    # Arrow drops a byte order mark at the start of its input, which need not be the first line of the block.
    yield from (found.end() - len(_BOM) for found in _LATER_BOM.finditer(data))
    yield from _holding(data, b"\0")
    if b"\r" in data:
        yield from (data.rfind(b"\n", 0, found.start()) + 1 for found in _LONE_CR.finditer(data))
    yield from _broken(data)


def _holding(data: bytes, byte: bytes) -> Iterator[int]:
    at = data.find(byte)
    while at >= 0:
        yield data.rfind(b"\n", 0, at) + 1
        at = data.find(byte, _end(data, at))


def _broken(data: bytes) -> Iterator[int]:
    """Yield the starts of lines that are not UTF-8."""
    if data.isascii():
        return
    done = 0
    while done < len(data):
        try:
            str(memoryview(data)[done:], "utf-8")
        except UnicodeDecodeError as error:
            at = done + error.start
            yield data.rfind(b"\n", 0, at) + 1
            done = _end(data, at)
        else:
            return


def _end(data: bytes, at: int) -> int:
    """Return the position at which the next line after `at` starts; the end of the data if there is none."""
    return data.find(b"\n", at) + 1 or len(data)
