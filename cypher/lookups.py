"""What all graph stores share: look-ups of names, edges and counts, and the beliefs of links.

A store fetches data (`fetches`). It finds paths in an atlas (a memory-mapped copy of the graph, `atlas.atlas_lookups`),
or in the links around two concepts, which it fetches for each look-up (`neighbourhood`). The same look-up returns the
same result on every store.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Self

import numpy as np
import pyarrow as pa

from cypher import names
from cypher.network import Floats, Network, Reach
from cypher.ranking import rounded
from groundwork.chance import belief, sigmoid
from groundwork.errors import InputError, StoreError, TimeLimit, UnknownConcept
from groundwork.network import ArticleMask
from groundwork.ports import Progress
from groundwork.records import Concept, Counts, Found, Hop, Match, Rank, Release, Stats
from groundwork.settings import Settings
from groundwork.tables import digest
from groundwork.vocabulary import SIMILAR_TO

MAX_HOPS = 4
RANKS = ("evidence", "dwpc", "hops")


def check_chains(hops: int, limit: int, rank: Rank, pmids: int, similar: float | None) -> None:
    """Raise InputError for invalid arguments of `chains`."""
    check_hops(hops)
    check_pmids(pmids)
    if rank not in RANKS:
        raise InputError(f"the rank {rank!r}", f"one of {', '.join(RANKS)}", "choose one of these ranks")
    if limit < 0:
        raise InputError(f"limit {limit}", "0 or more chains", "give a limit of 0 or more, or leave it out")
    if similar is not None and not 0.0 <= similar <= 1.0:
        raise InputError(f"alpha {similar}", "a number from 0 to 1", "correct alpha, or leave it out")


def check_hops(hops: int) -> None:
    """Raise InputError for an invalid number of hops."""
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"{hops} hops", f"1 to {MAX_HOPS} hops", "choose a number of hops in that range")


def check_pmids(pmids: int) -> None:
    """Raise InputError for a negative number of PMIDs."""
    if pmids < 0:
        raise InputError(f"{pmids} PMIDs per hop", "0 or more", "give 0 or more PMIDs, or leave the number out")


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


class Lookups(Fetches):
    """The reading half of a graph store (`groundwork.ports.GraphReader`), built on the methods of `Fetches`."""

    def edges(
        self,
        keys: Sequence[str],
        *,
        before: int | None = None,
        pmids: int = 20,
        without: ArticleMask | None = None,
    ) -> tuple[Hop, ...]:
        """See `GraphReader.edges`."""
        check_pmids(pmids)
        shown = self.shown(sorted(set(keys)), Reach(before, without=without), pmids)
        return tuple(sorted(shown, key=lambda hop: (-rounded(hop.belief), hop.head, hop.tail, hop.relation)))

    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """See `GraphReader.find`."""
        return names.find(self, text, type, limit)

    def find_all(self, texts: Sequence[str]) -> dict[str, Found]:
        """See `GraphReader.find_all`."""
        return names.find_all(self, texts)

    def named(self, texts: Sequence[str]) -> dict[str, tuple[Match, ...]]:
        """See `GraphReader.named`."""
        return names.named(self, texts)

    def begun(self, texts: Collection[str]) -> Collection[str]:
        """See `GraphReader.begun`."""
        return names.begun(self, texts)

    def counts(self) -> Counts:
        """See `GraphReader.counts`."""
        concepts, edges = self.concept_counts(), self.edge_counts()
        return Counts(
            {kind: concepts[kind] for kind in sorted(concepts) if concepts[kind]},
            {relation: edges[relation] for relation in sorted(edges) if edges[relation]},
            self.similarity_count(),
        )

    def stats(self, *, anew: bool = False) -> Stats:
        """See `GraphReader.stats`."""
        kept = None if anew else self.summary()
        counts, edges = kept or (self.counts(), digest(self.relations()))
        return Stats(counts.concepts, counts.edges, self.releases(), edges)

    def summary(self) -> tuple[Counts, str] | None:
        """Return the counts and the digest of the edges in the current state if the store caches them, else None."""
        return None

    def draw(self, progress: Progress | None = None) -> None:
        """Do nothing (see `GraphReader.draw`), because most stores answer queries from what they are."""

    def faults(self) -> tuple[str, ...]:
        """Return no faults (see `GraphReader.faults`). A store with separate constraints or indexes overrides this."""
        return ()

    def _beliefs(self, network: Network, alpha: float) -> Floats:
        """Return the belief of each link; for a similarity link it is alpha * sigmoid(cosine)."""
        by_articles = np.zeros(int(network.articles.max(initial=0)) + 1)
        for articles in np.flatnonzero(np.bincount(network.articles)).tolist():
            by_articles[articles] = self._belief(articles)
        beliefs: Floats = by_articles[network.articles]
        rows = np.flatnonzero(network.of_kind(SIMILAR_TO))
        beliefs[rows] = [alpha * sigmoid(cosine) for cosine in network.cosine[rows].tolist()]
        return beliefs


def missing_end(key: str) -> StoreError:
    """Return the error for an edge whose concept `key` is not in the graph."""
    return StoreError(
        f"an edge ends at {key!r}, which is not in the graph",
        "concepts that are written before their edges",
        "repeat the load; if the error comes back, the release itself is wrong",
    )


def too_slow(what: str, seconds: float, *, free: bool = False) -> TimeLimit:
    """Return the error for a look-up or a free query that took longer than the setting `graph_timeout`.

    Args:
        what: What ran, for example "a query on bolt://127.0.0.1:7687".
        seconds: The limit.
        free: Whether the user wrote the query.
    """
    easier = "narrow the query (labels, keys, WHERE, LIMIT)" if free else "ask for less (fewer hops, a smaller limit)"
    return TimeLimit(what, seconds, "graph_timeout", easier)
