"""Write the files of a report: the HTML page, the same content as JSON, and figures, diagrams and curves as CSV."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.grid.measures import Point
from truthhypo.bench.report import calibration
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.page import page
from truthhypo.bench.report.tables import COLUMNS
from truthhypo.bench.spreadsheet import safe


@dataclass(frozen=True, slots=True)
class Files(Record):
    """Paths of a report's files.

    Attributes:
        html: The report as a page.
        json: The whole report as JSON.
        csv: The figures, one per row.
        calibration: The bins of the reliability diagrams (.csv).
        tau: The points of grids (.csv).
    """

    html: str
    json: str
    csv: str
    calibration: str
    tau: str


def target(out: Path) -> Path:
    """Return the absolute path of the page.

    Raises:
        InputError: The path does not end in .html, or is a folder.
    """
    if out.suffix != ".html" or out.is_dir():
        raise InputError(f"--out {out}", "a path that ends in .html", "choose another name")
    return out.absolute()


def save(report: Report, out: Path) -> Files:
    """Write FILE.html, .json, .csv, .calibration.csv and .tau.csv. Each file appears only when it is complete.

    Args:
        report: The report.
        out: Path of the page; see `target`.

    Raises:
        InputError: A file cannot be written.
    """
    texts = {
        out: page(report),
        out.with_suffix(".json"): json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
        out.with_suffix(".csv"): table(report),
        out.with_suffix(".calibration.csv"): bins(report),
        out.with_suffix(".tau.csv"): points(report),
    }
    for path, text in texts.items():
        _put(path, text)
    return Files(*map(str, texts))


def table(report: Report) -> str:
    """Return the figures as CSV, one per row. Text that a spreadsheet would run as a formula begins with '."""
    return _csv(COLUMNS, (one.row() for one in report.figures))


def bins(report: Report) -> str:
    """Return the bins of the reliability diagrams as CSV, in the form of `table`."""
    return _csv(calibration.COLUMNS, (row for one in report.calibration for row in one.rows()))


def points(report: Report) -> str:
    """Return the points of all grids as CSV, in the form of `table`."""
    columns = ("grid", "dataset", *(each.name for each in fields(Point)))
    return _csv(columns, (row for grid in report.grids for row in grid.rows()))


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(safe(row[name]) for name in columns)
    return held.getvalue()


def _put(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, "utf-8", errors="backslashreplace", newline="\n")
        part.replace(path)
    except OSError as error:
        if path.parent.is_dir():
            part.unlink(missing_ok=True)
        seen = f"{path} cannot be written: {error.strerror or error}"
        raise InputError(seen, "a writable file", "choose another --out") from error
