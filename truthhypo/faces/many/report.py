"""The records of judgements as a table (.csv or .parquet), and as the report on many texts or pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from fuzzygraph.risk_report import RISK_COLUMNS, risk_rows
from groundwork.errors import InputError
from groundwork.files import loads
from groundwork.pictures import BLUE, GREY, MARKS, ORANGE, bars, offline
from groundwork.records.base import counted, cut, listed, number
from knowhd.citations import CITATION_COLUMNS, CITATION_VERDICTS, citation_rows
from knowhd.ground_report import CLAIM_COLUMNS, claim_rows
from knowhd.judge import SOURCES, VERDICTS
from truthhypo.hypotheses.hypothesis import HYPOTHESIS_COLUMNS, KINDS, hypothesis_rows, outcome
from truthhypo.json_files import RecordFile
from truthhypo.sheet import csv_text

if TYPE_CHECKING:
    from altair import LayerChart
    from pandas import DataFrame


Command: TypeAlias = Literal["ground", "risk", "hypothesize", "cite"]
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
        if self.path.suffix.lower() == ".csv":
            part.write_text(csv_text(self.columns, rows), "utf-8", newline="")
        else:
            pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(list(self.columns.items()))), part)
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


_COLOURS = {
    **dict.fromkeys(("supported", "measured", "proposed"), BLUE),
    **dict.fromkeys(("contradicted", "risky"), ORANGE),
}


def many_plot(results: Iterable[tuple[str, str]], item: str) -> LayerChart:
    """Return a chart with one bar per result, most frequent first; see `ManyReport.plot`.

    Args:
        results: The kind of the result of each text, and the name of the result.
        item: What is counted, in the singular: `text` or `pair`.
    """
    found = Counter(results)
    rows: list[Mapping[str, str | int]] = [
        {"label": name, "text": name, "value": count, "kind": kind} for (kind, name), count in found.most_common()
    ]
    kinds = {kind: (_COLOURS.get(kind, GREY), MARKS[kind]) for kind, _ in found}
    told = f"Results of {counted(found.total(), item)}"
    return offline(bars(rows, kinds, f"{item}s", told))


#: What is judged, in the singular, if it is no text.
ITEMS = {"hypothesize": "pair", "cite": "citing claim"}
#: Maximum number of texts that a notebook shows.
SHOWN = 20


@dataclass(frozen=True, repr=False)
class ManyReport:
    """The judgements of many texts or pairs.

    Attributes:
        command: `ground`, `risk`, `hypothesize` or `cite`.
        summary: The counts of the run (texts, empty, written, kept, failed, left, unusable, unread), the paths of the
            written files (`out` and `records`; None if no file was asked for), and the usage of the language model.
        unfit: The records of texts that cannot be judged, such as missing texts, by their number in the input (from 1).
        labels: The pandas index of the input; None if the input has none, so that rows are numbered 0, 1, 2, ...
        held: The records as JSON lines, or the file that contains them.

    Example:
        >>> many = world.ground_many(["Simvastatin lowers cholesterol.", None], progress=False)
        >>> many
        Ground of 2 texts: 1 with an error
          grounded 1.00  Simvastatin lowers cholesterol.
          error            [a missing text]
        >>> next(many.records())["groundedness"]["both"]
        1.0
    """

    command: Command
    summary: Mapping[str, Any]
    unfit: Mapping[int, Mapping[str, Any]]
    labels: Any
    held: Path | tuple[bytes, ...]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the record of each text in the order of the input: the JSON of the judgement, or the `error`."""
        left = dict(sorted(self.unfit.items()))
        for line in RecordFile(self.held).lines() if isinstance(self.held, Path) else self.held:
            record = loads(line)
            for place in [each for each in left if each < record["number"]]:
                yield {"number": place, **left.pop(place)}
            yield record
        for place, unfit in left.items():
            yield {"number": place, **unfit}

    def to_dict(self) -> dict[str, Any]:
        """Return the summary and all records."""
        return {"command": self.command, "summary": dict(self.summary), "records": list(self.records())}

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with one row per text or pair. Its index is that of the input.

        A text that could not be judged has its `error`. Means over texts weigh each text once; `claims` has the claims.
        """
        return self._frame((text_row(self.command, record) for record in self.records()), TEXT_COLUMNS[self.command])

    def claims(self) -> DataFrame:
        """Return a pandas DataFrame with one row per claim. Its index is that of the input.

        A text with several claims has several rows with the same index. A text without claims, or one that could not
        be judged, has one row. Pairs have no claims: the rows are those of `to_frame`.

        Example:
            >>> many = world.ground_many(["Simvastatin lowers cholesterol."], progress=False)
            >>> many.claims()["verdict_both"].tolist()
            ['supported']
        """
        rows = (row for record in self.records() for row in rows_of(self.command, record))
        return self._frame(rows, LAYOUTS[self.command][0])

    def plot(self) -> LayerChart:
        """Return an altair chart with one bar per result, for instance a verdict or a relation.

        The bar counts the texts or pairs with this result. A text whose claims have several verdicts is `mixed`. The
        extra `bench` installs altair. In a notebook the chart is a picture, which needs no network.

        Raises:
            InputError: altair is not installed.
        """
        return many_plot(map(_counted, self.records()), self.item)

    def _frame(self, made: Iterable[Mapping[str, Any]], named: tuple[str, ...]) -> DataFrame:
        from pandas import DataFrame, Index

        rows = [encodable(dict(row)) for row in made]
        places = [row["number"] - 1 for row in rows]
        columns = ["text", *named, "error"]
        if any(row["id"] is not None for row in rows):
            columns.insert(0, "id")
        index = Index(places) if self.labels is None else self.labels.take(places)
        return DataFrame(rows, columns=columns, index=index)

    @property
    def item(self) -> str:
        """What is judged, in the singular."""
        return ITEMS.get(self.command, "text")

    def __len__(self) -> int:
        return int(self.summary["texts"]) + len(self.unfit)

    def __repr__(self) -> str:
        return listed(self._heading(), map(_line, self.records()))

    def _heading(self) -> str:
        failed = len(self.unfit) + self.summary["failed"]
        left = f", {self.summary['left']:,} not judged" if self.summary["left"] else ""
        return f"{self.command.capitalize()} of {counted(len(self), self.item)}: {failed:,} with an error{left}"

    def _repr_html_(self) -> str:
        from itertools import islice

        from groundwork.pictures import Statement, html

        statements = [
            Statement(kind, label, cut(record["text"] or "", 300), (record.get("error") or {}).get("seen", ""))
            for record in islice(self.records(), SHOWN)
            for kind, label in [_result(record)]
        ]
        facts = "to_frame() gives a row per text, claims() a row per claim, records() the evidence"
        return html(self._heading(), facts, statements, max(0, len(self) - len(statements)))


def _line(record: Mapping[str, Any]) -> str:
    text = record["text"] or ""
    return f"{_result(record)[1]:14} {text}" + (f"  [{record['error']['seen']}]" if record.get("error") else "")


def _result(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the result of a text: a kind, which determines the colour in a notebook, and the words to show."""
    if record.get("error"):
        return "error", "error"
    if "citations" in record:
        given = [cited["verdict"] for cited in record["citations"]]
        return (given[0] if len(set(given)) == 1 else "not_enough"), ", ".join(dict.fromkeys(given))
    if "relation" in record:
        told = outcome(record["relation"], record["model"])
        return KINDS.get(told, "proposed"), told
    if "groundedness" in record and record["groundedness"]["both"] is None:
        return "failed", "not judged"
    if "groundedness" in record:
        verdicts = {claim["verdicts"]["both"] for claim in record["claims"]}
        kind = verdicts.pop() if len(verdicts) == 1 else "not_enough"
        return kind, f"grounded {number(record['groundedness']['both'])}"
    if record["hrs"] is None:
        return "unlinked", "no risk"
    told = f"HRS {number(record['hrs'])}, strength {number(record['strength'])}"
    if "thin" in record["flags"]:
        return "thin", f"{told}, thin"
    return "risky" if record["hrs"] >= 0.5 else "measured", told


def _counted(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return the result of a text as `_result` does, without its numbers, so that equal results can be counted."""
    kind, told = _result(record)
    if "groundedness" in record and len({claim["verdicts"]["both"] for claim in record["claims"]}) > 1:
        return kind, "mixed"
    names = {"measured": "HRS below 0.5", "risky": "HRS of 0.5 or more", "thin": "thin evidence"}
    return kind, names.get(kind) or (kind.replace("_", " ") if kind in VERDICTS else told)
