"""The links of an atlas laid out for walking: those around two concepts, or all of them, kept for the next look-up."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np

from cypher.atlas.atlas import Atlas, Region
from cypher.network import Floats, Network, Reach
from groundwork.arcs import Arcs
from groundwork.records import Rank

#: What looking at an arc of a part costs, in arcs laid out with all: 100 to 180 ns against 50 to 170 (1.5 M edges).
_PART = 2
#: Regions and layouts of the whole graph that are kept; a layout takes some 30 bytes an edge.
_KEPT = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """Links laid out for walking.

    Attributes:
        region: The links.
        beliefs: The belief of each link.
        arcs: The links as arcs, weighted by their factors in a score.
    """

    region: Region
    beliefs: Floats
    arcs: Arcs


class Layouts:
    """The layouts of one atlas, for several threads.

    Args:
        atlas: The atlas.
        beliefs: Gives the belief of each link of a network, with alpha for similarity links.
    """

    def __init__(self, atlas: Atlas, beliefs: Callable[[Network, float], Floats]) -> None:
        self.atlas = atlas
        self._beliefs = beliefs
        self._spent: Counter[Reach] = Counter()  # arcs looked at in parts
        self._kept: dict[object, Any] = {}
        self._guard = RLock()  # one thread lays out, and the others wait for it

    def region(self, start: int, end: int, hops: int, reach: Reach) -> Region:
        """Return the links around two concepts; or all, the same object each time, where many were looked at already.

        To look at a part costs by that part, and to lay all links out costs by all. So parts are looked at until they
        have cost as much as laying all out would.
        """
        if reach not in self._kept:
            self._spent[reach] += self.atlas.steps(start, end, hops)
            if self._spent[reach] * _PART <= len(self.atlas.target):
                return self.atlas.region(start, end, hops, reach)
        whole: Region = self._once(reach, lambda: self.atlas.whole(reach))
        return whole

    def layout(self, start: int, end: int, hops: int, reach: Reach, rank: Rank, alpha: float) -> Layout:
        """Return the links around two concepts, or all, with weights by a rank."""
        region = self.region(start, end, hops, reach)
        if region is not self._kept.get(reach):
            return self._laid(region, reach, rank, alpha)
        layout: Layout = self._once((reach, rank, alpha), lambda: self._laid(region, reach, rank, alpha))
        return layout

    def _laid(self, region: Region, reach: Reach, rank: Rank, alpha: float) -> Layout:
        network = region.network
        beliefs = self._beliefs(network, alpha)
        factors = beliefs if rank == "evidence" else np.ones(len(beliefs))
        if rank == "dwpc":
            factors = _damped(self.atlas, region, reach)
        arcs = Arcs.of(network.wired(), region.there, network.kind.astype(np.int8), factors)
        return Layout(region, beliefs, arcs)

    def _once(self, name: object, make: Callable[[], Any]) -> Any:
        """What was made before, or is made now. A few are kept: questions come in rows."""
        with self._guard:
            made = self._kept.pop(name) if name in self._kept else make()
            while len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[name] = made  # those asked for last stay
            return made


def _damped(atlas: Atlas, region: Region, reach: Reach) -> Floats:
    """(d_a * d_b)^-0.5 of each link, d the degree of its ends under its kind and the cut."""
    degrees, network = atlas.degrees(region.nodes, reach).astype(np.float64), region.network
    product = degrees[network.a, network.kind] * degrees[network.b, network.kind]
    damped: Floats = np.power(np.maximum(product, 1.0), -0.5)  # links that are not walked may have ends of degree 0
    return damped
