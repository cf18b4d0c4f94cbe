"""Write the files of a report: the HTML page, the same content as JSON, and the measures as CSV."""

import json
from dataclasses import dataclass
from pathlib import Path

from groundwork import manifest
from groundwork.errors import InputError
from groundwork.records import Record
from truthhypo.bench.report.contents import Report
from truthhypo.bench.report.page import page
from truthhypo.bench.report.tables import COLUMNS
from truthhypo.bench.spreadsheet import csv_text
from truthhypo.json_files import write_text


@dataclass(frozen=True, slots=True)
class Files(Record):
    """Paths of a report's files.

    Attributes:
        html: The report as a page.
        json: The whole report as JSON.
        csv: The measures, one per row.
    """

    html: str
    json: str
    csv: str


def target(out: Path) -> Path:
    """Return the absolute path of the page.

    Raises:
        InputError: The path does not end in .html, or is a folder.
    """
    if out.suffix != ".html" or out.is_dir():
        raise InputError(f"--out {out}", "a path that ends in .html", "choose another name")
    return out.absolute()


def save(report: Report, out: Path, *, sealed: bool = False) -> Files:
    """Write the HTML page, and a .json and a .csv file beside it. Each file appears only when it is complete.

    Args:
        report: The report.
        out: Path of the page; see `target`.
        sealed: Whether each file gets a seal, by which `doctor` notices later changes to the file.

    Raises:
        InputError: A file cannot be written.
    """
    texts = {
        out: page(report),
        out.with_suffix(".json"): json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n",
        out.with_suffix(".csv"): csv_text(COLUMNS, (one.row() for one in report.figures)),
    }
    for path, text in texts.items():
        manifest.unseal(path)
        write_text(path, text)
        if sealed:
            manifest.seal(path)
    return Files(*map(str, texts))
