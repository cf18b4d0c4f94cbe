"""A CSV file with a header, read so that nothing of it is lost without a word.

Python's reader takes a quote that nothing closes for a field that goes on to the end of the file, and drops what stands
behind a closing quote: rows vanish, or run into one another. Here both are errors, as are more columns than the header
names, which mostly are a text cut at its commas. A text in quotes may hold commas and line ends.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundwork.errors import InputError

_WANTED = "every quote closed at the end of its field, and fields of at most 131,072 characters"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as its file has it.

    Attributes:
        header: Names of the columns; empty where the file holds no row.
        rows: The others, by column; None where a row ends before the column. An empty line is no row.
    """

    header: tuple[str, ...]
    rows: tuple[dict[str, str | None], ...]


def read_sheet(path: Path) -> Sheet:
    """The table of a CSV file in UTF-8, with or without a byte order mark.

    Raises:
        InputError: A quote that is not closed or closed too early, a field beyond the bound, or a row with more columns
            than the header; it names the line.
        UnicodeDecodeError, OSError: The file is not UTF-8, or cannot be read.
    """
    # As the csv module wants them: line ends inside a field stay what they are.
    lines = list(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""))
    records = _records(path, lines)
    _, names = next(records, (0, []))
    rows = []
    for line, fields in records:
        if len(fields) > len(names):
            seen = f"{path} is not CSV: line {line}: {len(fields)} columns under a header of {len(names)}"
            remedy = (
                f'put a text with commas in quotes ("..."), or name the further columns of line {line} in the header'
            )
            raise InputError(seen, f"no more columns than the header has: {', '.join(names)}", remedy)
        padded = [*fields, *[None] * (len(names) - len(fields))]
        rows.append(dict(zip(names, padded, strict=True)))
    return Sheet(tuple(names), tuple(rows))


def _records(path: Path, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The line in which each record begins, from 1, and its fields."""
    reader, before = csv.reader(lines, strict=True), 0
    try:
        for fields in reader:
            if fields:
                yield before + 1, fields
            before = reader.line_num
    except csv.Error as error:
        line = _opened(lines[before : reader.line_num], before + 1)
        if line is None:
            seen = f"{path} is not CSV: line {reader.line_num}: {error}"
            raise InputError(seen, _WANTED, "part long texts, and close every quote") from None
        seen = f"{path} is not CSV: line {line}: the quote that opens here does not close a field ({error})"
        remedy = f'close it in line {line}, and write each quote inside a text in quotes twice (""); part long texts'
        raise InputError(seen, _WANTED, remedy) from None


def _opened(lines: Sequence[str], first: int) -> int | None:
    """The line of the quote at which a broken record goes wrong; None where none is open.

    Args:
        lines: Of the record, up to where the reader gave up.
        first: Number of the first of them.
    """
    state, opened = "start", first
    for number, line in enumerate(lines, first):
        for sign in line:
            if state == "start" and sign == '"':
                state, opened = "quoted", number
            elif state == "quoted":
                state = "closed" if sign == '"' else "quoted"
            elif state == "closed" and sign == '"':
                state = "quoted"
            elif state == "closed" and sign not in ",\r\n":
                return opened
            else:
                state = "start" if sign == "," else "plain"
    return opened if state == "quoted" else None
