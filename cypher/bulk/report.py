"""Read the report of neo4j-admin's importer: the rows that it left out, and the number that it imported."""

import json
import re
from pathlib import Path

from cypher.bulk.csv_rows import Shape
from groundwork.errors import Refused

#: Number of rows that may be left out before the importer stops. `account` rejects an import that left out any row.
TOLERATED = 1000
_LISTED = 10
_COUNTED = re.compile(r"^\s*(\d+) (nodes|relationships)\b", re.MULTILINE)


def skipped(report: Path) -> list[str]:
    """Return the problem of each row that was left out, from the importer's report (one JSON object per line)."""
    if not report.exists():
        return []
    return [_problem(line) for line in report.read_text("utf-8", errors="replace").splitlines() if line.strip()]


def account(report: Path, output: str, shape: Shape) -> None:
    """Check that every row of the input is in the database.

    Args:
        report: The importer's report file.
        output: The importer's output.
        shape: The description of the input.

    Raises:
        Refused: If rows were left out, or the number of imported rows differs from the input.
    """
    left_out = skipped(report)
    if left_out:
        more = [f"and {len(left_out) - _LISTED} more"] if len(left_out) > _LISTED else []
        raise Refused(
            f"the importer left out {len(left_out)} rows (report: {report}):\n  "
            + "\n  ".join([*left_out[:_LISTED], *more]),
            "every row imported",
            "this is an error in the files that truthhypo wrote; load with --mode online, and report the error",
        )
    taken = {what: int(number) for number, what in _COUNTED.findall(output)}
    for what, given in (("nodes", shape.nodes), ("relationships", shape.relationships)):
        if what in taken and taken[what] != given:
            raise Refused(
                f"the importer imported {taken[what]} of {given} {what}",
                "every row imported",
                "run the same command again with --rebuild",
            )


def _problem(line: str) -> str:
    try:
        said = json.loads(line)
        return f"{said['problem']}: {said['message']}".replace("\n", " ")
    except (ValueError, KeyError, TypeError):
        return line.strip()
