"""Write records of judgements to a table (.csv or .parquet) with one row per claim, sentence or pair."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzygraph.risk_report import RISK_COLUMNS, risk_rows
from groundwork.errors import InputError
from groundwork.files import loads
from knowhd.citations import CITATION_COLUMNS, CITATION_VERDICTS, citation_rows
from knowhd.ground_report import CLAIM_COLUMNS, claim_rows
from knowhd.judge import SOURCES, VERDICTS
from truthhypo.bench.spreadsheet import csv_text
from truthhypo.hypotheses.rows import HYPOTHESIS_COLUMNS, hypothesis_rows

Row = dict[str, Any]

_STRINGS = pa.list_(pa.string())

_TEXT = {"number": pa.int64(), "id": pa.string(), "text": pa.string()}
_ERROR = {"error": pa.string()}
#: Types of the columns whose values are not strings.
_TYPES = {
    **dict.fromkeys(("start", "end", "paths_total", "candidates", "chains", "articles", "pmid"), pa.int64()),
    **dict.fromkeys(("concepts", "names", "flags", "cited", "flags_text"), _STRINGS),
    **dict.fromkeys(
        ("hrs", "strength", "p_net", "p_claim", "p_opposite", "p_none", "hrs_text", "strength_text"), pa.float64()
    ),
    **{name: pa.float64() for name in RISK_COLUMNS if name.endswith(("_sum", "_max", "_noisy_or"))},
    **{name: pa.float64() for name in CLAIM_COLUMNS if name.startswith("groundedness_")},
    **dict.fromkeys(("groundedness", "contradicted", "probability"), pa.float64()),
    **dict.fromkeys(("negated", "denied"), pa.bool_()),
}
#: The columns of each command, and the function that yields the rows of a record.
LAYOUTS: Mapping[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], Iterator[Row]]]] = {
    "ground": (CLAIM_COLUMNS, claim_rows),
    "risk": (RISK_COLUMNS, risk_rows),
    "hypothesize": (HYPOTHESIS_COLUMNS, hypothesis_rows),
    "cite": (CITATION_COLUMNS, citation_rows),
}
#: The columns of a table with one row per text, after its text.
TEXT_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "ground": (
        "claims",
        *(f"verdict_{source}" for source in SOURCES),
        *VERDICTS,
        *(f"groundedness_{source}" for source in SOURCES),
        "model",
    ),
    "risk": ("claims", "measured", "hrs", "strength", "flags"),
    "hypothesize": HYPOTHESIS_COLUMNS,
    "cite": ("claim", "pmids", "verdict", *CITATION_VERDICTS, "model"),
}


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
            records: JSON Lines file that `faces.batch.Batch` wrote.

        Raises:
            OSError: The file cannot be written.
        """
        with records.open("rb") as lines:
            rows = [encodable(row) for line in lines for row in self.rows(loads(line))]
        part = self.path.with_name(f".{self.path.name}.part")
        (_write_csv if self.path.suffix.lower() == ".csv" else _write_parquet)(part, self.columns, rows)
        part.replace(self.path)


def table_for(out: Path, command: str) -> Table | None:
    """Return the table that --out names, or None if --out names a JSON Lines file.

    Args:
        out: Path given as --out.
        command: `ground`, `risk`, `hypothesize` or `cite`.

    Raises:
        InputError: The file ends in neither .jsonl, .csv nor .parquet.
    """
    match out.suffix.lower():
        case ".jsonl":
            return None
        case ".csv" | ".parquet":
            return Table(out, _columns(command), lambda record: rows_of(command, record))
    raise InputError(
        f"the output file {out} ends in {out.suffix!r}", "a .jsonl, .csv or .parquet file", "correct the argument `out`"
    )


def _columns(command: str) -> dict[str, pa.DataType]:
    columns, _ = LAYOUTS[command]
    return _TEXT | {name: _TYPES.get(name, pa.string()) for name in columns} | _ERROR


def claims_csv(record: Mapping[str, Any]) -> str:
    """Return the content of the .csv file that `Table.write` would write for one record of `ground`."""
    return csv_text(_columns("ground"), map(encodable, rows_of("ground", {"number": 1, **record})))


def records_of(out: Path) -> Path:
    """Return the records file of a run: --out itself, or a .jsonl beside --out if --out is a table."""
    return out if out.suffix.lower() == ".jsonl" else out.with_name(f"{out.name}.jsonl")


def rows_of(command: str, record: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the table rows of one record of `faces.batch.Batch`, each with the record's number, id, text and error."""
    named = None if record.get("id") is None else str(record["id"])
    error = (record.get("error") or {}).get("seen")
    whole = {"number": record["number"], "id": named, "text": record["text"], "error": error}
    for row in LAYOUTS[command][1](record):
        yield row | whole


def text_row(command: str, record: Mapping[str, Any]) -> Row:
    """Return the row of one text in a table with one row per text, without its claims. A pair has its usual row.

    `ground`: number of claims, their verdict if all have the same, number of claims by verdict, and groundedness.
    `risk`: numbers of claims and measured claims, HRS, strength and flags. `cite`: the claim, the cited PMIDs, their
    verdict if all have the same, and the number of citations by verdict.
    """
    first = next(rows_of(command, record))
    if command == "hypothesize":
        return first
    row: Row = {name: first[name] for name in ("number", "id", "text", "error")}
    if command == "cite":
        given = [cited["verdict"] for cited in record.get("citations") or ()]
        row |= {"claim": record.get("claim"), "pmids": [cited["pmid"] for cited in record.get("citations") or ()]}
        row |= {verdict: given.count(verdict) for verdict in CITATION_VERDICTS}
        return row | {"verdict": given[0] if len(set(given)) == 1 else None, "model": record.get("model")}
    if command == "risk":
        return row | {name: record.get(name) for name in TEXT_COLUMNS["risk"]}
    claims = record.get("claims") or []
    verdicts = {source: [claim["verdicts"].get(source) for claim in claims] for source in SOURCES}
    row |= {f"verdict_{source}": found[0] if len(set(found)) == 1 else None for source, found in verdicts.items()}
    row |= {verdict: verdicts["both"].count(verdict) for verdict in VERDICTS}
    row |= {name: first[name] for name in first if name.startswith("groundedness_") or name == "model"}
    return row | {"claims": len(claims)}


def encodable(value: Any) -> Any:
    """Replace unpaired surrogates in a value by escapes, because UTF-8 cannot encode unpaired surrogates."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case list():
            return [encodable(item) for item in value]
        case dict():
            return {name: encodable(item) for name, item in value.items()}
    return value


def _write_csv(path: Path, columns: Mapping[str, pa.DataType], rows: Sequence[Row]) -> None:
    path.write_text(csv_text(columns, rows), "utf-8", newline="")


def _write_parquet(path: Path, columns: Mapping[str, pa.DataType], rows: Sequence[Row]) -> None:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=pa.schema(list(columns.items()))), path)
