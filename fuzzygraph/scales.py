"""Similarity edges of several models in one graph, each read by its own model's k and s0.

A store gives of a pair the largest cosine over the models, which says nothing where one model's unrelated names lie at
0.85 and another's at 0.1. So the cosines are asked for anew, by model, and of each pair the largest k (S - s0) counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fuzzygraph.membership import S0, K
from groundwork.network import Floats, Ints, Network
from groundwork.ports import GraphReader
from groundwork.records import Release
from groundwork.tables import SIMILARITIES, SIMILARITY_KEYS
from groundwork.vocabulary import SIMILAR_TO

Scale = tuple[float, float]

#: From so many similarity links on, all of a graph are read in one go instead of these one by one.
MANY = 2_000


def scale(release: Release) -> Scale:
    """The k and s0 of a set of similarity edges; MiniLM's, if it was made in another form than `scaled`."""
    made = release.similarity
    return (K, S0) if made is None or made.k is None or made.s0 is None else (made.k, made.s0)


def apart(releases: Iterable[Release]) -> dict[str, Scale]:
    """The scales by model, where the live sets of a graph do not agree on them; else nothing."""
    sets = [one for one in releases if one.state == "live" and one.similarity is not None]
    found = {one.similarity.model: scale(one) for one in sets if one.similarity is not None}
    return found if len(set(found.values())) > 1 else {}


class Scales:
    """The scales of a graph's models.

    Args:
        graph: Where cosines are looked up.
        by_model: k and s0 by model; empty where one scale serves all.
    """

    def __init__(self, graph: GraphReader, by_model: Mapping[str, Scale]) -> None:
        self._graph, self.by_model = graph, by_model
        self._last: tuple[Network, Network] | None = None

    def over(self, network: Network) -> Network:
        """The links with `logits`, or as they are where one scale serves all; of the same object the same object."""
        if not self.by_model:
            return network
        if self._last is None or self._last[0] is not network:
            self._last = network, self._told(network)
        return self._last[1]

    def _told(self, network: Network) -> Network:
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        logits = np.zeros(len(network.a))
        own = self._largest(network, rows)
        # What no live set stands for has no scale of its own either.
        logits[rows] = np.where(np.isfinite(own), own, K * (np.asarray(network.cosine)[rows] - S0))
        return replace(network, logits=logits)

    def _largest(self, network: Network, rows: Ints) -> Floats:
        """Of some similarity links the largest k (S - s0); -inf for one that no known model gave."""
        keys = pa.array(list(network.keys), pa.string())
        found = np.full(len(rows), -np.inf)
        table = self._cosines(network, rows, keys).filter(pc.is_in(pc.field("model"), pa.array(list(self.by_model))))
        heads, tails = (pc.index_in(table[end], keys).fill_null(-1).to_numpy() for end in ("head", "tail"))
        size = len(network.keys)
        links = np.asarray(network.a)[rows].astype(np.int64) * size + np.asarray(network.b)[rows]
        codes = np.where((heads >= 0) & (tails >= 0), heads.astype(np.int64) * size + tails, -1)
        places = np.minimum(np.searchsorted(links, codes), max(len(links) - 1, 0))
        at = np.flatnonzero(links[places] == codes) if len(links) else np.zeros(0, np.int64)
        steep, middle = (
            np.array([self.by_model[model][n] for model in table["model"].to_pylist()], np.float64) for n in (0, 1)
        )
        np.maximum.at(found, places[at], (steep * (table["cosine"].to_numpy() - middle))[at])
        return found

    def _cosines(self, network: Network, rows: Ints, keys: pa.Array) -> pa.Table:
        """Every model's cosines of some links, or of more."""
        if len(rows) > MANY:
            return pa.Table.from_batches(self._graph.similarities(), SIMILARITIES)
        heads, tails = (keys.take(pa.array(np.asarray(ends)[rows])) for ends in (network.a, network.b))
        asked = [
            pa.record_batch([pa.array([model] * len(rows), pa.string()), heads, tails], schema=SIMILARITY_KEYS)
            for model in self.by_model
        ]
        return pa.Table.from_batches(self._graph.held_similarities(asked), SIMILARITIES)
