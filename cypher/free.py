"""The limits on the answer to a free query (Cypher that a user wrote): the number of its rows and of its bytes."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cypher.guard import permitted, subqueries
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


#: Subqueries that ladybug cannot parse, and what to write instead.
_LACKING = {
    "CALL": "ask for it with WITH (MATCH (a) WITH a MATCH (a)--(b) RETURN a, count(b)) or in an EXISTS or COUNT",
    "COLLECT": "gather with collect() (MATCH (a)--(b) WITH a, collect(b.key) AS keys RETURN a, keys)",
}


def answerable(cypher: str, parameters: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
    """Return a free query (Cypher that a user wrote) and its parameters in the form that ladybug accepts.

    Raises:
        QueryRefused: The query does more than read.
        InputError: The query is not Cypher, or ladybug cannot answer it.
    """
    query, given = permitted(cypher, parameters)
    _check_subqueries(query)
    for name, value in given.items():
        _check_uniform(name, value)
    return query, given


def _check_subqueries(query: str) -> None:
    """Refuse subqueries that Neo4j supports and ladybug does not."""
    lacking = subqueries(query) & _LACKING.keys()
    if lacking:
        word = min(lacking)
        raise InputError(
            f"a {word} subquery, which the embedded and the memory store do not have",
            "EXISTS { ... } and COUNT { ... } subqueries, or WITH between two parts of a query",
            f"{_LACKING[word]}; on Neo4j the query works as it is",
        )


def _check_uniform(name: str, value: object) -> None:
    """Check that lists hold one kind of value. ladybug silently gives all maps of a list the keys of the first map."""
    if isinstance(value, Mapping):
        value = list(value.values())
        kinds = set[object]()
    elif isinstance(value, list | tuple):
        kinds = {_kind(item) for item in value if item is not None}
    else:
        return
    if len(kinds) > 1:
        raise InputError(
            f"the parameter ${name} contains a list of values with different types",
            "lists of values with one type, and maps with the same keys; only a Neo4j server accepts others",
            "give them as several parameters",
        )
    for item in value:
        _check_uniform(name, item)


def _kind(value: object) -> object:
    if isinstance(value, Mapping):
        return frozenset(value)
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
