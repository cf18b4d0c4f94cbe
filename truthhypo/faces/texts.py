"""Read texts from a file: .txt (one per line), .csv, .jsonl or .parquet."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError, TooLarge
from groundwork.json_text import loads
from groundwork.named_pipe import read_bytes
from groundwork.sheet import read_sheet

_Reader: TypeAlias = Callable[[Path, Sequence[str]], "list[Said]"]

#: Endings of the files that can be read.
ENDINGS = (".txt", ".csv", ".jsonl", ".parquet")
#: Names of the column or field that holds the text, in order of preference.
COLUMNS = ("text", "statement", "claim", "hypothesis", "sentence")
#: Number of rows of a .parquet file that are read at a time to add up their sizes.
_ROWS = 16


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


def read_texts(path: Path, column: str | None = None, most: int | None = None) -> Texts:
    """Read the texts of a file. Blank lines of a .txt file are skipped.

    The records without a text in a file of another format are counted (`Texts.blank`). A text that cannot be judged,
    such as one with a NUL character, is returned like any other.

    Args:
        path: A .txt (one text per line), .csv, .jsonl or .parquet file.
        column: Column or field that holds the texts. With None, it is the first of `COLUMNS` that the file has.
        most: Maximum characters of all texts of a .parquet file; None for any number.

    Raises:
        TooLarge: The texts of a .parquet file have more than `most` characters.
        InputError: The file cannot be read, has another ending, has no text column or has no text. Or the file is
            malformed, for instance a row of a .csv file has more columns than the header (see `groundwork.sheet`). Or
            `column` is given for a .txt file.
    """
    kinds: tuple[_Reader, ...] = (_lines, _csv, _jsonl, partial(_parquet, most=most))
    readers = dict(zip(ENDINGS, kinds, strict=True))
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
    if list(columns).count(column) > 1:
        raise InputError(f"{path} has several columns named {column}", "only one", "rename or remove the others")
    return column


def _parquet(path: Path, names: Sequence[str], most: int | None) -> list[Said]:
    try:
        with pq.ParquetFile(pa.BufferReader(read_bytes(path)) if path.is_fifo() else path) as file:
            columns = file.schema_arrow.names
            column = _chosen(path, columns, names)
            chosen = [column, "id"] if "id" in columns else [column]
            if most is not None:
                _check_size(file, chosen, most)
            table = file.read(chosen)
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


def _check_size(file: pq.ParquetFile, columns: list[str], most: int) -> None:
    """Check that some columns of a file hold at most `most` characters, and do so with little memory.

    Compressed and repeated texts take hardly any place in the file. So their sizes are added up a few rows at a time.

    Raises:
        TooLarge: The columns hold more than `most` characters.
    """
    groups = (file.metadata.row_group(number) for number in range(file.num_row_groups))
    chunks = (group.column(number) for group in groups for number in range(group.num_columns))
    stored = sum(each.total_uncompressed_size for each in chunks if each.path_in_schema.split(".")[0] in columns)
    size = max(stored, file.metadata.num_rows)
    batches = file.iter_batches(_ROWS, columns=columns)
    while size <= most and (batch := next(batches, None)) is not None:
        size += sum(len(str(value)) for column in batch.columns for value in column.to_pylist())
    if size > most:
        raise TooLarge(f"a .parquet file with texts of more than {most:,} characters", f"{most:,}", "serve_body")


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
