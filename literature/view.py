"""What a reader of an embedded index sees: one committed state of its tantivy segments."""

from collections.abc import Iterable, Iterator
from itertools import islice
from json import loads
from typing import Any

import tantivy
from tantivy import FieldType, Occur, Query

from literature import bm25, stored
from literature.store import Found
from literature.wording import Terms, Wording, factors

#: tantivy has these built in, and multiplies scores by K1 + 1.
K1 = 1.2
B = 0.75

#: PMIDs in one query; documents in one page.
CHUNK = 10_000
PAGE = 100_000

#: Hits drawn beyond the k wanted, so that a tie at rank k shows its end.
_SPARE = 16


class View:
    """One committed state; later commits do not change it.

    Args:
        index: An open tantivy index with the fields of `segments.schema`.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self.documents: int = self._searcher.num_docs

    def best(self, wording: Wording, k: int, before: int | None, exclude_retracted: bool) -> list[Found]:
        """At least the k best documents for a query, best first; more where ranks are tied.

        Args:
            wording: The query.
            k: How many are wanted.
            before: PMID cut.
            exclude_retracted: Leave retracted articles out.
        """
        if not wording or not self.documents:
            return []
        query = self._query(wording, before, exclude_retracted)
        limit = k + _SPARE
        while (found := self._drawn(query, k, limit)) is None:
            limit *= 4
        return found

    def title(self, address: tantivy.DocAddress) -> str:
        """The title of a document."""
        title: str = self._searcher.doc(address).get_first("title")
        return title

    def fields(self, address: tantivy.DocAddress) -> dict[str, Any]:
        """The stored fields of a document."""
        fields: dict[str, Any] = loads(self._searcher.doc(address).get_first("source"))
        return fields

    def addresses(self, pmids: Iterable[int]) -> Iterator[tantivy.DocAddress]:
        """Where the documents of those PMIDs are that there are."""
        for number, query in self._of(pmids):
            yield from (address for _, address in self._searcher.search(query, number, count=False).hits)

    def retracted(self, pmids: Iterable[int]) -> Iterator[int]:
        """Those of the PMIDs whose documents are retracted articles."""
        gone = Query.term_query(self._schema, "retracted", True)
        for number, query in self._of(pmids):
            both = Query.boolean_query([(Occur.Must, query), (Occur.Must, gone)])
            yield from self.pmids([address for _, address in self._searcher.search(both, number, count=False).hits])

    def pmids(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """The PMIDs of documents, in their order."""
        pmids: list[int] = self._searcher.fast_field_values("pmid", addresses)
        return pmids

    def pages(self) -> Iterator[list[tuple[int, tantivy.DocAddress]]]:
        """All documents as (PMID, address), ascending by PMID, a page at a time."""
        start = 0
        while self.documents:
            above = Query.range_query(self._schema, "pmid", FieldType.Unsigned, lower_bound=start)
            page = self._searcher.search(above, PAGE, count=False, order_by_field="pmid", order=tantivy.Order.Asc).hits
            yield page
            if len(page) < PAGE:
                return
            start = page[-1][0] + 1

    def _of(self, pmids: Iterable[int]) -> Iterator[tuple[int, Query]]:
        """Queries for the documents of PMIDs, with the number of PMIDs in each."""
        known = (pmid for pmid in pmids if 0 <= pmid <= stored.LARGEST_PMID)
        while chunk := list(islice(known, CHUNK)):
            yield len(chunk), Query.term_set_query(self._schema, "pmid", chunk)

    def _drawn(self, query: Query, k: int, limit: int) -> list[Found] | None:
        """The best `limit` documents of a query; None if rank k is not settled by them.

        It is settled when nothing was left out, or when the last one drawn scores less than rank k.
        """
        limit = min(limit, self.documents)
        hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        pmids = self.pmids(addresses)
        retracted = self._searcher.fast_field_values("retracted", addresses)
        found = [
            Found(score / (K1 + 1.0), pmid, gone, address)
            for (score, address), pmid, gone in zip(hits, pmids, retracted, strict=True)
        ]
        if len(hits) < limit or limit == self.documents:
            return found
        return found if found[k - 1].score * (1.0 - bm25.PRECISION) > found[-1].score else None

    def _query(self, wording: Wording, before: int | None, exclude_retracted: bool) -> Query:
        """The text's tokens, and of each thing the name that suits a document best, under the cut.

        What lies above the cut is forbidden, beside the tokens and not around them: asking for what lies below, as
        tantivy's filters do, costs a half more, since a filter of all documents but a few is walked in full.
        """
        parts = self._terms(wording.terms)
        for thing in wording.things:
            scaled = zip(thing, factors(thing, self._weight), strict=True)
            names = [Query.boost_query(self._union(name), factor) for name, factor in scaled if factor]
            parts += [(Occur.Should, Query.disjunction_max_query(names))] if names else []
        if before is not None and before < stored.LARGEST_PMID:
            above = Query.range_query(self._schema, "pmid", FieldType.Unsigned, lower_bound=max(0, before + 1))
            parts.append((Occur.MustNot, above))
        if exclude_retracted:
            parts.append((Occur.MustNot, Query.term_query(self._schema, "retracted", True)))
        return Query.boolean_query(parts)

    def _weight(self, term: str) -> float:
        """The idf of a term, 0 where no document holds it."""
        holding = self._searcher.doc_freq("tokens", term)
        return bm25.idf(self.documents, holding) if holding else 0.0

    def _union(self, terms: Terms) -> Query:
        return Query.boolean_query(self._terms(terms))

    def _terms(self, terms: Terms) -> list[tuple[Occur, Query]]:
        parts = []
        for term, times in sorted(terms.items()):
            part = Query.term_query(self._schema, "tokens", term, "freq")
            parts.append((Occur.Should, Query.boost_query(part, float(times)) if times > 1 else part))
        return parts
