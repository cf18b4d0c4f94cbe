"""Write and read the sheets of annotators: CSV files for a spreadsheet, without scores. Every mistake is reported."""

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from groundwork.errors import InputError
from groundwork.named_pipe import read_text
from truthhypo.bench.spreadsheet import safe

COLUMNS = ("pair", "question", "hypothesis_1", "hypothesis_2", "choice", "comment")
CHOICES = ("1", "2", "tie")
#: Maximum number of mistakes named in one message. Further mistakes are only counted.
_NAMED = 5

INSTRUCTIONS = """\
Each row of your sheet has a question and two hypotheses about it. Decide which of the two is more likely to be true,
from your knowledge and from the quality of the reasoning. Write into the column `choice`:

    1      the first is more likely to be true
    2      the second is more likely to be true
    tie    only if you really cannot decide

Fill every row, work alone, and change only `choice` and `comment`. The order of rows and of hypotheses is random and
has no meaning. Save the file as CSV (UTF-8).
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair of hypotheses in the order in which one annotator sees it."""

    pair: str
    question: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """The content of a sheet that an annotator returned.

    Attributes:
        choices: The choice (`1`, `2` or `tie`) by the id of the pair.
        unfilled: Ids of pairs without a choice or without a row.
    """

    choices: Mapping[str, str]
    unfilled: tuple[str, ...]


def text(rows: Iterable[Row]) -> str:
    """Return a sheet with these rows as CSV. The columns `choice` and `comment` are empty.

    The byte order mark makes spreadsheets read UTF-8.
    """
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(map(safe, (row.pair, _line(row.question), _line(row.first), _line(row.second), "", "")))
    return "\ufeff" + held.getvalue()


def read(path: Path, pairs: Collection[str]) -> FilledSheet:
    """Return the choices of a sheet.

    Args:
        path: The sheet, with commas, semicolons or tabs between the cells.
        pairs: Ids of all pairs in the study.

    Raises:
        InputError: The file is not readable, lacks the column `pair` or `choice`, or has an unknown pair, a repeated
            pair or an unknown choice.
    """
    rows = _rows(path)
    choices: dict[str, str] = {}
    seen: set[str] = set()
    faults = []
    for line, row in rows:
        pair, choice = (row.get("pair") or "").strip(), (row.get("choice") or "").strip().lower()
        if not pair and not choice:
            continue
        if pair not in pairs:
            faults.append(f"line {line}: unknown pair {pair!r}")
        elif pair in seen:
            faults.append(f"line {line}: pair {pair} occurs twice")
        elif choice and choice not in CHOICES:
            faults.append(f"line {line}: choice {choice[:40]!r}")
        elif choice:
            choices[pair] = choice
        seen.add(pair)
    if faults:
        more = f"; and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
        told = f"{path}: {len(faults)} rows with mistakes: {'; '.join(faults[:_NAMED])}{more}"
        wanted = f"each pair of the study once, with a choice of {', '.join(CHOICES)}"
        raise InputError(told, wanted, "correct these rows")
    return FilledSheet(choices, tuple(pair for pair in pairs if pair not in choices))


def _rows(path: Path) -> list[tuple[int, dict[str, str | None]]]:
    try:
        whole = read_text(path, "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8", "CSV in UTF-8", "save it as CSV UTF-8") from None
    except OSError as error:
        seen = f"{path} cannot be read: {error.strerror}"
        raise InputError(seen, "a sheet of the study", "restore it, filled or empty") from None
    head = whole.partition("\n")[0]
    for between in (",", ";", "\t"):
        if {"pair", "choice"} <= {name.strip().strip('"') for name in head.split(between)}:
            reader = csv.DictReader(io.StringIO(whole, newline=""), delimiter=between)
            try:
                return [(reader.line_num, row) for row in reader]
            except csv.Error as error:
                raise InputError(f"{path}:{reader.line_num}: {error}", "CSV", "correct the row") from None
    raise InputError(f"{path} begins with {head[:80]!r}", "the columns pair and choice", "restore the header")


def _line(words: str) -> str:
    """Return the text on one line, without control characters, which a spreadsheet might interpret."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())
