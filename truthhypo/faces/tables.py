"""Write records of `ground` and `risk` as a table, one row per claim or sentence, as .csv or .parquet."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from groundwork.errors import InputError
from truthhypo.bench.spreadsheet import safe

Row = dict[str, Any]

_SOURCES = ("graph", "literature", "both")
_SIDES = ("support", "contradiction", "unsigned")
_SUMS = ("sum", "max", "noisy_or")
_STRINGS = pa.list_(pa.string())

_TEXT = {"number": pa.int64(), "id": pa.string(), "text": pa.string()}
_CLAIMS = {
    "claim": pa.string(),
    "sentence": pa.string(),
    "start": pa.int64(),
    "end": pa.int64(),
    "concepts": _STRINGS,
    "names": _STRINGS,
    **{f"verdict_{source}": pa.string() for source in _SOURCES},
    "reason": pa.string(),
    "flags": _STRINGS,
    "cited": _STRINGS,
    **{f"groundedness_{source}": pa.float64() for source in _SOURCES},
    "model": pa.string(),
}
_SENTENCES = {
    "sentence": pa.string(),
    "subject": pa.string(),
    "subject_key": pa.string(),
    "subject_name": pa.string(),
    "predicate": pa.string(),
    "relation": pa.string(),
    "negated": pa.bool_(),
    "object": pa.string(),
    "object_key": pa.string(),
    "object_name": pa.string(),
    "status": pa.string(),
    "hrs": pa.float64(),
    "strength": pa.float64(),
    "p_net": pa.float64(),
    "hrs_calibrated": pa.float64(),
    **{f"{side}_{how}": pa.float64() for side in _SIDES for how in _SUMS},
    "paths_total": pa.int64(),
    "flags": _STRINGS,
    "hrs_text": pa.float64(),
    "strength_text": pa.float64(),
    "flags_text": _STRINGS,
}
_ERROR = {"error": pa.string()}


@dataclass(frozen=True, slots=True)
class Table:
    """A table made from the records of a run.

    Attributes:
        path: The file, ending in .csv or .parquet.
        columns: Types of the columns, by name.
        rows: Function that yields the rows of one record.
    """

    path: Path
    columns: Mapping[str, pa.DataType]
    rows: Callable[[Mapping[str, Any]], Iterator[Row]]

    def write(self, records: Path) -> None:
        """Write the rows of all records to the table. An existing table is replaced in one step.

        In .csv, a list is written as a JSON array and a missing value as an empty cell. A quote (') is put before text
        that a spreadsheet would run as a formula.

        Args:
            records: JSON Lines file that `Batch` wrote.

        Raises:
            OSError: The file cannot be written.
        """
        with records.open("rb") as lines:
            rows = [_encodable(row) for line in lines for row in self.rows(json.loads(line))]
        part = self.path.with_name(f".{self.path.name}.part")
        (_write_csv if self.path.suffix.lower() == ".csv" else _write_parquet)(part, self.columns, rows)
        part.replace(self.path)


def table_for(out: Path, command: str) -> Table | None:
    """Return the table that --out names, or None if it names a JSON Lines file.

    Args:
        out: Path given as --out.
        command: `ground` or `risk`.

    Raises:
        InputError: The file ends in neither .jsonl, .csv nor .parquet.
    """
    match out.suffix.lower():
        case ".jsonl":
            return None
        case ".csv" | ".parquet":
            columns, rows = (_CLAIMS, _of_claims) if command == "ground" else (_SENTENCES, _of_sentences)
            return Table(out, _TEXT | columns | _ERROR, rows)
    raise InputError(f"--out {out} ends in {out.suffix!r}", "a .jsonl, .csv or .parquet file", "rename it")


def claims_csv(record: Mapping[str, Any]) -> str:
    """Return the claims of one record of `ground` as the text of a .csv file, as `Table.write` writes it."""
    file = StringIO(newline="")
    columns = _TEXT | _CLAIMS | _ERROR
    _put_csv(file, columns, (_encodable(row) for row in _of_claims({"number": 1, **record})))
    return file.getvalue()


def records_of(out: Path) -> Path:
    """Return the records file of a run: --out itself, or a .jsonl beside --out if that is a table."""
    return out if out.suffix.lower() == ".jsonl" else out.with_name(f"{out.name}.jsonl")


def _of_claims(record: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each claim, or one row for a text without claims."""
    whole = _of_text(record) | {"model": record.get("model")} | _spread(record, "groundedness", _SOURCES)
    for claim in record.get("claims") or [{}]:
        names = {mention["key"]: mention["name"] for mention in claim.get("mentions", ())}
        start, end = claim.get("span", (None, None))
        yield {
            **whole,
            **{name: claim.get(name) for name in ("sentence", "reason", "flags", "cited", "concepts")},
            **{f"verdict_{source}": claim.get("verdicts", {}).get(source) for source in _SOURCES},
            "claim": claim.get("text"),
            "start": start,
            "end": end,
            "names": [names.get(key) for key in claim["concepts"]] if claim else None,
        }


def _of_sentences(record: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each sentence, or one row for a text without sentences."""
    whole = _of_text(record) | {f"{name}_text": record.get(name) for name in ("hrs", "strength", "flags")}
    plain = ("status", "hrs", "strength", "p_net", "hrs_calibrated", "paths_total", "flags")
    for sentence in record.get("sentences") or [{}]:
        triple = sentence.get("triple") or {}
        row = whole | {name: sentence.get(name) for name in plain}
        row |= {name: triple.get(name) for name in ("subject", "predicate", "relation", "negated", "object")}
        for end in ("subject", "object"):
            row |= _spread(sentence, end, ("key", "name"))
        for side in _SIDES:
            row |= _spread(sentence, side, _SUMS)
        yield row | {"sentence": sentence.get("text")}


def _of_text(record: Mapping[str, Any]) -> Row:
    named = None if record.get("id") is None else str(record["id"])
    return {
        "number": record["number"],
        "id": named,
        "text": record["text"],
        "error": record.get("error", {}).get("seen"),
    }


def _spread(record: Mapping[str, Any], name: str, parts: Sequence[str]) -> Row:
    """Return the parts of a nested field as separate columns NAME_PART."""
    held = record.get(name) or {}
    return {f"{name}_{part}": held.get(part) for part in parts}


def _encodable(value: Any) -> Any:
    """Replace unpaired surrogates in a value by escapes, because UTF-8 cannot encode unpaired surrogates."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case list():
            return [_encodable(item) for item in value]
        case dict():
            return {name: _encodable(item) for name, item in value.items()}
    return value


def _write_csv(path: Path, columns: Mapping[str, pa.DataType], rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        _put_csv(file, columns, rows)


def _put_csv(file: TextIO, columns: Mapping[str, pa.DataType], rows: Iterable[Row]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = (row[name] for name in columns)
        writer.writerow(
            safe(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell) for cell in cells
        )


def _write_parquet(path: Path, columns: Mapping[str, pa.DataType], rows: Sequence[Row]) -> None:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=pa.schema(list(columns.items()))), path)
