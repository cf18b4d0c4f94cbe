"""Find concepts whose names are near to a phrase, by the vectors that `ingest similarity` stored under HOME."""

from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.nearest import Floats, Places, Singles
from fuzzygraph.similarity.vectors import Vectors
from groundwork.errors import InputError, ModelError
from groundwork.ports import Embedder, GraphReader
from groundwork.records import Concept, Match

#: Rows compared at once: 100 MB with 768 numbers per row.
_ROWS = 32_768
_DIGITS = 12


class NearNames:
    """The embedding neighbours of phrases (`groundwork.ports.Neighbours`).

    Names and vectors are read for the first phrase and stay in memory (the vectors in the system's file cache). With a
    million names this takes some seconds, and each phrase about one second.

    Args:
        graph: Store of the concepts.
        embedder: The embedder that made the vectors of the names.
        home: HOME, where these vectors are stored.
        membership: A neighbour's mu by this membership must be above 0.5.
        limit: Maximum number of neighbours.
    """

    def __init__(
        self, graph: GraphReader, embedder: Embedder, home: Path, membership: Membership, limit: int = 5
    ) -> None:
        self._graph, self._embedder, self._home = graph, embedder, home
        self._membership, self._limit = membership, limit

    def near(self, phrase: str, type: str | None = None) -> tuple[Match, ...]:
        """Return the concepts near to a phrase, as `Neighbours.near` defines.

        Raises:
            InputError: No vectors of this embedder are stored.
            ModelError: The embedder gave no usable vector.
        """
        concepts, places, table = self._named
        cosines = _cosines(table, places, self._vector(phrase))
        if type is not None:
            cosines[[one.type != type for one in concepts]] = -1.0
        found = []
        for at in np.lexsort((np.arange(len(cosines)), -cosines))[: self._limit].tolist():
            cosine, one = min(1.0, round(float(cosines[at]), _DIGITS)), concepts[at]
            if cosine > 0 and self._membership.mu(cosine) > 0.5:
                found.append(Match(one.key, one.name, one.type, cosine, one.name, "embedding", one.counts[0]))
        return tuple(found)

    @cached_property
    def _named(self) -> tuple[list[Concept], Places, Singles]:
        """The concepts whose names have a vector, by key; the row of each; and the rows."""
        kept = Vectors(self._home, str(getattr(self._embedder, "identity", self._embedder.name)))
        every = [concept for concept in self._graph.every_concept() if concept.synonyms]
        places = kept.places([concept.name for concept in every])
        there = np.flatnonzero(places >= 0)
        if not len(there):
            raise InputError(
                f"no vectors by {self._embedder.name} of this graph's names under {self._home}",
                "vectors stored by `truthhypo ingest similarity`",
                "run: truthhypo ingest similarity, with that embedder; or turn neighbours off",
            )
        return [every[at] for at in there.tolist()], places[there], kept.table()

    def _vector(self, phrase: str) -> Floats:
        """Return the vector of the phrase, scaled to length 1.

        Raises:
            ModelError: The vector is zero or not finite.
        """
        row = np.asarray(self._embedder.embed([phrase]), np.float64)[0]
        length = float(np.linalg.norm(row))
        if not (np.isfinite(length) and length > 0):
            raise ModelError(
                f"the embedder {self._embedder.name} gave no usable vector for {phrase!r}",
                "finite numbers, not all zero",
                "turn neighbours off",
            )
        unit: Floats = row / length
        return unit


def _cosines(table: Singles, places: Places, unit: Floats) -> Floats:
    """Return the cosine of each chosen row with a vector of length 1; -1 for a row of zeros."""
    found: Floats = np.empty(len(places))
    for start in range(0, len(places), _ROWS):
        some = slice(start, start + _ROWS)
        rows = np.asarray(table[places[some]], np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        found[some] = np.where(lengths > 0, rows @ unit / np.where(lengths > 0, lengths, 1.0), -1.0)
    return found
