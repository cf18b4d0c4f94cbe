"""Read a CSV file with a header, and report everything that would otherwise be lost silently; write CSV.

Columns are separated by commas. If the header has only one column in this way, semicolons (as Excel writes them in
Europe) or tabs separate them, if the header has some.

Python's csv reader continues an unclosed quote to the end of the file, and drops text after a closing quote, so rows
are lost or joined. Here both are errors. A row with more columns than the header is an error as well; usually a text
without quotes was split at its commas. A text in quotes may contain commas and line ends.

In written CSV, text that looks like a formula is marked, so that no spreadsheet program runs it.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from groundwork.errors import InputError
from groundwork.files import read_bytes

#: What may separate columns, with its name in messages.
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
#: Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WANTED = "every quote closed at the end of its field, and fields of at most 131,072 characters"


@dataclass(frozen=True, slots=True)
class Sheet:
    """The content of a table file.

    Attributes:
        header: Names of the columns; empty if the file has no row.
        rows: The other rows, each as a dict from column name to value. A value is None if the row ends before the
            column. Empty lines are ignored.
    """

    header: tuple[str, ...]
    rows: tuple[dict[str, str | None], ...]


def read_sheet(path: Path) -> Sheet:
    """Return the table in a CSV file in UTF-8, with or without a byte order mark.

    Raises:
        InputError: If a quote is not closed or closed too early, a field is too long, or a row has more columns than
            the header; the message names the line.
        UnicodeDecodeError, OSError: If the file is not UTF-8, or cannot be read.
    """
    # The csv module needs the line ends inside fields unchanged.
    lines = list(io.StringIO(read_bytes(path).decode("utf-8-sig"), newline=""))
    separator = _separator(lines)
    records = _records(path, lines, separator)
    _, names = next(records, (0, []))
    rows = []
    for line, fields in records:
        if len(fields) > len(names):
            seen = f"{path} is not CSV: line {line}: {len(fields)} columns, but the header has {len(names)}"
            quoted = f'put texts with {_SEPARATORS[separator]} in quotes ("...")'
            remedy = f"{quoted}, or name the additional columns of line {line} in the header"
            raise InputError(seen, f"at most the columns of the header: {', '.join(names)}", remedy)
        padded = [*fields, *[None] * (len(names) - len(fields))]
        rows.append(dict(zip(names, padded, strict=True)))
    return Sheet(tuple(names), tuple(rows))


def _separator(lines: Sequence[str]) -> str:
    """Return the first sign of `_SEPARATORS` that divides the header into columns; the comma if none does."""
    for sign in _SEPARATORS:
        with suppress(csv.Error):  # a field without end, which `_records` reports
            if len(next(filter(None, csv.reader(lines, delimiter=sign)), ())) > 1:
                return sign
    return ","


def _records(path: Path, lines: Sequence[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of the first line, fields) for each record. Lines are numbered from 1; empty lines are skipped."""
    reader, before = csv.reader(lines, delimiter=separator, strict=True), 0
    try:
        for fields in reader:
            if fields:
                yield before + 1, fields
            before = reader.line_num
    except csv.Error as error:
        line = _opened(lines[before : reader.line_num], before + 1, separator)
        if line is None:
            seen = f"{path} is not CSV: line {reader.line_num}: {error}"
            raise InputError(seen, _WANTED, "split long texts, and close every quote") from None
        seen = f"{path} is not CSV: line {line}: the quote that opens here does not close a field ({error})"
        remedy = f'close the quote in line {line}, and double each quote inside a quoted text (""); split long texts'
        raise InputError(seen, _WANTED, remedy) from None


def _opened(lines: Sequence[str], first: int, separator: str) -> int | None:
    """Return the number of the line with the quote that breaks a record, or None if no quote is open.

    Args:
        lines: Lines of the record, up to where the reader failed.
        first: Number of the first line.
        separator: The sign between columns.
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
            elif state == "closed" and sign not in f"{separator}\r\n":
                return opened
            else:
                state = "start" if sign == separator else "plain"
    return opened if state == "quoted" else None


def _safe(value: object) -> object:
    """Return the value of a cell. A quote (') is put before text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def csv_text(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV, after a line with the column names. A list becomes a JSON array, and None an empty cell."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    names = tuple(columns)
    writer.writerow(names)
    for row in rows:
        cells = (row[name] for name in names)
        writer.writerow(
            _safe(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell) for cell in cells
        )
    return held.getvalue()
