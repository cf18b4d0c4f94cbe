"""Look up concepts, edges, chains and articles, and resolve and check the values that a user gave.

`World.graph` is a `GraphLookups`, and `World.literature` a `LiteratureLookups`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from operator import index
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, get_args
from warnings import warn

import cypher
from groundwork import inventory
from groundwork.errors import DamagedStore, InputError, OtherOrganism, StoreError, UnfitText, UnknownConcept
from groundwork.network import ArticleMask
from groundwork.options import StudyOptions, checked_arguments, shown
from groundwork.organisms import HUMAN, described, distinct_name, organism_name, organism_of, without_organism
from groundwork.ports import Graph, GraphReader, Literature, LiteratureReader
from groundwork.readable import broken
from groundwork.records import (
    Abstract,
    Chains,
    Concept,
    Design,
    Edges,
    Found,
    Hits,
    IndexInfo,
    Match,
    Rank,
    Release,
    Stats,
    Table,
    plain,
    split_key,
)
from groundwork.records.base import counted, listed
from groundwork.study import study_of
from groundwork.vocabulary import TYPES
from truthhypo.service.participants import participants

if TYPE_CHECKING:
    from pandas import DataFrame


def resolve(graph: GraphReader, text: str) -> str:
    """Return the key of the concept that a key, an id or a name refers to.

    Args:
        graph: Store of the concepts.
        text: A key (`Gene|7157`), the id of a key (`MESH:D008687`) or a name (`p53`, in any case).

    Raises:
        UnknownConcept: The graph has no concept with this key, id or name. The error lists the nearest ones.
        InputError: Several concepts share the id or name; the error lists these concepts. Or the text is not valid
            Unicode.
    """
    if broken(text):
        raise InputError(f"the concept {text!r} contains bytes that are not UTF-8", "valid Unicode", "correct the text")
    if split_key(text)[0] in TYPES and "|" in text:
        if text in graph.concepts([text]):
            return text
        graph.chains(text, text, hops=1, limit=0)  # raises the error, because the store knows the nearest keys
        raise UnknownConcept(text)
    if held := graph.concepts([f"{kind}|{text}" for kind in sorted(TYPES)]):
        return _only_key(text, list(held.values()))
    found = graph.find(text)
    exact = [match for match in found.concepts if match.how != "fuzzy"]
    if not exact:
        near = tuple(f"{match.key}: {described(match)}" for match in found.concepts[:5])
        raise UnknownConcept(text, near, organism_name(graph.species))
    best = [match for match in exact if match.score == exact[0].score]
    if found.ambiguous:
        return _only_key(text, best)
    taxon = organism_of(exact[0])
    if taxon not in {None, graph.species or HUMAN} and exact[0].how != "key" and not _tells_organism(text):
        seen = f"{text!r} means {exact[0].key}: {described(exact[0])}; no human gene in the graph has this name"
        warn(OtherOrganism(seen), stacklevel=2)
    return exact[0].key


def _tells_organism(name: str) -> bool:
    """Return whether a name begins with an organism, or is written like a symbol of rodents' genes."""
    return without_organism(name) is not None or (name[:1].isupper() and name[1:2].islower())


def _only_key(text: str, concepts: Sequence[Concept | Match]) -> str:
    """Return the key of the only concept. Raise InputError if there are several."""
    if len(concepts) > 1:
        told = ", ".join(f"{concept.key}: {described(concept)}" for concept in concepts)
        raise InputError(f"{text!r} names several concepts: {told}", "one concept", "give one of these keys")
    return concepts[0].key


def cited_pmids(given: Iterable[int | str | float]) -> tuple[int, ...]:
    """Return distinct PMIDs, in their order, from numbers and texts such as `12345`, `PMID: 12345` or `12345.2`.

    A version (`.2`) is dropped, because the literature holds only the latest one.

    Raises:
        UnfitText: A value is no PMID.
    """
    found: dict[int, None] = {}
    for value in given:
        read = re.fullmatch(r"(?:pmid)?[\s:]*([1-9][0-9]{0,9})(?:\.[0-9]+)?", str(value).strip(), re.IGNORECASE)
        if read is None or isinstance(value, bool | float):
            raise UnfitText(
                f"the PMID {value!r}", "a number of at most 10 digits, such as 12345 or PMID: 12345", "correct the PMID"
            )
        found[int(read[1])] = None
    return tuple(found)


