"""What neo4j-admin's importer says of its work: the rows it left out, and how many it took."""

import json
import re
from pathlib import Path

from cypher.bulk.rows import Shape
from groundwork.errors import Refused

#: Rows that may be left out before the importer gives up: all of them are told, and none is accepted.
TOLERATED = 1000
_LISTED = 10
_COUNTED = re.compile(r"^\s*(\d+) (nodes|relationships)\b", re.MULTILINE)


def skipped(report: Path) -> list[str]:
    """What was wrong with each row that was left out, from the importer's report (a JSON object a line)."""
    if not report.exists():
        return []
    return [_told(line) for line in report.read_text("utf-8", errors="replace").splitlines() if line.strip()]


def account(report: Path, output: str, shape: Shape) -> None:
    """See that every row of the input is in the database.

    Args:
        report: The importer's report file.
        output: What it printed.
        shape: What it was given.

    Raises:
        Refused: It left rows out, or took another number of rows than it was given.
    """
    left_out = skipped(report)
    if left_out:
        more = [f"and {len(left_out) - _LISTED} more"] if len(left_out) > _LISTED else []
        raise Refused(
            f"the importer left out {len(left_out)} rows (report: {report}):\n  "
            + "\n  ".join([*left_out[:_LISTED], *more]),
            "every row imported",
            "this is a fault of the input we wrote; load with --mode online, and tell us",
        )
    taken = {what: int(number) for number, what in _COUNTED.findall(output)}
    for what, given in (("nodes", shape.nodes), ("relationships", shape.relationships)):
        if what in taken and taken[what] != given:
            raise Refused(
                f"the importer took {taken[what]} {what} of {given}",
                "every row imported",
                "run the same command again with --rebuild",
            )


def _told(line: str) -> str:
    try:
        said = json.loads(line)
        return f"{said['problem']}: {said['message']}".replace("\n", " ")
    except (ValueError, KeyError, TypeError):
        return line.strip()
