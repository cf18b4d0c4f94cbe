"""Read texts, pairs or citing claims to judge: from a file, a list, or a pandas Series or DataFrame.

Files are .txt (one text per line), .csv, .jsonl or .parquet.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError, TooLarge, UnfitText
from groundwork.files import loads, read_bytes
from groundwork.options import shown
from groundwork.readable import broken, statement
from truthhypo.lookups import cited_pmids
from truthhypo.sheet import read_sheet

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    GivenTexts: TypeAlias = Iterable[str | None] | Series[Any] | DataFrame | str | Path
    Pairs: TypeAlias = Iterable[tuple[str, str]] | DataFrame | str | Path
    Citing: TypeAlias = Iterable[tuple[str, int | str | Sequence[int | str]]] | DataFrame | str | Path


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
                found = [_json_object(line, number) for number, line in enumerate(_split(path), 1) if line.strip()]
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


def _json_object(line: str, number: int) -> dict[str, Any] | InputError:
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


Record: TypeAlias = dict[str, Any]

#: Columns of a table of pairs.
ENDS = ("head", "tail")
#: Names of the column with PMIDs, in order of preference.
PMIDS = ("pmid", "pmids")


@dataclass(frozen=True, slots=True)
class Source:
    """The texts or pairs to judge.

    Attributes:
        texts: The texts that can be judged, or all pairs or citing claims. For a pair, the text is `HEAD -> TAIL`, for
            a claim with PMIDs `CLAIM [PMID 1, 2]`.
        unfit: The records of texts that cannot be judged, by their number in the input. A record holds the text, and an
            `error` that says why the text cannot be judged.
        labels: The pandas index of the input; entry i, counted from 0, belongs to the text with the number i + 1. None
            if the input has no index.
        calls: The arguments with which each text is judged, by the text, if more than texts were given: pairs, or
            claims with their PMIDs.
        refused: The records of pairs or claims that cannot be judged, by their text. A record holds an `error`.
    """

    texts: Texts
    unfit: Mapping[int, Record]
    labels: Any = None
    calls: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    refused: Mapping[str, Record] = field(default_factory=dict)


def read_source(given: Any, column: Hashable | None) -> Source:
    """Read the texts of a list, Series, DataFrame or file.

    Args:
        given: The texts.
        column: The column with the texts: its label in a DataFrame, or its name in a file. With None, the first of
            `texts.COLUMNS` that the input has is used.

    Raises:
        InputError: `given` has another type, a column is missing, or the file cannot be read.
    """
    if (path := _path(given)) is not None:
        if not isinstance(column, str | None):
            seen = f"column = {shown(column)} of a file, which is of type {type(column).__name__}"
            raise InputError(seen, "the name of a column, as a str", f"write for instance column={str(column)!r}")
        found = read_texts(path, column)
        empty = UnfitText("an empty text", "a text to judge")
        return Source(found, {said.number: _refused(empty, text=said.text) for said in found.blank})
    table = _table(given)
    if table is None and column is not None:
        raise InputError(f"column = {column!r} of texts without columns", "a DataFrame or a file", "omit column")
    values = given if table is None else _column(table, _chosen(table, column))
    return _judgeable(_listed(values), getattr(given, "index", None) if _is_pandas(given) else None)


def read_pairs(given: Any, checked: Callable[[str, str], object]) -> Source:
    """Read pairs of concepts.

    Args:
        given: Pairs, or a DataFrame or file with the columns head and tail.
        checked: Function that raises InputError for a pair that cannot be judged.

    Raises:
        InputError: `given` or one of its pairs has another form, or a column is missing.
    """
    table = _table(given) if (path := _path(given)) is None else _read_table(path)
    if table is not None:
        if missing := [name for name in ENDS if name not in table.columns]:
            seen = f"a table without the column {missing[0]}; it has {', '.join(map(str, table.columns))}"
            raise InputError(seen, "the columns head and tail", "rename the columns")
        pairs: list[Any] = list(zip(*(_column(table, name) for name in ENDS), strict=True))
    else:
        pairs = _listed(given)
    said, refused, held = [], dict[str, Record](), dict[str, tuple[str, str]]()
    for number, pair in enumerate(pairs, 1):
        try:
            head, tail = pair
        except (TypeError, ValueError):
            remedy = "give for instance [('metformin', 'PRKAA1')]"
            raise InputError(f"the pair {shown(pair)}", "a head and a tail", remedy) from None
        text = f"{head} -> {tail}"
        try:
            held[text] = statement(_present(head)), statement(_present(tail))
            checked(*held[text])
        except InputError as error:
            ends = {name: end if isinstance(end, str) else None for name, end in zip(ENDS, pair, strict=True)}
            refused[text] = _refused(error, text=text, **ends)
        said.append(Said(number, text))
    labels = table.index if _is_pandas(given) and table is not None else None
    return Source(Texts(said, counted=True), {}, labels, held, refused)


def read_citing(given: Any, column: Hashable | None) -> Source:
    """Read claims with the PMIDs of the articles that they cite.

    Args:
        given: Pairs of a claim and its PMIDs (one, or several in a list or in a text with commas or semicolons), or a
            DataFrame or file with a column of claims (the first of `texts.COLUMNS`) and one of PMIDs.
        column: Label of the column with the PMIDs; None: `pmid`, or `pmids`.

    Raises:
        InputError: `given` or one of its rows has another form, or a column is missing.
    """
    path, table = _path(given), _table(given)
    if path is None and table is None:
        if column is not None:
            raise InputError(f"pmid_column = {column!r} of rows without columns", "a DataFrame or a file", "omit it")
        rows: list[Any] = _listed(given)
    else:
        records = read_records(path) if path is not None else cast("DataFrame", table).to_dict("records")
        rows = _citing_rows(records, column)
    said, refused, held = [], dict[str, Record](), dict[str, tuple[str, tuple[int, ...]]]()
    for number, row in enumerate(rows, 1):
        try:
            if isinstance(row, InputError):
                raise row
            if isinstance(row, str) or not isinstance(row, Sequence) or len(row) != 2:
                raise UnfitText(f"the row {shown(row)}", "a claim and its PMIDs", "give ('...', [12345])")
            claim = statement(_present(row[0]))
            pmids = cited_pmids(each_pmid(row[1]))
            if not pmids:
                raise UnfitText("a claim without a PMID", "at least one PMID", "name the cited article")
            text = f"{claim} [PMID {', '.join(map(str, pmids))}]"
            held[text] = claim, pmids
        except InputError as error:
            told = row[0] if isinstance(row, Sequence) and not isinstance(row, str) and row else row
            text = f"row {number}: {told if isinstance(told, str) and not broken(told) else shown(told)}"
            refused[text] = _refused(error, text=text, claim=told if isinstance(told, str) else None, citations=[])
        said.append(Said(number, text))
    labels = table.index if table is not None else None
    return Source(Texts(said, counted=True), {}, labels, held, refused)


def _citing_rows(records: Sequence[Any], column: Hashable | None) -> list[Any]:
    """Return claim and PMIDs of each record. A record that is an error stays one."""
    named = list(dict.fromkeys(name for record in records if not isinstance(record, InputError) for name in record))
    claims = chosen("the table", named, COLUMNS, "rename the column with the claims to claim")
    pmids = chosen(
        "the table",
        named,
        PMIDS if column is None else (column,),
        "name the column with the PMIDs by the argument `pmid_column`",
    )
    return [record if isinstance(record, InputError) else (record.get(claims), record.get(pmids)) for record in records]


def each_pmid(value: Any) -> list[int | str | float]:
    """Return the PMIDs in a cell: a number, a text with commas, semicolons or bars, or a list of these.

    A number with a fraction stays one, so that `cited_pmids` refuses it.
    """
    if isinstance(value, list | tuple) or type(value).__name__ == "ndarray":
        return [pmid for each in value for pmid in each_pmid(each)]
    if missing(value):
        return []
    if isinstance(value, float):
        return [int(value) if value.is_integer() else value]
    return [part for part in re.split(r"[,;|]", str(value)) if part.strip()]


def _judgeable(values: Sequence[Any], labels: Any) -> Source:
    """Divide values into texts that can be judged and values that cannot."""
    said, unfit = [], dict[int, Record]()
    for number, value in enumerate(values, 1):
        try:
            said.append(Said(number, statement(_present(value))))
        except UnfitText as error:
            unfit[number] = _refused(error, text=value if isinstance(value, str) else None)
            said.append(Said(number, ""))
    return Source(Texts(said, counted=True), unfit, labels)


def _refused(error: InputError, **given: Any) -> Record:
    """Return the record of a text or pair that cannot be judged."""
    return {**given, "error": {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}}


def _present(value: Any) -> Any:
    """Return the value unless it is missing."""
    if missing(value):
        raise UnfitText("a missing text", "a text to judge")
    return value


def _path(given: Any) -> Path | None:
    """Return the path if a file is given, otherwise None."""
    if isinstance(given, Path):
        return given
    if not isinstance(given, str):
        return None
    if Path(given).suffix.lower() in ENDINGS:
        return Path(given)
    raise InputError(
        f"{shown(given)}, which is one text or an unknown kind of file",
        f"a list of texts, or the path of a {', '.join(ENDINGS)} file",
        "for one text use ground, risk or hypothesize, or put it into a list",
    )


def _is_pandas(given: Any) -> bool:
    pandas = sys.modules.get("pandas")  # if the caller has a pandas object, pandas is already imported
    return pandas is not None and isinstance(given, pandas.Series | pandas.DataFrame)


def _table(given: Any) -> DataFrame | None:
    pandas = sys.modules.get("pandas")
    return given if pandas is not None and isinstance(given, pandas.DataFrame) else None


def _chosen(table: DataFrame, column: Hashable | None) -> Hashable:
    """Return the label of the column with the texts."""
    labels = COLUMNS if column is None else (column,)
    found = next((label for label in labels if isinstance(label, Hashable) and label in table.columns), None)
    if found is None:
        seen = f"a DataFrame with the columns {', '.join(map(str, table.columns))}"
        wanted = f"a column named {' or '.join(map(str, labels))}"
        raise InputError(seen, wanted, "name the column with the texts: column='...'")
    return found


def _column(table: DataFrame, label: Hashable) -> Series[Any]:
    """Return a column of a table."""
    found: Any = table[label]
    if found.ndim > 1:
        seen = f"several columns named {label}: {', '.join(map(str, table.columns))}"
        remedy = "give the whole label, as a tuple" if table.columns.nlevels > 1 else "rename or remove the others"
        raise InputError(seen, f"one column named {label}", remedy)
    return cast("Series[Any]", found)


def _listed(given: Any) -> list[Any]:
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(
            f"{shown(given)}, which is of type {type(given).__name__}",
            "a list, a pandas Series or DataFrame, or the path of a file",
            "convert it to a list",
        )
    return list(given)


def _read_table(path: Path) -> DataFrame:
    """Read a file of pairs. The names of its columns may be in any case."""
    import pandas

    readers: dict[str, Callable[[Path], DataFrame]] = {
        ".csv": lambda file: pandas.DataFrame(read_sheet(file).rows),
        ".jsonl": lambda file: pandas.read_json(BytesIO(read_bytes(file)), lines=True, dtype=False),
        ".parquet": lambda file: pandas.read_parquet(BytesIO(read_bytes(file))),
    }
    wanted = "a .csv, .jsonl or .parquet file of pairs"
    if path.suffix.lower() not in readers:
        raise InputError(f"{path} ends in {path.suffix!r}", wanted, "convert it")
    try:
        table = readers[path.suffix.lower()](path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}", wanted, "check the file") from None
    if table.empty:
        raise InputError(f"{path} contains no pair", "at least one pair", "check the file")
    written = {name: next(alike(map(str, table.columns), [name]), name) for name in ENDS}
    return table.rename(columns={column: name for name, column in written.items()})