def meanings(graph: GraphReader, concepts: Mapping[str, str] | None) -> dict[str, str]:
    """Return the meaning of names in a text: a mapping from each name to the key of its concept.

    Args:
        graph: The graph that contains the concepts.
        concepts: Mapping from each name to the key, id or name of its concept, as for `resolve`. None means no names.

    Raises:
        InputError: A name has no letters or digits, `concepts` is not a mapping of texts, or `resolve` raises it.
        UnknownConcept: The graph has no concept with a key, id or name in `concepts`.
    """
    given = {} if concepts is None else concepts
    if not isinstance(given, Mapping) or not all(isinstance(each, str) for pair in given.items() for each in pair):
        raise InputError(f"concepts = {concepts!r}", "keys of concepts by name", "give {'PSA': 'Gene|354'}")
    if nameless := next((name for name in given if not any(map(str.isalnum, name))), None):
        raise InputError(
            f"the name {nameless!r} for {given[nameless]}", "a name with letters or digits", "correct the name"
        )
    return {name: resolve(graph, key) for name, key in given.items()}


class _Named(Protocol):
    """A record that contains keys of concepts, and the names of these concepts."""

    @property
    def names(self) -> Mapping[str, str]: ...

    def keys(self) -> frozenset[str]: ...


NamedRecord = TypeVar("NamedRecord", bound=_Named)


def named(graph: GraphReader, record: NamedRecord) -> NamedRecord:
    """Return a record with the names of its concepts, as `distinct_name`; tables and pictures show them."""
    held = graph.concepts(sorted(record.keys()))
    changed: NamedRecord = replace(
        cast("Any", record), names={key: distinct_name(concept) for key, concept in held.items()}
    )
    return changed


def known_names(address: str, graph: Callable[[], GraphReader], keys: Collection[str]) -> dict[str, str]:
    """Return the names of concepts by key, as far as they are known; an empty dict if the graph cannot be read.

    Args:
        address: Address of the graph. If no graph is there, `graph` is not called, to avoid a warning.
        graph: Function that opens the graph store.
        keys: Keys of concepts.
    """
    if not keys or not cypher.is_there(address):
        return {}
    try:
        return {key: distinct_name(concept) for key, concept in graph().concepts(sorted(keys)).items()}
    except StoreError:
        return {}


def readable(literature: Callable[[], Literature]) -> tuple[Literature | None, str]:
    """Return the literature if it holds documents. This is for commands that can do without a literature.

    Args:
        literature: Function that opens the literature store.

    Returns:
        The literature and "", or None and the reason: the literature holds no documents or cannot be read.

    Raises:
        DamagedStore: A file of the store is missing or was changed by another program.
    """
    try:
        store = literature()
        if store.info().documents:
            return store, ""
        return None, f"the literature at {store.address} holds no documents"
    except DamagedStore:
        raise
    except StoreError as error:
        return None, f"the literature cannot be read: {error.seen}"


def unfinished_loads(*stores: GraphReader | LiteratureReader) -> tuple[str, ...]:
    """Return the unfinished loads of these stores, each as `SOURCE:ID`."""
    found = (release for store in stores for release in store.releases() if release.state == "loading")
    return tuple(dict.fromkeys(f"{release.source}:{release.id}" for release in found))


def dated(before: int | None) -> None:
    """Check that a PMID limit is valid.

    Raises:
        InputError: The limit is less than 1.
    """
    if before is not None and before < 1:
        raise InputError(
            f"before = {before}", "a PMID, 1 or more, or None for all", "give the largest PMID that may be used"
        )


def checked(what: str, value: str, choices: tuple[str, ...]) -> None:
    """Check that a value is one of the choices.

    Raises:
        InputError: The value is not one of the choices.
    """
    if value not in choices:
        raise InputError(f"{what} {value!r}", f"one of {', '.join(choices)}", "choose one of these")


