"""The methods with which a graph store fetches data. Every look-up in `lookups` uses these methods."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Self

import pyarrow as pa

from cypher import names
from cypher.network import Reach
from groundwork.chance import belief
from groundwork.errors import UnknownConcept
from groundwork.records import Concept, Hop, Release
from groundwork.settings import Settings


class Fetches(ABC):
    """The fetching methods of a graph store.

    Args:
        address: Address of the store.
        settings: `syst` and `rand` determine the belief of edges; `graph_timeout` and `row_limit` limit look-ups.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        self.address = address
        self.settings = settings
        self.species = settings.species

    def of_species(self, species: str) -> Self:
        """See `GraphReader.of_species`."""
        other = copy(self)
        other.species = species
        return other

    @abstractmethod
    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""

    @abstractmethod
    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""

    def begun_by(self, forms: Collection[str]) -> Collection[str]:
        """Return all given forms (see `NameIndex.begun_by`), because asking a server about them would save no time."""
        return forms

    @abstractmethod
    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""

    def every_form(self) -> Iterable[str] | None:
        """Return None (see `NameIndex.every_form`), because a server has its own index for similar names."""
        return None

    @abstractmethod
    def edges_at(self, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""

    @abstractmethod
    def similar_at(self, key: str) -> Iterator[tuple[str, float, str]]:
        """See `GraphReader.similar_at`."""

    @abstractmethod
    def relations(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.relations`."""

    @abstractmethod
    def beside(self) -> Iterator[pa.RecordBatch]:
        """See `GraphReader.beside`."""

    @abstractmethod
    def state(self) -> str:
        """See `GraphReader.state`."""

    @abstractmethod
    def releases(self) -> tuple[Release, ...]:
        """See `GraphReader.releases`."""

    @abstractmethod
    def concept_counts(self) -> Mapping[str, int]:
        """Return the number of concepts of each type."""

    @abstractmethod
    def edge_counts(self) -> Mapping[str, int]:
        """Return the number of edges of each relation (in lower case)."""

    @abstractmethod
    def similarity_count(self) -> int:
        """Return the number of similarity edges, of all models."""

    @abstractmethod
    def shown(self, keys: Sequence[str], reach: Reach, pmids: int) -> Iterable[Hop]:
        """Return each relation edge whose two concepts are both among the keys, exactly once. Include self-relations.

        A hop counts only the articles that count in `reach`, and lists the newest `pmids` PMIDs of these articles.
        Edges without such articles are left out. The head of a hop is the canonical head.
        """

    def check_keys(self, *keys: str) -> None:
        """Raise UnknownConcept for a key that is not in the graph; the error names the nearest keys."""
        there = self.concepts(keys)
        for key in keys:
            if key not in there:
                raise UnknownConcept(key, names.nearest(self, key))

    def _belief(self, articles: int) -> float:
        return belief(articles, self.settings.syst, self.settings.rand)
