"""Decide whether lookups use the graph store or an atlas, which is a copy of the graph in memory-mapped arrays.

Embedded stores always answer from an atlas. For a graph on a server, many lookups use one, and a service reads links
and paths from a stored one.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any, cast

import pyarrow as pa

from cypher.atlas.charts import ChartedGraph, Charts, charts, of_this_room, passing
from cypher.atlas.lookups import AtlasLookups
from cypher.embedded.graph import EmbeddedGraph
from cypher.network import Network, Reach
from groundwork.errors import TruthHypoError
from groundwork.ports import Graph, GraphReader, Silent
from groundwork.records import Chains, Hop, fingerprint
from groundwork.settings import Settings
from truthhypo.resources import Stores

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


_log = logging.getLogger("truthhypo.serve")
#: Seconds for which a Cypher query waits until its database is drawn. A small graph is drawn in this time.
_DRAWING = 5.0
#: Seconds between two checks for an atlas of a new state of the graph.
_PAUSE = 5.0


class ServedGraph(ChartedGraph):
    """A graph whose links and paths are read from a stored atlas, a copy of the graph in files.

    If no atlas of the current state is stored, or if a load is unfinished, links and paths are read from the server.
    Look-ups never build an atlas; the function `draw` does.

    Args:
        store: The graph on the server.
        charts: The atlases of this graph.
    """

    def __init__(self, store: GraphReader, charts: Charts) -> None:
        super().__init__(of_this_room(store), charts.atlas, trusted=inf)
        self._charts = charts
        self._marked, self._next = "", 0.0
        self._looking = Lock()

    def chains(self, head: str, tail: str, **options: Any) -> Chains:
        """See `GraphReader.chains`."""
        return super().chains(head, tail, **options) if self._fits() else self._reader.chains(head, tail, **options)

    def network(self, head: str, tail: str, **options: Any) -> Network:
        """See `GraphReader.network`."""
        return super().network(head, tail, **options) if self._fits() else self._reader.network(head, tail, **options)

    def shown(self, keys: Sequence[str], reach: Reach, pmids: int) -> Iterable[Hop]:
        """See `Fetches.shown`."""
        return super().shown(keys, reach, pmids) if self._fits() else self._store.shown(keys, reach, pmids)

    def _fits(self) -> bool:
        """Switch to the atlas of the current state if one is stored. Return whether the atlas in use has this state."""
        now = fingerprint(self.releases())
        with self._looking:
            if now and now != self._marked and monotonic() >= self._next:
                self._next = monotonic() + _PAUSE
                if self._charts.there():
                    self._layouts, self._marked = None, now
            return bool(now) and now == self._marked


class ServedStores(Stores):
    """Stores that read links and paths of a server's graph from a stored atlas if possible (`ServedGraph`)."""

    @property
    def graph(self) -> Graph:
        """See `Stores.graph`. The service only reads it."""
        store = super().graph
        if isinstance(store, EmbeddedGraph):
            store.waits = _DRAWING  # seconds; a request is not held up while a large database is drawn
        return store if isinstance(store, AtlasLookups) else self._served

    @cached_property
    def _served(self) -> Graph:
        store = super().graph
        return cast("Graph", ServedGraph(store, charts_of(store, self.settings)))


def draw(settings: Settings) -> None:
    """Build the atlas of a server's graph, or draw the database of an embedded graph, if it is missing.

    Errors are only logged; look-ups report the same errors.
    """
    try:
        with closing(Stores(settings)) as stores:
            store = stores.graph
            if isinstance(store, AtlasLookups):
                store.draw()
            elif fingerprint(store.releases()):
                charts_of(store, settings).atlas(store.state(), Silent())
    except TruthHypoError as error:
        _log.warning("the copy of the graph for look-ups was not made: %s", error.seen)
