"""Ranks of PMIDs among the articles of each year, on an Elasticsearch server.

The server's percentiles are approximate. Counting the articles up to a PMID is exact and quick, so the PMID of a given
rank is found by bisection. Each step of the bisection is one request, which counts the articles of all years.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from elasticsearch import Elasticsearch

from literature import server

#: Number of years requested from Elasticsearch. It is larger than the number of years in any literature.
_YEARS = 10_000


class YearArticles(NamedTuple):
    """The number of articles of a year, and their smallest and largest PMID."""

    articles: int
    first: int
    last: int


def counts(client: Elasticsearch, index: str) -> dict[int, YearArticles]:
    """Return the number and the PMID range of the articles of each year, years ascending."""
    extremes = {"first": {"min": {"field": "pmid"}}, "last": {"max": {"field": "pmid"}}}
    by_year = {"terms": {"field": "year", "size": _YEARS, "order": {"_key": "asc"}}, "aggs": extremes}
    buckets = _aggregated(client, index, by_year)
    return {
        each["key"]: YearArticles(each["doc_count"], *(int(each[name]["value"]) for name in extremes))
        for each in buckets
    }


def bisected(
    client: Elasticsearch, index: str, found: Mapping[int, YearArticles], wanted: Mapping[int, int]
) -> dict[int, int]:
    """Return for each year the PMID of the article with rank `wanted[year]`, the smallest PMID having rank 1.

    Args:
        client: The client of the server.
        index: The index to search.
        found: The result of `counts`.
        wanted: For each year, a rank from 1 to the number of its articles.
    """
    lowest = {year: held.first for year, held in found.items()}
    highest = {year: held.last for year, held in found.items()}
    while open_years := [year for year in found if lowest[year] < highest[year]]:
        middle = {year: (lowest[year] + highest[year]) // 2 for year in open_years}
        filters = {str(year): {"bool": {"filter": _up_to(year, middle[year])}} for year in open_years}
        buckets = _aggregated(client, index, {"filters": {"filters": filters}})
        for year in open_years:
            if buckets[str(year)]["doc_count"] >= wanted[year]:
                highest[year] = middle[year]
            else:
                lowest[year] = middle[year] + 1
    return highest


def _up_to(year: int, pmid: int) -> list[dict[str, Any]]:
    return [{"term": {"year": year}}, {"range": {"pmid": {"lte": pmid}}}]


def _aggregated(client: Elasticsearch, index: str, aggregation: Mapping[str, Any]) -> Any:
    """Return the buckets of an aggregation over all documents."""
    answer = client.search(
        index=index, size=0, aggs={"found": aggregation}, allow_partial_search_results=False, track_total_hits=False
    )
    return server.whole(answer)["aggregations"]["found"]["buckets"]
