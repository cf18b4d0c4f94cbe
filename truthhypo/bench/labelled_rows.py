"""Read the rows of a labelled table: a .csv with a header, or a .jsonl with one object per line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from groundwork.files import loads, read_text
from truthhypo.sheet import read_sheet


def rows(file: Path) -> Iterator[Any]:
    """Yield the rows in order. Empty lines are skipped.

    Raises:
        InputError: The .csv is not a table; see `truthhypo.sheet`.
        OSError, ValueError: The file cannot be read.
    """
    if file.suffix.lower() == ".csv":
        yield from read_sheet(file).rows
    else:
        yield from (loads(line) for line in read_text(file, "utf-8-sig").split("\n") if line.strip())
