"""Decide whether many lookups use the graph store or an atlas, which is a copy of the graph in memory-mapped arrays.

Embedded stores always answer from an atlas.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from cypher.atlas.charts import Charts, charts, passing
from cypher.atlas.lookups import AtlasLookups
from groundwork.ports import Graph, GraphReader
from groundwork.settings import Settings

#: Seconds for one path lookup in a store, seconds per edge to build a new atlas, and seconds per edge to open an
#: existing atlas.
_LOOK_UP, _DRAWN, _MAPPED = 0.03, 5e-6, 0.5e-6
#: Seconds to start with an atlas of any size, mostly for loading compiled code.
_START = 2.0


def worth(look_ups: int, edges: int, *, there: bool) -> bool:
    """Return whether lookups in the store take longer than building or opening an atlas.

    Args:
        look_ups: Expected number of lookups.
        edges: Number of relation edges in the graph.
        there: Whether an atlas of the graph's present state exists.
    """
    return look_ups * _LOOK_UP > _START + edges * (_MAPPED if there else _DRAWN)


def reader(store: Graph, settings: Settings, look_ups: int) -> GraphReader:
    """Return the faster source for this number of lookups: the store or its atlas. Both give the same answers.

    An embedded store always answers from an atlas. For a server, a new atlas is built from the merged edges under HOME
    if they belong to the releases of the server. Otherwise the atlas is built from the edges of the server. During a
    load, the server itself is used. The atlas of a store in memory is temporary.
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
    """Return the atlases of a server's graph. New ones are built from the merged edges under HOME if possible."""
    return charts(settings.home, store, lambda: _merged(store, settings.home))


def _merged(store: GraphReader, home: Path) -> Iterator[pa.RecordBatch] | None:
    """Return the merged edges of the store's live releases from HOME, or None if HOME does not have them."""
    from pyarrow.parquet import ParquetFile

    from ingest.live import live, missing, standing  # these import DuckDB
    from ingest.merged import MergeCache
    from ingest.snapshot import Snapshots

    snapshots, releases = Snapshots(home), live(store.releases())
    if not releases or missing(releases, snapshots):
        return None
    kept = MergeCache(home).kept(standing(releases, snapshots))
    return None if kept is None else ParquetFile(kept.edges).iter_batches()