class GraphLookups:
    """Graph lookups that accept keys, ids or names of concepts.

    Args:
        opened: Function that returns the graph store, or raises an error if the store is closed.
        uncounted: Function that returns the articles that do not count as support of edges.
        home: The folder HOME, which knows the files of the releases.

    Example:
        >>> world.graph.chains("MESH:D019821", "HMGCR").total > 0
        True
    """

    def __init__(self, opened: Callable[[], Graph], uncounted: Callable[[], ArticleMask | None], home: Path) -> None:
        self._opened = opened
        self._uncounted = uncounted
        self._home = home

    def __repr__(self) -> str:
        return "GraphLookups: chains, edges, find, query, stats"

    @property
    def store(self) -> Graph:
        """The graph store."""
        return self._opened()

    @checked_arguments
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
    ) -> Chains:
        """Return simple paths between two concepts, best first; see `groundwork.ports.GraphReader.chains`.

        Notices in the literature (such as errata) do not count as articles of an edge.

        Args:
            head: The concept at which the chains start.
            tail: The concept at which they end.
            hops: Maximum number of edges in a chain, 1 to 4.
            before: Use only evidence with a PMID up to this one.
            limit: Maximum number of chains.
            rank: Order of the chains: by `evidence` (belief), `dwpc` (degree-weighted path count) or `hops` (length).
            pmids: Maximum number of PMIDs per edge, newest first.
            similar: Weight of similarity edges, in [0, 1]; None uses no similarity edges.

        Example:
            >>> chains = world.graph.chains("simvastatin", "cholesterol")
            >>> chains.to_frame()[["chain", "head_name", "relation", "tail_name"]].values.tolist()[0]
            [1, 'Simvastatin', 'negative_correlate', 'cholesterol']
        """
        dated(before)
        checked("rank", rank, get_args(Rank))
        store = self.store
        found = store.chains(
            resolve(store, head),
            resolve(store, tail),
            hops=hops,
            before=before,
            limit=limit,
            rank=rank,
            pmids=pmids,
            similar=similar,
            without=self._uncounted(),
        )
        return named(store, found)

    @checked_arguments
    def edges(self, *concepts: str, before: int | None = None, pmids: int = 20) -> Edges:
        """Return all relation edges with both ends among the concepts. Notices do not count as articles of an edge.

        Args:
            *concepts: Keys, ids or names.
            before: Use only evidence with a PMID up to this one.
            pmids: Maximum number of PMIDs per edge, newest first.

        Example:
            >>> [edge.relation for edge in world.graph.edges("simvastatin", "HMGCR")]
            ['negative_correlate']
        """
        dated(before)
        if len(concepts) < 2:
            raise InputError(
                "fewer than two concepts, and an edge has two ends",
                "two or more concepts",
                "name all concepts among which edges are looked up",
            )
        store = self.store
        keys = [resolve(store, text) for text in concepts]
        found = store.edges(keys, before=before, pmids=pmids, without=self._uncounted())
        return named(store, Edges(found))

    @checked_arguments
    def find(self, text: str, *, type: str | None = None, limit: int = 10) -> Found:
        """Return concepts by key or name, best match first.

        Args:
            text: A key, a name, or part of a name.
            type: Return only concepts of this type.
            limit: Maximum number of concepts.

        Example:
            >>> world.graph.find("metformin").to_frame()["key"].tolist()
            ['Chemical|MESH:D008687']
        """
        return self.store.find(text, type=type, limit=limit)

    @checked_arguments
    def query(self, text: str, parameters: Mapping[str, Any] | None = None, *, limit: int | None = None) -> Table:
        """Run a Cypher query that only reads; see `groundwork.ports.GraphReader.query`.

        Example:
            >>> world.graph.query("MATCH (c:Concept {key: $key}) RETURN c.name", {"key": "Gene|3156"}).rows
            (('HMGCR',),)
        """
        return self.store.query(text, parameters, limit=limit)

    def stats(self) -> Stats:
        """Return the numbers of concepts by type and of edges by relation, the releases, and the digest of the edges.

        Example:
            >>> world.graph.stats().concepts["Gene"] > 10
            True
        """
        found = self.store.stats()
        return replace(found, releases=inventory.with_files(self._home, found.releases))


def article_fields(article: Abstract) -> dict[str, Any]:
    """Return the fields of `ArticleAnswer` that depend only on the article, by name."""
    text, study = article.text, study_of(article)
    return {
        "pmid": article.pmid,
        "title": text.title,
        "abstract": text.abstract,
        "year": text.year,
        "journal": text.journal,
        "retracted": text.retracted,
        "doi": text.doi,
        "design": study.design,
        "organism": study.organism,
        "participants": participants(text.abstract),
        "types": text.types,
        "mesh": text.mesh,
        "languages": text.languages,
        "concepts": article.concepts,
    }


class Articles(dict[int, Abstract]):
    """Articles by PMID.

    Attributes:
        names: Names of the concepts of these articles by key, as far as they are known; used only in tables.

    Example:
        >>> world.literature.get([990000005]).to_frame()["year"].tolist()
        [2024]
    """

    names: Mapping[str, str] = MappingProxyType({})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `truthhypo literature get`."""
        return {"articles": [plain(article_fields(article)) for article in self.values()]}

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per article; `concepts` has keys of concepts, `names` their names."""
        from pandas import DataFrame

        columns = ["pmid", "title", "abstract", "year", "journal", "retracted", "doi", "design", "organism"]
        columns += ["participants", "types", "mesh", "languages", "concepts"]
        whole = {"year": "Int64", "participants": "Int64"}  # may be missing
        table = DataFrame(self.to_dict()["articles"], columns=columns).astype(whole)
        table["names"] = [[self.names.get(key, key) for key in keys] for keys in table["concepts"]]
        return table

    def __repr__(self) -> str:
        lines = (f"PMID {pmid}  {article.text.title}" for pmid, article in self.items())
        return listed(f"Articles: {len(self):,}", lines)


class HitsOfTexts(tuple[Hits, ...]):
    """The hits for several texts, in the order of the texts."""

    __slots__ = ()

    def __repr__(self) -> str:
        lines = (", ".join(f"PMID {hit.pmid}" for hit in each.hits) or "no hits" for each in self)
        return listed(f"Hits for {counted(len(self), 'text')}", lines)


