"""The literature store on an Elasticsearch server.

The store is one index behind an alias (`generations`), analysed by the server's own `english` analyzer. BM25 in
Elasticsearch still has the factor k1 + 1, which Lucene's formula has dropped, so the server's scores are divided by
this factor. Searches fetch doc values and not the source, except for very long titles.

The server's percentiles are approximate. Counting the articles up to a PMID is exact and quick, so the PMID of a given
rank among the articles of a year is found by bisection. Each step of the bisection is one request, which counts the
articles of all years.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

from elasticsearch import Elasticsearch

from groundwork.lease import Waiting
from groundwork.ports import Progress
from groundwork.records import Abstract, IndexInfo, Release, Text
from groundwork.settings import Settings
from groundwork.study import Study, is_notice
from literature import analysis, bm25, generations, manifest, server, store, stored
from literature.analysis import Terms, Wording, factors
from literature.elastic_load import ElasticLoad, Lease
from literature.generations import Generation
from literature.store import Limits, Named, RankedHit, Store, rank

#: Number of years requested from Elasticsearch. It is larger than the number of years in any literature.
_YEARS = 10_000


class _YearArticles(NamedTuple):
    """The number of articles of a year, and their smallest and largest PMID."""

    articles: int
    first: int
    last: int


def _articles_by_year(client: Elasticsearch, index: str) -> dict[int, _YearArticles]:
    """Return the number and the PMID range of the articles of each year, years ascending."""
    extremes = {"first": {"min": {"field": "pmid"}}, "last": {"max": {"field": "pmid"}}}
    by_year = {"terms": {"field": "year", "size": _YEARS, "order": {"_key": "asc"}}, "aggs": extremes}
    buckets = _aggregated(client, index, by_year)
    return {
        each["key"]: _YearArticles(each["doc_count"], *(int(each[name]["value"]) for name in extremes))
        for each in buckets
    }


def _bisected(
    client: Elasticsearch, index: str, found: Mapping[int, _YearArticles], wanted: Mapping[int, int]
) -> dict[int, int]:
    """Return for each year the PMID of the article with rank `wanted[year]`, the smallest PMID having rank 1."""
    lowest = {year: held.first for year, held in found.items()}
    highest = {year: held.last for year, held in found.items()}
    while open_years := [year for year in found if lowest[year] < highest[year]]:
        middle = {year: (lowest[year] + highest[year]) // 2 for year in open_years}
        filters = {
            str(year): {"bool": {"filter": [{"term": {"year": year}}, {"range": {"pmid": {"lte": middle[year]}}}]}}
            for year in open_years
        }
        buckets = _aggregated(client, index, {"filters": {"filters": filters}})
        for year in open_years:
            if buckets[str(year)]["doc_count"] >= wanted[year]:
                highest[year] = middle[year]
            else:
                lowest[year] = middle[year] + 1
    return highest


def _aggregated(client: Elasticsearch, index: str, aggregation: Mapping[str, Any]) -> Any:
    """Return the buckets of an aggregation over all documents."""
    answer = client.search(
        index=index, size=0, aggs={"found": aggregation}, allow_partial_search_results=False, track_total_hits=False
    )
    return server.whole(answer)["aggregations"]["found"]["buckets"]


#: Number of PMIDs in one request for documents, and number of documents in one page.
_CHUNK = 1_000
_PAGE = 10_000

#: Seconds for which the live index is assumed to be unchanged when the notices are asked for.
_TRUSTED = 1.0

#: Largest number of searches in one request. All searches of a request together ask for at most `_PAGE` hits.
_SEARCHES = 64


class ElasticLiterature(Store):
    """A literature index on an Elasticsearch server.

    Args:
        address: `http://host:9200` or `https://host:9200`.
        settings: The index (an alias), user, password, time limit, k1 and b.
        read_only: Refuse every write.
    """

    def __init__(self, address: str, settings: Settings, *, read_only: bool = False) -> None:
        super().__init__(server.bare(address), read_only=read_only)
        self._settings = settings
        self._alias = settings.literature_index
        self._client = server.client(address, settings)
        self._known: Generation | None = None
        self._seen = "", float("-inf")

    def get(self, pmids: Iterable[int]) -> dict[int, Abstract]:
        """See `LiteratureReader.get`."""
        with self._explained():
            return {fields["pmid"]: stored.abstract(fields) for fields in self._fields(pmids)}

    def retracted(self, pmids: Iterable[int]) -> set[int]:
        """See `LiteratureReader.retracted`."""
        known = (pmid for pmid in pmids if 0 <= pmid <= stored.LARGEST_PMID)
        found: set[int] = set()
        while chunk := list(islice(known, _PAGE)):
            query = {"bool": {"filter": [{"terms": {"pmid": chunk}}, {"term": {"retracted": True}}]}}
            with self._explained():
                found.update(hit["sort"][0] for hit in self._hits(_asked(query, [{"pmid": "asc"}], len(chunk))))
        return found

    def by_doi(self, dois: Collection[str]) -> dict[str, int]:
        """See `LiteratureReader.by_doi`."""
        found: dict[str, int] = {}
        known = iter({*dois} - {""})
        while chunk := list(islice(known, _PAGE // 4)):
            with self._explained():
                hits = self._hits(_asked({"terms": {"doi": chunk}}, [{"pmid": "asc"}], _PAGE, ["doi"]))
            for hit in hits:
                found.setdefault(hit["fields"]["doi"][0], hit["sort"][0])
        return found

    def every_pmid(self) -> Iterator[int]:
        """See `LiteratureReader.every_pmid`. Each page comes from the index that is live when the page is read."""
        return (hit["sort"][0] for hit in self._every({"match_all": {}}))

    def pmid_by_year(self, share: float = 0.95) -> dict[int, int]:
        """See `LiteratureReader.pmid_by_year`. The PMIDs are found by bisection, with one request per step."""
        store.check_share(share)
        with self._explained():
            generation = self._generation(None)
            found = _articles_by_year(self._client, generation.name) if generation else {}
            wanted = {year: rank(share, held.articles) for year, held in found.items()}
            return _bisected(self._client, generation.name, found, wanted) if generation else {}

    def info(self) -> IndexInfo:
        """See `LiteratureReader.info`."""
        with self._explained():
            generation = self._generation(None)
        return generation.info if generation else self._empty()

    def releases(self) -> tuple[Release, ...]:
        """See `LiteratureReader.releases`."""
        with self._explained():
            generation = self._generation(None)
        return manifest.in_order(generation.releases.values()) if generation else ()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _best(self, wording: Wording, k: int, limits: Limits) -> tuple[Sequence[RankedHit], IndexInfo]:
        return self._read(self._hits(_search(_query(wording, self._weights([wording]), limits), k)))

    def _best_many(
        self, wordings: Sequence[Wording], k: int, limits: Limits
    ) -> Iterator[tuple[Sequence[RankedHit], IndexInfo]]:
        """Send one request for many queries, so that the server runs them in parallel."""
        if len(wordings) == 1:
            yield self._best(wordings[0], k, limits)
            return
        waiting = iter(wordings)
        while chunk := list(islice(waiting, max(1, min(_SEARCHES, _PAGE // k)))):
            weights = self._weights(chunk)
            searches = [_search(_query(wording, weights, limits), k) for wording in chunk]
            yield from map(self._read, self._many_hits(searches))

    def _naming(self, wording: Wording, k: int, limits: Limits, among: frozenset[int]) -> Named:
        asked = {"terms": {"pmid": [pmid for pmid in among if 0 <= pmid <= stored.LARGEST_PMID]}}
        named = {"bool": {"filter": [{"bool": {"should": [*map(_every_token, thing)]}} for thing in wording.things]}}
        known = frozenset(hit["sort"][0] for hit in self._every(_limited([named, asked], limits)))
        others = _limited([named, {"bool": {"must_not": asked}}], limits)
        hits = self._hits(_search({"bool": {"filter": others, "should": {"match": {"text": wording.text}}}}, k))
        left = len(hits) if len(hits) < k else generations.count(self._client, self._alias, others)
        return Named(len(known) + left, known, self._read(hits)[0])

    def _read(self, hits: Sequence[Any]) -> tuple[Sequence[RankedHit], IndexInfo]:
        """Return the documents and the index information from the server's hits for one query."""
        generation = self._generation(hits[0]["_index"] if hits else None)
        if not generation:
            return (), self._empty()
        factor = generation.info.k1 + 1.0
        return [_ranked(hit, factor) for hit in hits], generation.info

    def _titles(self, found: Sequence[RankedHit]) -> Mapping[int, str]:
        """Return the titles of hits. Titles that are too long for a doc value are fetched from the source."""
        shown = {hit.pmid: hit.place["fields"] for hit in found}
        titles = {pmid: fields["title"][0] for pmid, fields in shown.items() if "title" in fields}
        long = [pmid for pmid in shown if pmid not in titles]
        return titles | {fields["pmid"]: fields["title"] for fields in self._fields(long)}

    def _commit(self) -> str:
        """Return the id of the live index. Another process may have loaded another one within the last second."""
        known, asked = self._seen
        if monotonic() - asked > _TRUSTED:
            live = self._generation(None)
            known = live.uuid if live else ""
            self._seen = known, monotonic()
        return known

    def _notices(self) -> Iterable[int]:
        """Yield the notices. For documents that an earlier version indexed, publication types and title decide."""
        unknown = {"bool": {"must_not": {"exists": {"field": "uncounted"}}}}
        wanted = {"bool": {"should": [{"term": {"uncounted": True}}, unknown]}}
        for hit in self._every(wanted, ["uncounted", "notice", "title"]):
            shown = {name: values[0] for name, values in hit.get("fields", {}).items()}
            told = Text(shown.get("title", ""), "", notice=shown.get("notice"))
            if shown.get("uncounted") or is_notice(told):
                yield hit["sort"][0]

    def _retractions(self) -> Iterable[int]:
        return (hit["sort"][0] for hit in self._every({"term": {"retracted": True}}))

    def _every(self, query: Mapping[str, Any], shown: Sequence[str] = ()) -> Iterator[Any]:
        """Yield the hits of a query without scores, by ascending PMID, one page after the other."""
        last = -1
        while True:
            after = {"bool": {"filter": [query, {"range": {"pmid": {"gt": last}}}]}}
            with self._explained():
                page = self._hits(_asked(after, [{"pmid": "asc"}], _PAGE, shown))
            yield from page
            if len(page) < _PAGE:
                return
            last = page[-1]["sort"][0]

    @contextmanager
    def _loading(self, resume: Collection[str], fresh: bool, progress: Progress | None) -> Iterator[ElasticLoad]:
        self._settings.home.mkdir(parents=True, exist_ok=True)
        waiting = Waiting(f"Elasticsearch at {self.address}", progress)
        lease = Lease(self._client, f"{self._alias}-lease", self.address)
        with ExitStack() as block:
            with self._explained():
                block.enter_context(lease.held(progress))
                block.callback(setattr, self, "_seen", ("", float("-inf")))  # this process changes the live index
                load = ElasticLoad(self._client, self.address, self._settings, lease, waiting, resume, fresh)
            block.callback(load.close)
            yield load

    def _generation(self, name: str | None) -> Generation | None:
        """Return the generation with this name, or the live generation if the name is None.

        A generation that is requested by name is cached, because its documents and its scoring do not change.
        """
        known = self._known
        if known is None or known.name != name:
            known = self._known = generations.live(self._client, name or self._alias)
        return known

    def _hits(self, search: Mapping[str, Any]) -> list[Any]:
        """Return the hits of a search; none if there is no index."""
        hits: list[Any] = []
        with server.if_there():
            answer = self._client.search(index=self._alias, allow_partial_search_results=False, **search)
            hits += server.whole(answer)["hits"]["hits"]
        return hits

    def _many_hits(self, searches: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
        """Yield the hits of each search; all searches go in one request."""
        header = {"index": self._alias, "allow_partial_search_results": False}
        answer = self._client.msearch(searches=[part for search in searches for part in (header, search)])
        for each in answer["responses"]:
            hits: list[Any] = []
            with server.if_there():
                hits = server.whole(answer, each)["hits"]["hits"]
            yield hits

    def _fields(self, pmids: Iterable[int]) -> Iterator[dict[str, Any]]:
        """Yield the stored fields of those PMIDs that the index holds."""
        wanted = iter(pmids)
        while chunk := [str(pmid) for pmid in islice(wanted, _CHUNK)]:
            documents: list[Mapping[str, Any]] = []
            with server.if_there():
                answer = self._client.mget(index=self._alias, ids=chunk, realtime=False)
                documents = [server.whole(answer, each) for each in answer["docs"]]
            yield from (each["_source"] for each in documents if each["found"])

    def _weights(self, wordings: Iterable[Wording]) -> dict[str, float]:
        """Return the idf of each token that `Wording.rare` returns for the queries, if a document holds the token."""
        wanted = {token for wording in wordings for token in wording.rare()}
        if not wanted:
            return {}
        vectors: Mapping[str, Any] = {}
        with server.if_there():
            answer = self._client.termvectors(
                index=self._alias,
                doc={"text": " ".join(sorted(wanted))},
                per_field_analyzer={"text": "whitespace"},
                fields=["text"],
                term_statistics=True,
                positions=False,
                offsets=False,
            )
            vectors = answer["term_vectors"]
        found = vectors.get("text", {"field_statistics": {"doc_count": 0}, "terms": {}})
        held = found["field_statistics"]["doc_count"]
        holding = {token: term.get("doc_freq", 0) for token, term in found["terms"].items()}
        return {token: bm25.idf(held, count) for token, count in holding.items() if count}

    def _empty(self) -> IndexInfo:
        return IndexInfo(0, analysis.NAME, self._settings.k1, self._settings.b)

    def _explained(self) -> AbstractContextManager[None]:
        easier = "" if self._under_way else "ask for fewer hits or a shorter text"
        return server.explained(self.address, self._settings.literature_timeout, easier)


def _query(wording: Wording, weights: Mapping[str, float], limits: Limits) -> dict[str, Any]:
    text = {"match": {"text": wording.text}}
    things = (_thing(thing, weights) for thing in wording.things)
    return _limited([{"bool": {"should": [text, *things]}} if wording.things else text], limits)


def _limited(queries: Sequence[Mapping[str, Any]], limits: Limits) -> dict[str, Any]:
    """Return a query for the documents that several queries find, within the limits. Limits do not change scores."""
    query: dict[str, Any] = {"must": queries}
    wanted: list[dict[str, Any]] = []
    if limits.before is not None:
        wanted.append({"range": {"pmid": {"lte": min(limits.before, stored.LARGEST_PMID)}}})
    for name, values in (("design", limits.designs), ("taxon", limits.taxa)):
        if values:
            wanted.append({"terms": {name: sorted(values)}})
    if wanted:
        query["filter"] = wanted
    if limits.exclude_retracted:
        query["must_not"] = {"term": {"retracted": True}}
    return {"bool": query}


def _every_token(name: Terms) -> dict[str, Any]:
    """Return a query for the documents that hold all tokens of a name."""
    return {"bool": {"filter": [{"term": {"text": token}} for token in name]}}


def _ranked(hit: Any, factor: float) -> RankedHit:
    """Return a document found. In an index of an earlier version, its design and organism are not known."""
    shown = {name: values[0] for name, values in hit["fields"].items()}
    study = Study(shown.get("design"), shown.get("taxon", ""))
    return RankedHit(hit["sort"][0] / factor, hit["sort"][1], shown["retracted"], study, hit)


def _search(query: Mapping[str, Any], k: int) -> dict[str, Any]:
    """Return the search request for the k best documents of a query, with the fields that a hit shows."""
    return _asked(query, [{"_score": "desc"}, {"pmid": "asc"}], k, ["title", "retracted", "design", "taxon"])


def _asked(
    query: Mapping[str, Any], sort: list[dict[str, str]], size: int, shown: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a search request. The PMID is the last sort value; only doc values are fetched, no stored fields."""
    return {
        "query": query,
        "sort": sort,
        "size": size,
        "docvalue_fields": [{"field": name} for name in shown],
        "stored_fields": "_none_",
        "track_total_hits": False,
    }


def _thing(thing: Sequence[Terms], weights: Mapping[str, float]) -> dict[str, Any]:
    """Return a query for one thing (usually a concept), given the tokens of its alternative names.

    The query scores a document by the name that matches the document best.
    """
    scaled = zip(thing, factors(thing, lambda token: weights.get(token, 0.0)), strict=True)
    names = [
        {"match": {"text": {"query": " ".join(Counter(name).elements()), "analyzer": "whitespace", "boost": factor}}}
        for name, factor in scaled
        if factor
    ]
    return {"dis_max": {"queries": names}} if names else {"match_none": {}}
