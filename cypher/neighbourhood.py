"""Look-ups of a store that fetches, for each look-up, the links around two concepts (their neighbourhood).

A store provides `between`, `degrees` and `stated`. This module decides which of the fetched links are used, how paths
are scored, and in which order they are returned.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from cypher.lookups import Lookups, check_chains, check_hops
from cypher.network import Floats, Network, Reach
from cypher.ranking import Path, best_paths
from cypher.sketch import sketch
from groundwork.chance import sigmoid
from groundwork.errors import StoreBusy
from groundwork.network import ArticleMask
from groundwork.records import Chain, Chains, Hop, Rank
from groundwork.vocabulary import SIMILAR_TO, canonical


class NeighbourhoodLookups(Lookups, ABC):
    """Look-ups of links and paths by a store that fetches the links around two concepts for each look-up."""

    @abstractmethod
    def between(self, head: str, tail: str, hops: int, reach: Reach) -> Sequence[pa.Table]:
        """Return all links on walks of at most `hops` links between two concepts, as tables.

        The tables have the schema `network.LINKS`. A relation without an article that counts in `reach` is
        left out. The result may contain self-relations, duplicates and links that are not on these walks.

        Raises:
            UnknownConcept: If a key is not in the graph.
        """

    @abstractmethod
    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """Return, for each (key, kind), the number of other concepts linked to the key by links of this kind.

        Only links that `reach` includes count. A number of 0 may be left out.
        """

    @abstractmethod
    def stated(self, pairs: Sequence[tuple[str, str]], reach: Reach, pmids: int) -> Iterable[Hop]:
        """Return the relation edges between the two concepts of each canonical pair, in the form of `Fetches.shown`.

        Other edges may also be returned.
        """

    def chains(
        self,
        head: str,
        tail: str,
        *,
        hops: int = 2,
        before: int | None = None,
        limit: int = 32,
        rank: Rank = "evidence",
        pmids: int = 20,
        similar: float | None = None,
        without: ArticleMask | None = None,
    ) -> Chains:
        """See `GraphReader.chains`."""
        check_chains(hops, limit, rank, pmids, similar)
        reach = Reach(before, similar=similar is not None, without=without)
        total = 0
        if head == tail:
            self.check_keys(head)
            found: tuple[Chain, ...] = ()
        else:
            network = Network.of(self.between(head, tail, hops, reach), (head, tail)).within(head, tail, hops)
            weights = self._weights(network, rank, reach, similar or 0.0)
            scales = [1.0 / length if rank == "hops" else 1.0 for length in range(1, hops + 1)]
            total, paths = best_paths(network, weights, head, tail, scales, limit)
            found = self._chains(paths, network, reach, pmids, similar or 0.0)
        text = sketch(head, tail, hops, reach, limit, rank, similar, self.settings)
        return Chains(head, tail, found, total, total > len(found), text)

    def network(
        self,
        head: str,
        tail: str,
        *,
        hops: int = 3,
        before: int | None = None,
        similar: bool = True,
        without: ArticleMask | None = None,
    ) -> Network:
        """See `GraphReader.network`."""
        check_hops(hops)
        reach = Reach(before, similar, contradicts=True, without=without)
        network = Network.of(self.between(head, tail, hops, reach), (head, tail)).within(head, tail, hops)
        network = network.trimmed(head, tail)
        counts = self.degrees(network.keys, replace(reach, similar=False, contradicts=False))
        degree = np.zeros(len(network.keys), dtype=np.int64)
        for (key, _), count in counts.items():
            degree[network.number(key)] += count
        return replace(network, degree=degree)

    # -- private methods

    def _weights(self, network: Network, rank: Rank, reach: Reach, alpha: float) -> Floats:
        """Return the factor of each link in the score of a path, when paths are ranked by the method `rank`."""
        if rank == "hops":
            return np.ones(len(network.a))
        if rank == "dwpc":
            return self._degree_factors(network, reach)
        return self._beliefs(network, alpha)

    def _degree_factors(self, network: Network, reach: Reach) -> Floats:
        """Return (d_a * d_b)^-0.5 for each link.

        d_a and d_b are the degrees of the two concepts, counting only links of the same kind as this link.
        """
        used = np.unique(np.concatenate([network.a, network.b])).tolist()
        degrees = self.degrees([network.keys[n] for n in used], reach)
        table = np.zeros((len(network.keys), max(len(network.kinds), 1)))
        for n in used:
            table[n] = [degrees.get((network.keys[n], kind), 0) for kind in network.kinds]
        return np.power(table[network.a, network.kind] * table[network.b, network.kind], -0.5)

    def _chains(
        self, paths: Sequence[Path], network: Network, reach: Reach, pmids: int, alpha: float
    ) -> tuple[Chain, ...]:
        """Return paths as chains, with the articles and the belief of each hop."""
        pairs = sorted({canonical(*ends) for path in paths for ends in pairwise(path.keys)})
        edges = {(hop.head, hop.tail, hop.relation): hop for hop in self.stated(pairs, reach, pmids)} if pairs else {}
        similar = SIMILAR_TO in network.kinds
        cosines = {(link.head, link.tail): link.cosine for link in network.links() if link.cosine} if similar else {}

        def hop(head: str, tail: str, kind: str) -> Hop:
            pair = canonical(head, tail)
            if kind == SIMILAR_TO:
                return Hop(head, kind, tail, 0, (), alpha * sigmoid(cosines.get(pair) or 0.0))
            if (*pair, kind) not in edges:
                raise StoreBusy(f"{self.address} changed while it was read", "an unchanged graph", "try again")
            return replace(edges[(*pair, kind)], head=head, tail=tail)

        return tuple(Chain(path.score, tuple(map(hop, path.keys, path.keys[1:], path.kinds))) for path in paths)
