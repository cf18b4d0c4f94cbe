"""What a reader of an embedded index sees: one committed state of its tantivy segments."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
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

#: From this share of documents under the cut on, drawing from all of them and passing over those above the cut is
#: quicker than tantivy's filter, which turns its skipping of weak documents off.
_LARGE = 0.5


class View:
    """One committed state; later commits do not change it.

    Args:
        index: An open tantivy index with the fields of `segments.schema`.
    """

    def __init__(self, index: tantivy.Index) -> None:
        self._schema = index.schema
        self._searcher = index.searcher()
        self.documents: int = self._searcher.num_docs
        self._share = lru_cache(maxsize=64)(self._count_share)

    def best(self, wording: Wording, k: int, before: int | None, exclude_retracted: bool) -> list[Found]:
        """At least the k best documents for a query, best first; more where ranks are tied.

        Args:
            wording: The query.
            k: How many are wanted.
            before: PMID cut.
            exclude_retracted: Leave retracted articles out.
        """
        share = 1.0 if before is None else self._share(before)
        if not wording or not self.documents or share == 0.0:
            return []
        union = self._query(wording)
        if share >= _LARGE:
            found = self._drawn(union, k, int(k / share) + _SPARE, before, exclude_retracted)
            if found is not None:
                return found
        query = self._filtered(union, before if share < 1.0 else None, exclude_retracted)
        limit = k + _SPARE
        while (found := self._drawn(query, k, limit, before, exclude_retracted)) is None:
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
        known = (pmid for pmid in pmids if 0 <= pmid <= stored.LARGEST_PMID)
        while chunk := list(islice(known, CHUNK)):
            query = Query.term_set_query(self._schema, "pmid", chunk)
            yield from (address for _, address in self._searcher.search(query, len(chunk), count=False).hits)

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

    def _drawn(
        self, query: Query, k: int, limit: int, before: int | None, exclude_retracted: bool
    ) -> list[Found] | None:
        """The documents among the best `limit` of a query that may be shown; None if rank k is not settled by them.

        It is settled when nothing was left out, or when the last one drawn scores less than rank k.
        """
        limit = min(limit, self.documents)
        hits = self._searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        pmids = self.pmids(addresses)
        retracted = self._searcher.fast_field_values("retracted", addresses)
        kept = [
            Found(score / (K1 + 1.0), pmid, gone, address)
            for (score, address), pmid, gone in zip(hits, pmids, retracted, strict=True)
            if (before is None or pmid <= before) and not (exclude_retracted and gone)
        ]
        if len(hits) < limit or limit == self.documents:
            return kept
        last = hits[-1][0] / (K1 + 1.0)
        return kept if len(kept) >= k and kept[k - 1].score * (1.0 - bm25.PRECISION) > last else None

    def _query(self, wording: Wording) -> Query:
        """The text's tokens, and of each thing the name that suits a document best."""
        if not wording.things:
            return self._union(wording.terms)
        parts = [(Occur.Should, self._union(wording.terms))] if wording.terms else []
        for thing in wording.things:
            scaled = zip(thing, factors(thing, self._weight), strict=True)
            names = [Query.boost_query(self._union(name), factor) for name, factor in scaled if factor]
            parts += [(Occur.Should, Query.disjunction_max_query(names))] if names else []
        return Query.boolean_query(parts)

    def _weight(self, term: str) -> float:
        """The idf of a term, 0 where no document holds it."""
        holding = self._searcher.doc_freq("tokens", term)
        return bm25.idf(self.documents, holding) if holding else 0.0

    def _union(self, terms: Terms) -> Query:
        parts = []
        for term, times in sorted(terms.items()):
            part = Query.term_query(self._schema, "tokens", term, "freq")
            parts.append((Occur.Should, Query.boost_query(part, float(times)) if times > 1 else part))
        return Query.boolean_query(parts)

    def _filtered(self, union: Query, before: int | None, exclude_retracted: bool) -> Query:
        """The query with the cut and the retractions inside it, which leave its scores alone."""
        parts = [(Occur.Must, union)]
        if before is not None:
            parts.append((Occur.Must, Query.const_score_query(self._below(before), 0.0)))
        if exclude_retracted:
            parts.append((Occur.MustNot, Query.term_query(self._schema, "retracted", True)))
        return Query.boolean_query(parts)

    def _below(self, before: int) -> Query:
        return Query.range_query(self._schema, "pmid", FieldType.Unsigned, upper_bound=min(before, stored.LARGEST_PMID))

    def _count_share(self, before: int) -> float:
        """The share of the documents that lie under a cut."""
        if not self.documents or before < 0:
            return 0.0
        counted: int = self._searcher.search(self._below(before), 1, count=True).count
        return counted / self.documents
