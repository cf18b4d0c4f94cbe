"""Whether many look-ups go into the graph store, or into an atlas of it; embedded stores answer out of one always."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from cypher.atlas.charts import Charts, charts, passing
from cypher.atlas.lookups import AtlasLookups
from groundwork.ports import Graph, GraphReader
from groundwork.settings import Settings

#: Seconds: a look-up of paths into a store; an edge drawn into an atlas; an edge of an atlas that is there already.
_LOOK_UP, _DRAWN, _MAPPED = 0.03, 5e-6, 0.5e-6
#: Seconds that it takes at any size, most of them for compiled code to be there.
_START = 2.0


def worth(look_ups: int, edges: int, *, there: bool) -> bool:
    """Whether so many look-ups take longer than an atlas of so many edges and all of them out of it.

    Args:
        look_ups: How many are to come.
        edges: Relation edges of the graph.
        there: Whether an atlas of its present state is kept.
    """
    return look_ups * _LOOK_UP > _START + edges * (_MAPPED if there else _DRAWN)


def reader(store: Graph, settings: Settings, look_ups: int) -> GraphReader:
    """The store, or its atlas where that is faster for so many look-ups. Answers are the same.

    An embedded store answers out of an atlas in any case. That of a server, if it is not there yet, is drawn from the
    merged state under HOME, where that is the state of the store, else from the store. That of a store in memory is
    drawn for as long as it is asked, and kept nowhere.
    """
    if isinstance(store, AtlasLookups) or not worth(look_ups, 0, there=True):
        return store
    if settings.graph_address == "memory:":
        return passing(store) if worth(look_ups, sum(store.counts().edges.values()), there=False) else store
    kept = charts_of(store, settings)
    if any(release.state == "loading" for release in store.releases()):
        return store
    edges = sum(store.counts().edges.values())
    return kept.graph() if worth(look_ups, edges, there=kept.there()) else store


def charts_of(store: GraphReader, settings: Settings) -> Charts:
    """The atlases of a server's graph, drawn from the merged state under HOME where that is the state of the store."""
    return charts(settings.home, store, lambda: _merged(store, settings.home))


def _merged(store: GraphReader, home: Path) -> Iterator[pa.RecordBatch] | None:
    """The edges that the store's live releases make up, if HOME keeps them worked out."""
    from pyarrow.parquet import ParquetFile

    from ingest.live import live, missing, standing  # these bring DuckDB along
    from ingest.merged import Merged
    from ingest.snapshot import Snapshots

    snapshots, releases = Snapshots(home), live(store.releases())
    if not releases or missing(releases, snapshots):
        return None
    kept = Merged(home).kept(standing(releases, snapshots))
    return None if kept is None else ParquetFile(kept.edges).iter_batches()
