"""The limits on the answer to a free query (Cypher that a user wrote): the number of its rows and of its bytes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from groundwork.errors import InputError, SizeLimit
from groundwork.records import Table
from groundwork.settings import Settings


def row_count(limit: int | None, settings: Settings) -> int:
    """Return the maximum number of rows in the answer to a free query.

    Args:
        limit: The caller's limit; None means the setting `row_limit`.
        settings: The settings with `row_limit`.

    Raises:
        InputError: If the limit is negative, or above `row_limit`.
    """
    most = settings.row_limit
    if limit is None:
        return most
    if not 0 <= limit <= most:
        raise InputError(
            f"limit {limit}",
            f"0 to {most} rows (setting row_limit)",
            "leave the limit out, ask for fewer rows, or raise the setting row_limit",
        )
    return limit


def table(columns: Iterable[str], rows: Iterable[Sequence[Any]], most: int) -> Table:
    """Return the answer to a free query.

    Args:
        columns: Names of the columns.
        rows: Rows of plain values. At most `most + 1` rows are read; the additional row shows whether there are more
            rows than `most`.
        most: Maximum number of rows in the answer.
    """
    kept = [tuple(row) for row, _ in zip(rows, range(most + 1), strict=False)]
    return Table(tuple(columns), tuple(kept[:most]), truncated=len(kept) > most)


def measured(rows: Iterable[Sequence[Any]], settings: Settings) -> Iterator[Sequence[Any]]:
    """Yield rows of plain values, as long as their JSON has at most `answer_bytes` bytes in total.

    Raises:
        SizeLimit: If the size exceeds `answer_bytes`.
    """
    size = 0
    for row in rows:
        size += len(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        if size > settings.answer_bytes:
            raise too_large(settings)
        yield row


def too_large(settings: Settings) -> SizeLimit:
    """Return the error for an answer that is larger than the setting `answer_bytes`."""
    return SizeLimit(
        f"the answer to the query exceeds its limit of {settings.answer_bytes / 1e6:g} MB",
        "an answer within the limit",
        "ask for fewer rows or shorter values, or raise the setting answer_bytes",
    )
