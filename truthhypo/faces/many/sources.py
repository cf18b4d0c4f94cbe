"""Read the texts or pairs that a Python user gives: a list, a pandas Series or DataFrame, or a file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from groundwork.characters import statement
from groundwork.errors import InputError, UnfitText
from groundwork.named_pipe import read_bytes
from groundwork.sheet import read_sheet
from truthhypo.arguments import shown
from truthhypo.faces import texts as files

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    Texts: TypeAlias = Iterable[str | None] | Series[Any] | DataFrame | str | Path
    Pairs: TypeAlias = Iterable[tuple[str, str]] | DataFrame | str | Path

Record: TypeAlias = dict[str, Any]

#: Columns of a table of pairs.
ENDS = ("head", "tail")


@dataclass(frozen=True, slots=True)
class Source:
    """The texts or pairs to judge.

    Attributes:
        texts: The texts that can be judged, or all pairs. For a pair, the text is `HEAD -> TAIL`.
        unfit: The records of texts that cannot be judged, by their number in the input. A record holds the text, and an
            `error` that says why the text cannot be judged.
        labels: The pandas index of the input; entry i, counted from 0, belongs to the text with the number i + 1. None
            if the input has no index.
        pairs: The pair of each text, if pairs were given.
        refused: The records of pairs that cannot be judged, by the text of the pair. A record holds an `error`.
    """

    texts: files.Texts
    unfit: Mapping[int, Record]
    labels: Any = None
    pairs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    refused: Mapping[str, Record] = field(default_factory=dict)


def read_source(given: Any, column: str | None) -> Source:
    """Read the texts of a list, Series, DataFrame or file.

    Args:
        given: The texts.
        column: The column with the texts, for a DataFrame or a file. With None, the first of `texts.COLUMNS` that the
            input has is used.

    Raises:
        InputError: `given` has another type, a column is missing, or the file cannot be read.
    """
    if (path := _path(given)) is not None:
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
    """Return the value unless it is missing (None, NaN, pandas.NA or pandas.NaT).

    Raises:
        UnfitText: The value is missing.
    """
    if value is None or (not isinstance(value, str) and type(value).__name__ in {"NAType", "NaTType"}):
        raise UnfitText("a missing text", "a text to judge")
    if isinstance(value, float) and value != value:  # NaN
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


def _chosen(table: DataFrame, column: str | None) -> str:
    names = files.COLUMNS if column is None else (column,)
    found = next((name for name in names if name in table.columns), None)
    if found is None:
        seen = f"a DataFrame with the columns {', '.join(map(str, table.columns))}"
        raise InputError(seen, f"a column named {' or '.join(names)}", "name the column with the texts: column='...'")
    return found


def _column(table: DataFrame, name: str) -> Series[Any]:
    """Return a column of a table.

    Raises:
        InputError: Several columns have this name. Then pandas would return a table of them.
    """
    found: Any = table[name]
    if found.ndim > 1:
        raise InputError(f"several columns named {name}", f"one column named {name}", "rename or remove the others")
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
    """Read a file of pairs.

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
    return table
