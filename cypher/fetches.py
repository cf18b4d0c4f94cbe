"""What a graph store fetches, on which every look-up stands (`lookups`)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from cypher import names
from groundwork.chance import belief
from groundwork.errors import UnknownConcept
from groundwork.records import Concept, Hop, Release
from groundwork.settings import Settings


class Fetches(ABC):
    """What a graph store fetches.

    Args:
        address: Where the store is.
        settings: `syst` and `rand` shape belief; `graph_timeout` and `row_limit` bound look-ups.
    """

    def __init__(self, address: str, settings: Settings) -> None:
        self.address = address
        self.settings = settings

    @abstractmethod
    def concepts(self, keys: Iterable[str]) -> dict[str, Concept]:
        """See `GraphReader.concepts`."""

    @abstractmethod
    def named_by(self, forms: Sequence[str]) -> Iterable[Concept]:
        """See `names.NameIndex.named_by`."""

    @abstractmethod
    def forms_near(self, grams: Sequence[str], shortest: int, longest: int) -> Iterable[str]:
        """See `names.NameIndex.forms_near`."""

    def every_form(self) -> Iterable[str] | None:
        """See `names.NameIndex.every_form`: a server looks near names up in an index of its own."""
        return None

    @abstractmethod
    def edges_at(self, key: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        """See `GraphReader.edges_at`."""

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
        """How many concepts of each type there are."""

    @abstractmethod
    def edge_counts(self) -> Mapping[str, int]:
        """How many edges of each relation (lower case) there are."""

    @abstractmethod
    def similarity_count(self) -> int:
        """How many similarity edges there are, of all models."""

    @abstractmethod
    def shown(self, keys: Sequence[str], before: int | None, pmids: int) -> Iterable[Hop]:
        """Every relation edge with both ends among the keys as it shows under the cut, heads canonical, each once."""

    def check_keys(self, *keys: str) -> None:
        """Raise UnknownConcept for a key that is not in the graph, naming the nearest."""
        there = self.concepts(keys)
        for key in keys:
            if key not in there:
                raise UnknownConcept(key, names.nearest(self, key))

    def _belief(self, articles: int) -> float:
        return belief(articles, self.settings.syst, self.settings.rand)
