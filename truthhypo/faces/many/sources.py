"""Read the texts or pairs that a Python user gives: a list, a pandas Series or DataFrame, or a file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from groundwork.errors import InputError, UnfitText
from groundwork.files import read_bytes
from groundwork.readable import broken, statement
from truthhypo.arguments import shown
from truthhypo.faces import texts as files
from truthhypo.lookups import cited_pmids
from truthhypo.sheet import read_sheet

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    Texts: TypeAlias = Iterable[str | None] | Series[Any] | DataFrame | str | Path
    Pairs: TypeAlias = Iterable[tuple[str, str]] | DataFrame | str | Path
    Citing: TypeAlias = Iterable[tuple[str, int | str | Sequence[int | str]]] | DataFrame | str | Path

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

    texts: files.Texts
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
        found = files.read_texts(path, column)
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
        said.append(files.Said(number, text))
    labels = table.index if _is_pandas(given) and table is not None else None
    return Source(files.Texts(said, counted=True), {}, labels, held, refused)


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
        records = files.read_records(path) if path is not None else cast("DataFrame", table).to_dict("records")
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
        said.append(files.Said(number, text))
    labels = table.index if table is not None else None
    return Source(files.Texts(said, counted=True), {}, labels, held, refused)


def _citing_rows(records: Sequence[Any], column: Hashable | None) -> list[Any]:
    """Return claim and PMIDs of each record. A record that is an error stays one."""
    named = list(dict.fromkeys(name for record in records if not isinstance(record, InputError) for name in record))
    claims = files.chosen("the table", named, files.COLUMNS, "rename the column with the claims to claim")
    pmids = files.chosen(
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
    if files.missing(value):
        return []
    if isinstance(value, float):
        return [int(value) if value.is_integer() else value]
    return [part for part in re.split(r"[,;|]", str(value)) if part.strip()]


def _judgeable(values: Sequence[Any], labels: Any) -> Source:
    """Divide values into texts that can be judged and values that cannot."""
    said, unfit = [], dict[int, Record]()
    for number, value in enumerate(values, 1):
        try:
            said.append(files.Said(number, statement(_present(value))))
        except UnfitText as error:
            unfit[number] = _refused(error, text=value if isinstance(value, str) else None)
            said.append(files.Said(number, ""))
    return Source(files.Texts(said, counted=True), unfit, labels)


def _refused(error: InputError, **given: Any) -> Record:
    """Return the record of a text or pair that cannot be judged."""
    return {**given, "error": {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy}}


def _present(value: Any) -> Any:
    """Return the value unless it is missing.

    Raises:
        UnfitText: The value is missing.
    """
    if files.missing(value):
        raise UnfitText("a missing text", "a text to judge")
    return value


def _path(given: Any) -> Path | None:
    """Return the path if a file is given, otherwise None.

    Raises:
        InputError: `given` is a str without the ending of a file of texts, for example a single text to judge.
    """
    if isinstance(given, Path):
        return given
    if not isinstance(given, str):
        return None
    if Path(given).suffix.lower() in files.ENDINGS:
        return Path(given)
    raise InputError(
        f"{shown(given)}, which is one text or an unknown kind of file",
        f"a list of texts, or the path of a {', '.join(files.ENDINGS)} file",
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
    labels = files.COLUMNS if column is None else (column,)
    found = next((label for label in labels if isinstance(label, Hashable) and label in table.columns), None)
    if found is None:
        seen = f"a DataFrame with the columns {', '.join(map(str, table.columns))}"
        wanted = f"a column named {' or '.join(map(str, labels))}"
        raise InputError(seen, wanted, "name the column with the texts: column='...'")
    return found


def _column(table: DataFrame, label: Hashable) -> Series[Any]:
    """Return a column of a table.

    Raises:
        InputError: Several columns have this label, or begin with it. Then pandas would return a table of them.
    """
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
    """Read a file of pairs. The names of its columns may be in any case.

    Raises:
        InputError: The file is missing, is no table, has no row, or its name has an unknown ending.
    """
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
    written = {name: next(files.alike(map(str, table.columns), [name]), name) for name in ENDS}
    return table.rename(columns={column: name for name, column in written.items()})
