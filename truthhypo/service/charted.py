"""A graph on a server, for a service. If possible, links and paths are read from a stored atlas.

An atlas is a copy of the graph in files (`cypher.atlas`).
"""

import logging
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, cast

from cypher.atlas.charts import ChartedGraph, Charts, of_this_room
from cypher.atlas.lookups import AtlasLookups
from cypher.network import Network, Reach
from groundwork.errors import TruthHypoError
from groundwork.ports import Graph, GraphReader, Silent
from groundwork.records import Chains, Hop, fingerprint
from groundwork.settings import Settings
from truthhypo.charting import charts_of
from truthhypo.world import World

_log = logging.getLogger("truthhypo.serve")
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


class ServedWorld(World):
    """A world that reads links and paths of a server's graph from a stored atlas if possible (`ServedGraph`)."""

    @cached_property
    def graph_store(self) -> Graph:
        """See `World.graph_store`. The service only reads it."""
        store = super().graph_store
        if isinstance(store, AtlasLookups):
            return store
        return cast("Graph", ServedGraph(store, charts_of(store, self.settings)))


def draw(settings: Settings) -> None:
    """Build the atlas of a server's graph if it is missing. Errors are only logged; look-ups report the same errors."""
    try:
        with World(settings) as world:
            store = world.graph_store
            if not isinstance(store, AtlasLookups) and fingerprint(store.releases()):
                charts_of(store, settings).atlas(store.state(), Silent())
    except TruthHypoError as error:
        _log.warning("the atlas of the graph was not built: %s", error.seen)
