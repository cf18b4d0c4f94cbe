"""Read texts from a file: .txt (one per line), .csv, .jsonl or .parquet."""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError, TooLarge
from groundwork.files import loads, read_bytes
from truthhypo.sheet import read_sheet

Name = TypeVar("Name", bound=Hashable)
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
            malformed, for instance a row of a .csv file has more columns than the header (see `truthhypo.sheet`). Or
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


def missing(value: object) -> bool:
    """Return whether a value stands for no value: None, NaN, pandas.NA or pandas.NaT."""
    nan = isinstance(value, Real) and value != value
    return nan or value is None or type(value).__name__ in {"NAType", "NaTType"}


def _lines(path: Path, _: Sequence[str]) -> list[Said]:
    return [Said(number, line) for number, line in enumerate(_split(path), 1)]


def _split(path: Path) -> list[str]:
    """Split a file into lines at LF or CRLF only. `splitlines` would also split at U+2028 and similar characters."""
    return read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def _csv(path: Path, names: Sequence[str]) -> list[Said]:
    sheet = read_sheet(path)
    column = chosen(path, sheet.header, names)
    return [Said(number, row[column] or "", row.get("id") or None) for number, row in enumerate(sheet.rows, 1)]


def alike(columns: Iterable[Name], names: Sequence[Hashable]) -> Iterator[Name]:
    """Yield the columns with one of `names`, in the order of the names. Case and blanks matter only between two."""
    held = list(columns)
    yield from (column for name in names for column in held if column == name)
    yield from (
        column for name in names for column in held if str(column).strip().casefold() == str(name).strip().casefold()
    )


def chosen(
    where: object,
    columns: Sequence[Name],
    names: Sequence[Hashable],
    remedy: str = "rename the column with the texts, or name it by the argument `column`",
) -> Name:
    """Return the first name in `names` that is also in `columns`, as the columns write it.

    Args:
        where: The file or table, for error messages.
        columns: The columns of the file or table.
        names: The names to look for, in order of preference.
        remedy: What to do if no column has one of the names.

    Raises:
        InputError: No column has one of the names, or several have the same one.
    """
    column = next(alike(columns, names), None)
    if column is None:
        seen, wanted = f"{where} has the columns {', '.join(map(str, columns))}", " or ".join(map(str, names))
        raise InputError(seen, f"a column named {wanted}", remedy)
    if list(columns).count(column) > 1:
        raise InputError(f"{where} has several columns named {column}", "only one", "rename or remove the others")
    return column


def read_records(path: Path) -> list[dict[str, Any] | InputError]:
    """Read the rows of a .csv, .jsonl or .parquet file. Each row is a dict from column or field to value.

    A line of a .jsonl file that is no JSON object gives an error in its place. Blank lines are skipped.

    Raises:
        InputError: The file is missing, is no table, has no row, or its name has another ending.
    """
    wanted = "a .csv, .jsonl or .parquet file"
    try:
        match path.suffix.lower():
            case ".csv":
                found: list[dict[str, Any] | InputError] = list(read_sheet(path).rows)
            case ".jsonl":
                found = [_record(line, number) for number, line in enumerate(_split(path), 1) if line.strip()]
            case ".parquet":
                found = pq.read_table(pa.BufferReader(read_bytes(path))).to_pylist()
            case ending:
                raise InputError(f"{path} ends in {ending!r}", wanted, "convert or rename the file")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: byte {error.start}", "UTF-8 text", "save the file as UTF-8") from None
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read: {error}", wanted, "check the file") from None
    if not found:
        raise InputError(f"{path} contains no row", "at least one row", "check the file")
    return found


def _record(line: str, number: int) -> dict[str, Any] | InputError:
    try:
        record = loads(line)
    except json.JSONDecodeError as error:
        return InputError(f"line {number} is not JSON: {error}", "one JSON object per line", "correct the line")
    if isinstance(record, dict):
        return record
    return InputError(f"line {number} is no JSON object", "one JSON object per line", "correct the line")


def _parquet(path: Path, names: Sequence[str], most: int | None) -> list[Said]:
    try:
        with pq.ParquetFile(pa.BufferReader(read_bytes(path)) if path.is_fifo() else path) as file:
            columns = file.schema_arrow.names
            column = chosen(path, columns, names)
            read = [column, "id"] if "id" in columns else [column]
            if most is not None:
                _check_size(file, read, most)
            table = file.read(read)
    except pa.ArrowException as error:
        raise InputError(
            f"{path} is not Parquet: {error}", "a complete .parquet file", "write the file again"
        ) from None
    texts = table.column(column).to_pylist()
    rows = zip(texts, table.column("id").to_pylist() if "id" in columns else [None] * len(texts), strict=True)
    found = []
    for number, (text, called) in enumerate(rows, 1):
        if missing(text):
            text = ""
        elif not isinstance(text, str):
            seen = f"{path} row {number}: the column {column!r} holds {type(text).__name__}"
            raise InputError(seen, "texts in this column", "name the column with the texts by the argument `column`")
        found.append(Said(number, text, _id({"id": called}, f"{path} row {number}")))
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
    found, unnamed = [], ""
    for number, line in enumerate(_split(path), 1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except json.JSONDecodeError as error:
            remedy = f'write line {number} as {{"{names[0]}": "..."}}, or give the texts as .txt, one per line'
            raise InputError(f"{path} line {number} is not JSON: {error}", "one JSON object per line", remedy) from None
        fields = record if isinstance(record, dict) else {}
        named = list(alike(fields, names))
        text = next((fields[name] for name in named if isinstance(fields[name], str)), None)
        if not named and isinstance(record, dict):
            unnamed = unnamed or f"line {number} has no text; it has {', '.join(fields) or 'no field'}"
        elif text is None and not any(missing(fields[name]) for name in named):
            held = json.dumps(fields[named[0]] if named else record)[:60]
            raise _no_text(path, number, f"line {number} has {held} where a text should be", names)
        found.append(Said(number, text or "", _id(fields, f"{path} line {number}")))
    if unnamed and not any(said.text for said in found):  # the name of the field is wrong, not one record
        raise _no_text(path, found[0].number, unnamed, names)
    return found


def _no_text(path: Path, number: int, seen: str, names: Sequence[str]) -> InputError:
    wanted = f"an object with a text in the field {' or '.join(names)}"
    remedy = f"in line {number} rename the field, name it by the argument `column`, or remove the line"
    return InputError(f"{path} {seen}", wanted, remedy)


def _id(fields: Mapping[str, Any], where: str) -> str | int | None:
    """Return the id of a record, or None if the record has no id."""
    match fields.get("id"):
        case "":
            return None
        case called if missing(called):
            return None
        case str() | int() as called if not isinstance(called, bool):
            return called
    seen = f"{where} has an id that is neither text nor a whole number: {json.dumps(fields['id'], default=str)[:60]}"
    raise InputError(seen, "text or a whole number", "put the id in quotes, or remove it")
