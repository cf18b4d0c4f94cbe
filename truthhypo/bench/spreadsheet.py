"""Write CSV for spreadsheet programs. Text that looks like a formula is marked, so that it does not run."""

import csv
import io
import json
from collections.abc import Iterable, Mapping

#: Characters that start a formula in a spreadsheet.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _safe(value: object) -> object:
    """Return the value of a cell. A quote (') is put before text that a spreadsheet would run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def csv_text(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV, after a line with the column names. A list becomes a JSON array, and None an empty cell."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    names = tuple(columns)
    writer.writerow(names)
    for row in rows:
        cells = (row[name] for name in names)
        writer.writerow(
            _safe(json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else cell) for cell in cells
        )
    return held.getvalue()
