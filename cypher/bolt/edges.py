"""Edges in portions that a transaction can bear, as parameters of the queries that write them.

The ends of a portion are sent, and looked up, once each; a row names them by their places. Everything else of a row is
made by columns: records of edges would cost the client more than sending them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cypher import schema
from cypher.bolt import rows as bolt_rows
from cypher.rows import latest
from groundwork.settings import Settings
from groundwork.tables import EDGE_KEYS, EDGES

#: Most edges in a transaction. More cost the server more for each: what it has changed no longer fits into its caches.
MOST = 4_000

#: Places of head and tail among the keys, type, PMIDs, articles, first and last PMID, belief.
Row = tuple[int, int, str, list[int], int, int, int, float]


@dataclass(frozen=True, slots=True)
class Portion:
    """Edges that one transaction writes.

    Attributes:
        keys: Those of their ends, each once.
        rows: One an edge.
        release: The release that they are of.
    """

    keys: list[str]
    rows: list[Row]
    release: str

    @property
    def parameters(self) -> dict[str, Any]:
        """What `create_edges` and `change_edges` take."""
        return {"keys": self.keys, "rows": self.rows, "release": self.release}


def by_heads(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Edges sorted by head, of the same edge the last. The last head's wait for the next batch, which may bring more.

    So if edges come sorted by head no two tables share one.

    Args:
        batches: With the columns of `tables.EDGES`.
    """
    rest = EDGES.empty_table()
    for batch in batches:
        if batch.num_rows:
            come = pa.Table.from_batches([batch]).select(EDGES.names).cast(EDGES)
            edges = latest(pa.concat_tables([rest, come]), EDGE_KEYS.names).sort_by("head").combine_chunks()
            last = pc.index(edges["head"], edges["head"][-1]).as_py()
            if last:
                yield edges.slice(0, last)
            rest = edges.slice(last)
    if len(rest):
        yield rest


def portioned(edges: pa.Table, release: str, settings: Settings) -> Iterator[Portion]:
    """Edges in portions of at most `MOST`, with at most `bolt_rows.VALUES` PMIDs unless one edge has more.

    Args:
        edges: As `tables.EDGES`; their order is kept.
        release: The release that they are of.
        settings: Hold the constants of belief.
    """
    rows = schema.edge_rows(edges, [release] * len(edges), settings)
    kinds = pc.utf8_upper(edges["relation"]).to_pylist()
    lists = _lists(rows["pmids"].combine_chunks())
    numbers = [rows[name].to_numpy().tolist() for name in ("articles", "first_pmid", "last_pmid", "belief")]
    for start, stop in _cuts(numbers[0]):
        here = slice(start, stop)
        heads, tails = (edges[end].slice(start, stop - start) for end in ("head", "tail"))
        keys = pc.unique(pa.chunked_array([*heads.chunks, *tails.chunks]))
        places = (pc.index_in(ends, value_set=keys).to_pylist() for ends in (heads, tails))
        columns = (*places, kinds[here], lists[here], *(column[here] for column in numbers))
        yield Portion(keys.to_pylist(), list(zip(*columns, strict=True)), release)


def _cuts(weights: list[int]) -> Iterator[tuple[int, int]]:
    """From where to where portions go, of rows with weights."""
    start = weight = 0
    for row, more in enumerate(weights):
        if row > start and (row - start == MOST or weight + more > bolt_rows.VALUES):
            yield start, row
            start, weight = row, 0
        weight += more
    if start < len(weights):
        yield start, len(weights)


def _lists(lists: pa.ListArray) -> list[list[int]]:
    """Lists of numbers in Python, much faster than item by item."""
    ends = lists.offsets.to_numpy()
    values = lists.values[int(ends[0]) : int(ends[-1])].to_numpy().tolist()
    return [values[start:stop] for start, stop in pairwise((ends - ends[0]).tolist())]
