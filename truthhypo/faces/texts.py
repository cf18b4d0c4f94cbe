"""Read texts from a file: .txt (one per line), .csv, .jsonl or .parquet."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from groundwork.json_text import loads
from groundwork.named_pipe import read_bytes
from groundwork.sheet import read_sheet

#: Endings of the files that can be read.
ENDINGS = (".txt", ".csv", ".jsonl", ".parquet")
#: Names of the column or field that holds the text, in order of preference.
COLUMNS = ("text", "statement", "claim", "hypothesis", "sentence")


@dataclass(frozen=True, slots=True)
class Said:
    """One text from a file.

    Attributes:
        number: Number of the line (.txt, .jsonl) or of the row (.csv, .parquet), counted from 1. The header of a .csv
            file is not counted.
        text: The text.
        id: Value of the column or field `id`; None without an id.
    """

    number: int
    text: str
    id: str | int | None = None


class Texts(list[Said]):
    """The texts of a file, in order.

    Attributes:
        blank: The records without a text in a .csv, .jsonl or .parquet file; always empty for a .txt file.
    """

    def __init__(self, rows: Iterable[Said], *, counted: bool) -> None:
        held = list(rows)
        super().__init__(said for said in held if said.text.strip())
        self.blank = tuple(said for said in held if not said.text.strip()) if counted else ()

    @property
    def empty(self) -> int:
        """Number of records without a text."""
        return len(self.blank)


def read_texts(path: Path, column: str | None = None) -> Texts:
    """Read the texts of a file. Blank lines of a .txt file are skipped.

    The records without a text in a file of another format are counted (`Texts.blank`). A text that cannot be judged,
    such as one with a NUL character, is returned like any other.

    Args:
        path: A .txt (one text per line), .csv, .jsonl or .parquet file.
        column: Column or field that holds the texts. With None, it is the first of `COLUMNS` that the file has.

    Raises:
        InputError: The file cannot be read, has another ending, has no text column or has no text. Or the file is
            malformed, for instance a row of a .csv file has more columns than the header (see `groundwork.sheet`). Or
            `column` is given for a .txt file.
    """
    readers = dict(zip(ENDINGS, (_lines, _csv, _jsonl, _parquet), strict=True))
    wanted = "a .txt, .csv, .jsonl or .parquet file"
    if path.is_dir():
        raise InputError(f"{path} is a directory", wanted, "name a file in the directory")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename the file")
    if column is not None and reader is _lines:
        raise InputError(
            f"column {column!r} of {path}, which has no columns", "a file with columns", "omit the argument `column`"
        )
    try:
        found = reader(path, COLUMNS if column is None else (column,))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a file of texts", "check the path") from None
    texts = Texts(found, counted=reader is not _lines)
    if not texts:
        raise InputError(f"{path} contains no text", "at least one text", "check the file")
    return texts


def _lines(path: Path, _: Sequence[str]) -> list[Said]:
    return [Said(number, line) for number, line in enumerate(_split(path), 1)]


def _split(path: Path) -> list[str]:
    """Split a file into lines at LF or CRLF only. `splitlines` would also split at U+2028 and similar characters."""
    return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def _csv(path: Path, names: Sequence[str]) -> list[Said]:
    sheet = read_sheet(path)
    column = _chosen(path, sheet.header, names)
    return [Said(number, row[column] or "", row.get("id") or None) for number, row in enumerate(sheet.rows, 1)]


def _chosen(path: Path, columns: Sequence[str], names: Sequence[str]) -> str:
    """Return the first name in `names` that is also in `columns`, the columns of the file."""
    column = next((name for name in names if name in columns), None)
    if column is None:
        seen, wanted = f"{path} has the columns {', '.join(columns)}", f"a column named {' or '.join(names)}"
        raise InputError(seen, wanted, "rename the column with the texts, or name it by the argument `column`")
    return column


def _parquet(path: Path, names: Sequence[str]) -> list[Said]:
    try:
        with pq.ParquetFile(pa.BufferReader(read_bytes(path)) if path.is_fifo() else path) as file:
            columns = file.schema_arrow.names
            column = _chosen(path, columns, names)
            table = file.read([column, "id"] if "id" in columns else [column])
    except pa.ArrowException as error:
        raise InputError(
            f"{path} is not Parquet: {error}", "a complete .parquet file", "write the file again"
        ) from None
    texts = table.column(column).to_pylist()
    rows = zip(texts, table.column("id").to_pylist() if "id" in columns else [None] * len(texts), strict=True)
    found = []
    for number, (text, called) in enumerate(rows, 1):
        if not isinstance(text, str | None):
            seen = f"{path} row {number}: the column {column!r} holds {type(text).__name__}"
            raise InputError(seen, "texts in this column", "name the column with the texts by the argument `column`")
        found.append(Said(number, text or "", _id({"id": called}, f"{path} row {number}")))
    return found


def _jsonl(path: Path, names: Sequence[str]) -> list[Said]:
    found = []
    for number, line in enumerate(_split(path), 1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except json.JSONDecodeError as error:
            remedy = f'write line {number} as {{"{names[0]}": "..."}}, or give the texts as .txt, one per line'
            raise InputError(f"{path} line {number} is not JSON: {error}", "one JSON object per line", remedy) from None
        fields = record if isinstance(record, dict) else {}
        text = next((fields[name] for name in names if isinstance(fields.get(name), str)), None)
        if text is None and any(name in fields and fields[name] is None for name in names):
            text = ""  # a missing text, as in a cell of .csv or .parquet
        if text is None:
            wanted = f"an object with a text in the field {' or '.join(names)}"
            remedy = f"in line {number} rename the field, name it by the argument `column`, or remove the line"
            raise InputError(
                f"{path} line {number} has no text; it has {', '.join(fields) or 'no field'}", wanted, remedy
            )
        found.append(Said(number, text, _id(fields, f"{path} line {number}")))
    return found


def _id(fields: Mapping[str, Any], where: str) -> str | int | None:
    """Return the id of a record, or None if the record has no id."""
    match fields.get("id"):
        case None | "":
            return None
        case str() | int() as called if not isinstance(called, bool):
            return called
    seen = f"{where} has an id that is neither text nor a whole number: {json.dumps(fields['id'], default=str)[:60]}"
    raise InputError(seen, "text or a whole number", "put the id in quotes, or remove it")
