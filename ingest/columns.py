"""Read a block of lines column by column, and set unusual lines apart, which the caller reads one by one.

Whole columns are processed fast. Unusual lines are rare, and only the caller knows what can be wrong with them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from groundwork.records import split_key
from groundwork.vocabulary import TYPES
from ingest import identifiers
from ingest.rejects import Reason
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


#: Each number with its key, as `key` returns it.
KEYS = pa.schema([pa.field("code", pa.int32(), nullable=False), pa.field("key", pa.string(), nullable=False)])

_REMEMBERED = 4_000_000  # number of texts kept in memory with their numbers
_OFTEN = 500_000  # this many of the first texts are looked up in bulk; most of the frequent texts are among them
_WRITTEN = 100_000  # number of keys written at once


class Keys:
    """Gives each text a number. It is a context manager; the file is complete when the context ends.

    Args:
        file: The Parquet file (`KEYS`) for the keys.

    Attributes:
        organisms: Taxon id of each gene whose organism the texts tell, by key.
    """

    def __init__(self, file: Path) -> None:
        self._writer = pq.ParquetWriter(file, KEYS, compression="zstd")
        self._codes: dict[str, int] = {}  # -1 if the text is not a key
        self._often = pa.array([], pa.string())
        self._often_codes = np.array([], np.int32)
        self._new: list[str] = []
        self._next = 0
        self.organisms: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()
        self._writer.close()

    def codes(self, *columns: pa.StringArray) -> list[npt.NDArray[np.int32]]:
        """Return the number of each text in some columns of a file; -1 for a text that is not a key."""
        texts = pa.chunked_array(columns, pa.string())
        places = pc.index_in(texts, value_set=self._often)
        codes = self._looked_up(texts, places) if places.null_count else self._often_codes[places.to_numpy()]
        return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])

    def _looked_up(self, texts: pa.ChunkedArray, places: pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """Return the number of each text; -1 for a text that is not a key.

        `places` holds the position of each text among the texts that are looked up in bulk (`_often`); null for a text
        that is not among them yet.
        """
        rare = np.flatnonzero(places.is_null().to_numpy())
        others = texts.take(pa.array(rare)).combine_chunks().dictionary_encode()
        known, names = self._codes, others.dictionary.to_pylist()
        found = np.fromiter(
            (code if (code := known.get(name)) is not None else self.code(name) for name in names), np.int32, len(names)
        )
        known_or_none = np.append(self._often_codes, np.int32(-1))
        codes: npt.NDArray[np.int32] = known_or_none[places.fill_null(len(self._often)).to_numpy()]
        codes[rare] = found[others.indices.to_numpy()]
        room = _OFTEN - len(self._often)
        self._often = pa.concat_arrays([self._often, others.dictionary[:room]])
        self._often_codes = np.append(self._often_codes, found[:room])
        return codes

    def code(self, text: str) -> int:
        """Return the number of one text of a file; -1 if the text is not a key."""
        found = self._codes.get(text)
        if found is None:
            plain = key(text)
            found = -1 if isinstance(plain, Reason) else self._add(plain)
            self.organisms |= identifiers.organisms(*split_key(text))
            if len(self._codes) >= _REMEMBERED:
                self._codes.clear()
            self._codes[text] = found
        return found

    def _add(self, plain: str) -> int:
        if len(self._new) >= _WRITTEN:
            self._write()
        self._new.append(plain)
        self._next += 1
        return self._next - 1

    def _write(self) -> None:
        codes = np.arange(self._next - len(self._new), self._next, dtype=np.int32)
        self._writer.write_batch(
            pa.RecordBatch.from_arrays([pa.array(codes), pa.array(self._new, pa.string())], schema=KEYS)
        )
        self._new.clear()


def key(text: str) -> str | Reason:
    """Return the key that a text `Type|ID` of a file means (see `identifiers.keys`), or the reason why it means none.

    A text with several ids is refused, because it does not say which of them it means.
    """
    kind, _, ident = text.partition("|")
    if kind not in TYPES:
        return Reason.UNKNOWN_TYPE
    found = identifiers.keys(kind, ident)
    if isinstance(found, Reason):
        return found
    return found[0] if len(found) == 1 else Reason.AMBIGUOUS_ID
