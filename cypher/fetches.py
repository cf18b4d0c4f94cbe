"""What a graph store fetches, on which every look-up stands (`lookups`).

A store gives `around`, `degrees`, `among` and names. A server, from which it is dear to fetch what is then left out,
answers `between` and `shown` itself instead of `around` and `among`.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from cypher import names
from cypher.network import Reach
from groundwork.chance import belief
from groundwork.errors import UnknownConcept
from groundwork.records import Concept, Hop, Relation, Release
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

    def around(self, key: str, radius: int, reach: Reach) -> pa.Table:
        """All links with an end at most `radius` (0 or 1) such links away from a concept, as `network.LINKS`.

        Under a cut, a relation without a PMID up to it is not there. Links from a concept to itself, duplicates and
        links farther away do no harm.
        """
        raise NotImplementedError

    @abstractmethod
    def degrees(self, keys: Sequence[str], reach: Reach) -> Mapping[tuple[str, str], int]:
        """(key, kind) -> number of other concepts linked to the key by that kind under the cut; 0 may be absent."""

    def among(self, keys: Sequence[str]) -> Iterable[Relation]:
        """Every relation edge with both ends among the keys, with all its PMIDs, each once."""
        raise NotImplementedError

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

    def between(self, head: str, tail: str, hops: int, reach: Reach) -> Sequence[pa.Table]:
        """At least every link on a walk of at most `hops` links between two concepts, as tables of `network.LINKS`.

        Raises:
            UnknownConcept: A key that is not in the graph.
        """
        ends = (head, tail)
        self.check_keys(*ends)
        tables = {end: self.around(end, 0, reach) for end in ends}
        if hops == 3:  # the links between their neighbours: one side suffices, the smaller
            smaller = min(ends, key=lambda end: tables[end].num_rows)
            tables["next"] = self.around(smaller, 1, reach)
        elif hops == 4:
            tables = {end: self.around(end, 1, reach) for end in ends}
        return list(tables.values())

    def shown(self, keys: Sequence[str], before: int | None, pmids: int) -> Iterable[Hop]:
        """Every relation edge with both ends among the keys as it shows under the cut, heads canonical, each once."""
        found = (self._hop(edge, before, pmids) for edge in self.among(keys))
        return (hop for hop in found if hop.articles)

    def stated(self, pairs: Sequence[tuple[str, str]], before: int | None, pmids: int) -> Iterable[Hop]:
        """At least every relation edge of some canonical pairs, as `shown` gives it."""
        return self.shown(sorted({key for pair in pairs for key in pair}), before, pmids)

    def check_keys(self, *keys: str) -> None:
        """Raise UnknownConcept for a key that is not in the graph, naming the nearest."""
        there = self.concepts(keys)
        for key in keys:
            if key not in there:
                raise UnknownConcept(key, names.nearest(self, key))

    def _hop(self, edge: Relation, before: int | None, pmids: int) -> Hop:
        """An edge as it shows under the cut."""
        articles = len(edge.pmids) if before is None else bisect_right(edge.pmids, before)
        newest = edge.pmids[max(articles - pmids, 0) : articles][::-1]
        return Hop(edge.head, edge.relation, edge.tail, articles, newest, self._belief(articles))

    def _belief(self, articles: int) -> float:
        return belief(articles, self.settings.syst, self.settings.rand)
