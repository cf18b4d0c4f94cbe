"""Split edges into portions for one transaction each, as parameters of the queries that write them.

The keys of the concepts in a portion are sent and looked up once, and a row refers to them by their positions. The
other values are built by columns, because building records of edges would cost the client more than sending them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from cypher import schema
from cypher.bolt import parameter_rows
from cypher.caption import article_urls
from cypher.rows import latest
from groundwork.settings import Settings
from groundwork.tables import EDGE_KEYS, EDGES

#: Maximum number of edges in a transaction. With more edges, the server's caches overflow, and each edge takes longer.
MOST = 4_000

#: Positions of head and tail among the keys, type, PMIDs, articles, first and last PMID, belief, address in PubMed.
Row = tuple[int, int, str, list[int], int, int, int, float, str]


@dataclass(frozen=True, slots=True)
class Portion:
    """Edges that one transaction writes.

    Attributes:
        keys: The distinct keys of the concepts at the ends of the edges.
        rows: One row per edge.
        release: The release that the edges belong to.
    """

    keys: list[str]
    rows: list[Row]
    release: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the queries `create_edges` and `change_edges`."""
        return {"keys": self.keys, "rows": self.rows, "release": self.release}


def by_heads(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables of edges, sorted by head. If edges have the same head, relation and tail, the last is kept.

    The edges of a batch's last head are joined to the next batch. So if the input is sorted by head, no two tables
    share a head.

    Args:
        batches: Batches with the columns of `tables.EDGES`.
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
    """Yield portions of at most `MOST` edges, with at most `parameter_rows.VALUES` PMIDs unless a single edge has more.

    Args:
        edges: A table with the columns of `tables.EDGES`; the order of its rows is kept.
        release: The release that the edges belong to.
        settings: The constants of belief (`syst`, `rand`).
    """
    rows = schema.edge_rows(edges, [release] * len(edges), settings)
    kinds = pc.utf8_upper(edges["relation"]).to_pylist()
    pmids = rows["pmids"].combine_chunks()
    lists, urls = _lists(pmids), article_urls(pmids).to_pylist()
    numbers = [rows[name].to_numpy().tolist() for name in ("articles", "first_pmid", "last_pmid", "belief")]
    for start, stop in _cuts(numbers[0]):
        here = slice(start, stop)
        heads, tails = (edges[end].slice(start, stop - start) for end in ("head", "tail"))
        keys = pc.unique(pa.chunked_array([*heads.chunks, *tails.chunks]))
        places = (pc.index_in(ends, value_set=keys).to_pylist() for ends in (heads, tails))
        columns = (*places, kinds[here], lists[here], *(column[here] for column in numbers), urls[here])
        yield Portion(keys.to_pylist(), list(zip(*columns, strict=True)), release)


def _cuts(weights: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the range of rows of each portion: the index of its first row, and the index after its last row.

    `weights` holds the number of PMIDs of each row.
    """
    start = weight = 0
    for row, more in enumerate(weights):
        if row > start and (row - start == MOST or weight + more > parameter_rows.VALUES):
            yield start, row
            start, weight = row, 0
        weight += more
    if start < len(weights):
        yield start, len(weights)


def _lists(lists: pa.ListArray) -> list[list[int]]:
    """Convert an Arrow array of lists to Python lists. All items are converted at once, which is much faster."""
    ends = lists.offsets.to_numpy()
    values = lists.values[int(ends[0]) : int(ends[-1])].to_numpy().tolist()
    return [values[start:stop] for start, stop in pairwise((ends - ends[0]).tolist())]
