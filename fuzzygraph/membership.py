"""Fuzzy membership mu: the degree to which two concepts are related, from the cosine S of the vectors of their names.

There are three forms. Results carry the name of the form:

    paper    mu = sigmoid(S). The sigmoid of a cosine lies in [0.269, 0.731], so tau_min = 0.2 filters nothing.
    scaled   mu = sigmoid(k (S - s0)), with k and s0 fitted on labelled pairs, so that mu covers (0, 1).
    linear   mu = (1 + S) / 2, in [0, 1].

The default k and s0 were fitted on 2.0 M pairs of MeSH names under MiniLM with mean pooling (siblings in the MeSH tree
against random pairs). The expected calibration error is 0.035, against 0.296 for the paper's form. Other models need
other values.

A graph can have similarity edges of several models, each scaled with the k and s0 of its model. For a pair, a store
returns the largest cosine over all models. Cosines of different models cannot be compared: unrelated names may lie at
0.85 for one model and at 0.1 for another. So the cosines are fetched again by model, and the largest k (S - s0) of a
pair counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fuzzygraph.options import FORMS, Form
from groundwork import chance
from groundwork.errors import InputError
from groundwork.network import Floats, Ints, Network
from groundwork.ports import GraphReader
from groundwork.records import Release
from groundwork.tables import SIMILARITIES, SIMILARITY_KEYS
from groundwork.vocabulary import SIMILAR_TO

K = 13.4
S0 = 0.260


@dataclass(frozen=True, slots=True)
class Membership:
    """One form of the membership mu (see the module docstring).

    Attributes:
        form: `scaled`, `paper` or `linear`.
        k: Steepness of `scaled`, > 0.
        s0: Cosine at which `scaled` gives 0.5.

    Raises:
        InputError: The form is unknown, or k <= 0.
    """

    form: Form = "scaled"
    k: float = K
    s0: float = S0

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InputError(
                f"form {self.form!r}", f"one of {', '.join(FORMS)}", "choose another value of the argument `form`"
            )
        if not self.k > 0:
            raise InputError(f"steepness k = {self.k}", "k > 0", "use the k that was fitted for the embedder")

    def mu(self, cosine: float) -> float:
        """Return the membership of a cosine in [-1, 1]: a number in [0, 1] that increases with the cosine."""
        if self.form == "paper":
            return chance.sigmoid(cosine)
        if self.form == "linear":
            return min(1.0, max(0.0, (1.0 + cosine) / 2.0))
        return chance.sigmoid(self.k * (cosine - self.s0))

    def mus(self, cosines: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the memberships of many cosines, equal to those of `mu` within rounding."""
        if self.form == "linear":
            found: NDArray[np.float64] = np.clip((1.0 + cosines) / 2.0, 0.0, 1.0)
        else:
            x = cosines if self.form == "paper" else self.k * (cosines - self.s0)
            found = np.exp(-np.logaddexp(0.0, -x))
        return found


Scale = tuple[float, float]

#: If a network has more similarity links than this, all similarity edges of the graph are read instead of only these.
MANY = 2_000


def scale(release: Release) -> Scale:
    """Return the k and s0 of a set of similarity edges; the constants K and S0 if its release records none."""
    made = release.similarity
    return (K, S0) if made is None or made.k is None or made.s0 is None else (made.k, made.s0)


def apart(releases: Iterable[Release]) -> dict[str, Scale]:
    """Return k and s0 by model if they differ between the live similarity sets of a graph; otherwise an empty dict."""
    sets = [one for one in releases if one.state == "live" and one.similarity is not None]
    found = {one.similarity.model: scale(one) for one in sets if one.similarity is not None}
    return found if len(set(found.values())) > 1 else {}


class Scales:
    """k and s0 of each embedding model whose similarity edges are in a graph.

    Args:
        graph: Store of the cosines.
        by_model: k and s0 by model; empty if they are the same for all models.
    """

    def __init__(self, graph: GraphReader, by_model: Mapping[str, Scale]) -> None:
        self._graph, self.by_model = graph, by_model
        self._last: tuple[Network, Network] | None = None

    def over(self, network: Network) -> Network:
        """Return the network with `Network.logits`; unchanged if `by_model` is empty. The last result is kept."""
        if not self.by_model:
            return network
        if self._last is None or self._last[0] is not network:
            self._last = network, self._told(network)
        return self._last[1]

    def _told(self, network: Network) -> Network:
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        logits = np.zeros(len(network.a))
        own = self._largest(network, rows)
        # A link whose model has no live set gets the default scale.
        logits[rows] = np.where(np.isfinite(own), own, K * (np.asarray(network.cosine)[rows] - S0))
        return replace(network, logits=logits)

    def _largest(self, network: Network, rows: Ints) -> Floats:
        """Return the largest k (S - s0) of each similarity link; -inf for a link without a known model."""
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
        """Return the cosines of all models for some links; if there are more than `MANY`, those of the whole graph."""
        if len(rows) > MANY:
            return pa.Table.from_batches(self._graph.similarities(), SIMILARITIES)
        heads, tails = (keys.take(pa.array(np.asarray(ends)[rows])) for ends in (network.a, network.b))
        asked = [
            pa.record_batch([pa.array([model] * len(rows), pa.string()), heads, tails], schema=SIMILARITY_KEYS)
            for model in self.by_model
        ]
        return pa.Table.from_batches(self._graph.held_similarities(asked), SIMILARITIES)
