"""The texts of a file: .txt (one a line), .csv, .jsonl or .parquet."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.characters import broken
from groundwork.errors import InputError
from groundwork.sheet import read_sheet

#: Names of the column or field that holds the text, in order of preference.
COLUMNS = ("text", "statement", "claim", "hypothesis", "sentence")


@dataclass(frozen=True, slots=True)
class Said:
    """A text of a file.

    Attributes:
        number: Its place there, from 1: the line of .txt and .jsonl, the row of .csv and .parquet.
        text: The text.
        id: What the column or field `id` calls it; None where there is none.
    """

    number: int
    text: str
    id: str | int | None = None


class Texts(list[Said]):
    """The texts of a file, in order.

    Attributes:
        empty: Records of .csv, .jsonl and .parquet that hold no text.
    """

    def __init__(self, rows: Iterable[Said], *, counted: bool) -> None:
        held = list(rows)
        super().__init__(said for said in held if said.text.strip())
        self.empty = len(held) - len(self) if counted else 0


def read_texts(path: Path, column: str | None = None) -> Texts:
    """Read the texts of a file. Empty lines of .txt are skipped, and records without a text are counted.

    Args:
        path: A .txt (one text a line), .csv, .jsonl or .parquet file.
        column: The column or field of the texts. None takes the first of `COLUMNS` that the file has.

    Raises:
        InputError: A file that cannot be read, of another kind, without a text column, or without any text; a quote of
            .csv that is not closed, or a row of it with more columns than the header (see `groundwork.sheet`); a
            column for a .txt file.
    """
    readers = {".txt": _lines, ".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    wanted = "a .txt, .csv, .jsonl or .parquet file"
    if path.is_dir():
        raise InputError(f"{path} is a directory", wanted, "name a file in it")
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert or rename it")
    if column is not None and reader is _lines:
        raise InputError(f"a column {column!r} of {path}", "a file with columns", "leave --column out")
    try:
        found = reader(path, COLUMNS if column is None else (column,))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "convert the file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", "a file of texts", "check the path") from None
    texts = Texts(found, counted=reader is not _lines)
    for said in texts:
        if broken(said.text):
            seen = f"{path}, text {said.number}: half of a surrogate pair"
            raise InputError(seen, "whole characters", "write the character whole in UTF-8, or leave its escape out")
        if "\0" in said.text:
            seen = f"{path}, text {said.number}: a NUL"
            raise InputError(seen, "text without NUL characters", "take them out, or save the file as UTF-8 text")
    if not texts:
        raise InputError(f"{path} holds no text", "at least one", "check the file")
    return texts


def _lines(path: Path, _: Sequence[str]) -> list[Said]:
    return [Said(number, line) for number, line in enumerate(_split(path), 1)]


def _split(path: Path) -> list[str]:
    """Lines as files have them, ended by LF or CRLF; `splitlines` would end them at U+2028 and the like too."""
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def _csv(path: Path, names: Sequence[str]) -> list[Said]:
    sheet = read_sheet(path)
    column = _chosen(path, sheet.header, names)
    return [Said(number, row[column] or "", row.get("id") or None) for number, row in enumerate(sheet.rows, 1)]


def _chosen(path: Path, columns: Sequence[str], names: Sequence[str]) -> str:
    """Return the first of the names that is a column."""
    column = next((name for name in names if name in columns), None)
    if column is None:
        seen, wanted = f"{path} has the columns {', '.join(columns)}", f"one named {' or '.join(names)}"
        raise InputError(seen, wanted, "rename the column of the texts, or name it with --column")
    return column


def _parquet(path: Path, names: Sequence[str]) -> list[Said]:
    try:
        with pq.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            column = _chosen(path, columns, names)
            table = file.read([column, "id"] if "id" in columns else [column])
    except pa.ArrowException as error:
        raise InputError(f"{path} is not Parquet: {error}", "a whole .parquet file", "write the file again") from None
    texts = table.column(column).to_pylist()
    rows = zip(texts, table.column("id").to_pylist() if "id" in columns else [None] * len(texts), strict=True)
    found = []
    for number, (text, called) in enumerate(rows, 1):
        if not isinstance(text, str | None):
            seen = f"{path} row {number}: the column {column!r} holds {type(text).__name__}"
            raise InputError(seen, "texts", "name the column of the texts with --column")
        found.append(Said(number, text or "", _id({"id": called}, f"{path} row {number}")))
    return found


def _jsonl(path: Path, names: Sequence[str]) -> list[Said]:
    found = []
    for number, line in enumerate(_split(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            remedy = f'write line {number} as {{"{names[0]}": "..."}}, or give the texts as .txt, one a line'
            raise InputError(f"{path} line {number} is not JSON: {error}", "an object a line", remedy) from None
        fields = record if isinstance(record, dict) else {}
        text = next((fields[name] for name in names if isinstance(fields.get(name), str)), None)
        if text is None:
            wanted = f"an object with a text in the field {' or '.join(names)}"
            remedy = f"name the field of line {number} that holds the text so, give --column, or leave the line out"
            raise InputError(
                f"{path} line {number} has no text; it has {', '.join(fields) or 'no field'}", wanted, remedy
            )
        found.append(Said(number, text, _id(fields, f"{path} line {number}")))
    return found


def _id(fields: Mapping[str, Any], where: str) -> str | int | None:
    """What a record is called; None where it is not."""
    match fields.get("id"):
        case None | "":
            return None
        case str() | int() as called if not isinstance(called, bool):
            return called
    seen = f"{where} has an id that is neither a text nor a whole number: {json.dumps(fields['id'], default=str)[:60]}"
    raise InputError(seen, "one of them", "put the id in quotes, or leave it out")