class LiteratureLookups:
    """Literature lookups; none of them writes.

    Args:
        opened: Function that returns the literature store, or raises an error if the store is closed.
        names: Function that returns the names of concepts by key, as far as they are known.

    Example:
        >>> hasattr(world.literature, "put")
        False
    """

    def __init__(self, opened: Callable[[], Literature], names: Callable[[Collection[str]], Mapping[str, str]]) -> None:
        self._opened, self._names = opened, names

    def __repr__(self) -> str:
        return "LiteratureLookups: search, search_many, get, retracted, every_pmid, info, releases"

    @property
    def address(self) -> str:
        """Address of the literature store."""
        return self._opened().address

    @checked_arguments
    def search(
        self,
        text: str,
        *,
        names: Sequence[Sequence[str]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Sequence[Design] = (),
        organism: Sequence[str] = (),
    ) -> Hits:
        """Return the k best articles by BM25; see `groundwork.ports.LiteratureReader.search`.

        Args:
            text: Plain text; it is not read as a query language.
            names: Further concepts to search for, each as a list of alternative names.
            k: Maximum number of articles, 1 to 10000.
            before: Use only articles with a PMID up to this one.
            min_score: Minimum BM25 score.
            exclude_retracted: Ignore retracted articles.
            design: Use only articles with one of these designs.
            organism: Use only articles on one of these organisms, each as NCBI taxon id or name.

        Example:
            >>> world.literature.search("aspirin infarction", k=2).to_frame()["pmid"].tolist()
            [990000005, 990000008]
        """
        dated(before)
        studies = StudyOptions(design=design, organism=organism).keywords()
        options: dict[str, Any] = {"k": k, "before": before, "min_score": min_score, **studies}
        return self._opened().search(text, names=names, exclude_retracted=exclude_retracted, **options)

    @checked_arguments
    def search_many(
        self,
        texts: Sequence[str],
        *,
        names: Sequence[Sequence[Sequence[str]]] = (),
        k: int = 32,
        before: int | None = None,
        min_score: float | None = None,
        exclude_retracted: bool = False,
        design: Sequence[Design] = (),
        organism: Sequence[str] = (),
    ) -> HitsOfTexts:
        """Return the result of `search` for each text, in order; on a server this needs fewer requests.

        Example:
            >>> [hits.hits[0].pmid for hits in world.literature.search_many(["aspirin infarction", "metformin"], k=1)]
            [990000005, 990000001]
        """
        dated(before)
        studies = StudyOptions(design=design, organism=organism).keywords()
        options: dict[str, Any] = {"k": k, "before": before, "min_score": min_score, **studies}
        found = self._opened().search_many(texts, names=names, exclude_retracted=exclude_retracted, **options)
        return HitsOfTexts(found)

    def get(self, pmids: int | Iterable[int]) -> Articles:
        """Return the articles by PMID. PMIDs that the literature does not contain are left out.

        Example:
            >>> world.literature.get(990000005)[990000005].text.year
            2024
        """
        asked = _pmids(pmids)
        held = self._opened().get(asked)
        articles = Articles((pmid, held[pmid]) for pmid in asked if pmid in held)
        articles.names = self._names({key for article in articles.values() for key in article.concepts})
        return articles

    def retracted(self, pmids: int | Iterable[int]) -> set[int]:
        """Return those of the given PMIDs whose articles are retracted.

        Example:
            >>> world.literature.retracted([990000005])
            set()
        """
        return self._opened().retracted(_pmids(pmids))

    def every_pmid(self) -> Iterator[int]:
        """Yield all PMIDs in ascending order, as a stream.

        Example:
            >>> next(world.literature.every_pmid())
            990000001
        """
        return self._opened().every_pmid()

    def info(self) -> IndexInfo:
        """Return the number of documents, the analyser, and the parameters k1 and b of BM25.

        Example:
            >>> world.literature.info().k1
            1.2
        """
        return self._opened().info()

    def releases(self) -> tuple[Release, ...]:
        """Return the releases that this literature has recorded.

        Example:
            >>> sorted({release.source for release in world.literature.releases()})
            ['documents', 'pubmed']
        """
        return self._opened().releases()


def _pmids(given: Any) -> list[int]:
    """Return PMIDs as a list of Python's integers."""
    many = isinstance(given, Iterable) and not isinstance(given, str)
    every: list[Any] = list(given) if many else [given]
    if wrong := [each for each in every if not isinstance(each, Integral)]:
        seen = f"the PMID {shown(wrong[0])}, which is of type {type(wrong[0]).__name__}"
        raise InputError(seen, "PMIDs as whole numbers", "give for instance get(11745184) or get([11745184, 9164811])")
    return [index(each) for each in every]
