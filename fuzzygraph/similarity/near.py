"""Concepts whose names mean something near a phrase, by the vectors of names that a build kept under HOME."""

from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.nearest import Floats, Places, Singles
from fuzzygraph.similarity.vectors import Vectors
from groundwork.errors import InputError, ModelError
from groundwork.ports import Embedder, GraphReader
from groundwork.records import Concept, Match

#: Rows compared at a time: 100 MB of 768 numbers.
_ROWS = 32_768
_DIGITS = 12


class NearNames:
    """The embedding neighbours of phrases (`groundwork.ports.Neighbours`).

    Names and vectors are read at the first question and stay in memory (the vectors in the system's file cache): a
    million names take some seconds then, and each question about one.

    Args:
        graph: Whose concepts.
        embedder: Phrases to vectors; the one that made the names'.
        home: HOME, where the names' vectors are.
        membership: A neighbour's mu must be above 0.5 by it.
        limit: How many neighbours at most.
    """

    def __init__(
        self, graph: GraphReader, embedder: Embedder, home: Path, membership: Membership, limit: int = 5
    ) -> None:
        self._graph, self._embedder, self._home = graph, embedder, home
        self._membership, self._limit = membership, limit

    def near(self, phrase: str, type: str | None = None) -> tuple[Match, ...]:
        """See `Neighbours.near`.

        Raises:
            InputError: No vectors of this embedder are kept.
            ModelError: The embedder gave no vector.
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
        """Concepts by key with a name that has a vector, the row of each, and the rows."""
        kept = Vectors(self._home, str(getattr(self._embedder, "identity", self._embedder.name)))
        every = [concept for concept in self._graph.every_concept() if concept.synonyms]
        places = kept.places([concept.name for concept in every])
        there = np.flatnonzero(places >= 0)
        if not len(there):
            raise InputError(
                f"no vectors by {self._embedder.name} of this graph's names under {self._home}",
                "those that `ingest similarity` keeps",
                "run: truthhypo ingest similarity, with that embedder; or leave --neighbours out",
            )
        return [every[at] for at in there.tolist()], places[there], kept.table()

    def _vector(self, phrase: str) -> Floats:
        """The phrase's, of length 1.

        Raises:
            ModelError: It is zero or not finite.
        """
        row = np.asarray(self._embedder.embed([phrase]), np.float64)[0]
        length = float(np.linalg.norm(row))
        if not (np.isfinite(length) and length > 0):
            raise ModelError(
                f"the embedder {self._embedder.name} gave no usable vector for {phrase!r}",
                "finite numbers, not all zero",
                "leave --neighbours out",
            )
        unit: Floats = row / length
        return unit


def _cosines(table: Singles, places: Places, unit: Floats) -> Floats:
    """The cosine of each chosen row with a vector of length 1; -1 for a row of zeros."""
    found: Floats = np.empty(len(places))
    for start in range(0, len(places), _ROWS):
        some = slice(start, start + _ROWS)
        rows = np.asarray(table[places[some]], np.float64)
        lengths = np.linalg.norm(rows, axis=1)
        found[some] = np.where(lengths > 0, rows @ unit / np.where(lengths > 0, lengths, 1.0), -1.0)
    return found
