"""Retrievers that return graph chains, graph edges and abstracts as LangChain documents, best first."""

import re
from abc import abstractmethod
from itertools import combinations, islice

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from groundwork.linking import Linker
from groundwork.ports import GraphReader
from groundwork.records import Rank
from groundwork.vocabulary import TYPES
from truthhypo.faces.langchain.documents import chain_documents, edge_documents, hit_documents
from truthhypo.world import World

#: A key in a text, e.g. `Chemical|MESH:D008687`.
_KEY = re.compile(rf"\b(?:{'|'.join(sorted(TYPES))})\|[^\s,;]*[^\s,;.?!)]")

#: Maximum number of pairs of concepts between which chains are searched. Four concepts have six pairs.
_PAIRS = 6


class _Retriever(BaseRetriever):
    """The base class of the retrievers: the stores, the common limits, and the method that LangChain calls."""

    world: World
    k: int = Field(default=8, ge=1)
    before: int | None = None

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - part of LangChain's signature
        k: int | None = None,
    ) -> list[Document]:
        return self._found(query, k or self.k)

    @abstractmethod
    def _found(self, query: str, k: int) -> list[Document]:
        """Return at most k documents, best first."""


class ChainRetriever(_Retriever):
    """Retrieves chains of the graph between the concepts named in a query, highest score first.

    If a query names fewer than two concepts, by name or key, no documents are returned.

    Attributes:
        world: The stores.
        k: Maximum number of documents; `invoke(query, k=...)` overrides it.
        hops: Maximum length of a chain, 1 to 4.
        before: Use only evidence with a PMID up to this one.
        rank: Order of the chains: evidence, dwpc or hops.
    """

    hops: int = Field(default=2, ge=1, le=4)
    rank: Rank = "evidence"

    def _found(self, query: str, k: int) -> list[Document]:
        graph = self.world.graph_store
        found = [
            chain
            for head, tail in islice(combinations(_concepts(graph, query), 2), _PAIRS)
            for chain in graph.chains(head, tail, hops=self.hops, before=self.before, limit=k, rank=self.rank).chains
        ]
        found.sort(key=lambda chain: -chain.score)  # stable: equal scores keep the order of the pairs and of the store
        return chain_documents(graph, found[:k])


class EdgeRetriever(_Retriever):
    """Retrieves relation edges of the graph among the concepts named in a query, highest belief first.

    Attributes:
        world: The stores.
        k: Maximum number of documents; `invoke(query, k=...)` overrides it.
        before: Use only evidence with a PMID up to this one.
    """

    def _found(self, query: str, k: int) -> list[Document]:
        graph = self.world.graph_store
        return edge_documents(graph, graph.edges(_concepts(graph, query), before=self.before)[:k])


class LiteratureRetriever(_Retriever):
    """Retrieves abstracts, highest BM25 score first.

    Attributes:
        world: The stores.
        k: Maximum number of documents, 1 to 10000; `invoke(query, k=...)` overrides it.
        before: Use only articles with a PMID up to this one.
        min_score: Omit hits with a score below this value.
        exclude_retracted: Ignore retracted articles; otherwise `retracted` in the metadata marks them.
    """

    min_score: float | None = None
    exclude_retracted: bool = False

    def _found(self, query: str, k: int) -> list[Document]:
        store = self.world.literature
        hits = store.search(
            query,
            k=k,
            before=self.before,
            min_score=self.min_score,
            exclude_retracted=self.exclude_retracted,
        ).hits
        return hit_documents(hits, store.get(hit.pmid for hit in hits))


def _concepts(graph: GraphReader, query: str) -> list[str]:
    """Return the concepts in a query as keys, without duplicates: first those written as a key, then those named."""
    keys = _KEY.findall(query)
    held = graph.concepts(keys) if keys else {}
    named = [mention.key for mention in Linker(graph).mentions(_KEY.sub(" ", query)) if mention.key]
    return list(dict.fromkeys([*(key for key in keys if key in held), *named]))
