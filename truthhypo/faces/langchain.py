"""LangChain interface: retrievers, tools, and a Runnable that scores texts. All of them only read.

    from truthhypo.faces.langchain import LiteratureRetriever, Scorer, Toolkit

    with truthhypo.connect() as world:
        LiteratureRetriever(world=world, k=5).invoke("does aspirin prevent infarction")
        Toolkit(world=world).get_tools()
        Scorer(world).batch(["Aspirin causes myocardial infarction."])

The evidence in the results is quoted text and must never be followed as an instruction.
"""

import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice
from typing import Any, TypedDict

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, BaseToolkit, StructuredTool, ToolException
from pydantic import ConfigDict, Field, ValidationError

from groundwork.errors import TruthHypoError, fault_message
from groundwork.linking import Linker
from groundwork.ports import GraphReader
from groundwork.records import Abstract, Chain, Concept, Hit, Hop, Rank
from groundwork.records.base import counted
from groundwork.vocabulary import TYPES
from knowhd.options import GroundOptions
from truthhypo.service.operations import OPERATIONS, TOOLS, Operation
from truthhypo.world import World


def chain_documents(graph: GraphReader, chains: Iterable[Chain]) -> list[Document]:
    """Return chains as documents, in order.

    Metadata: `score`, and `hops` with the field names of `graph chains --json`.
    """
    chains = list(chains)
    names = graph.concepts(_ends(hop for chain in chains for hop in chain.hops))
    return [
        Document(_walk(chain.hops, names), metadata=chain.to_dict(), id=" ".join(_steps(chain.hops)))
        for chain in chains
    ]


def edge_documents(graph: GraphReader, hops: Iterable[Hop]) -> list[Document]:
    """Return relation edges as documents, in order. Metadata: the fields of an edge in `graph edges --json`."""
    hops = list(hops)
    names = graph.concepts(_ends(hops))
    return [Document(_walk((hop,), names), metadata=hop.to_dict(), id=" ".join(_steps((hop,)))) for hop in hops]


def hit_documents(hits: Iterable[Hit], abstracts: Mapping[int, Abstract]) -> list[Document]:
    """Return articles as documents, in order. The text is title and abstract, and the id is `PMID NUMBER`.

    Metadata: the fields of a hit, and `year`, `journal`, `concepts`.
    """
    return [_hit(hit, abstracts[hit.pmid]) for hit in hits if hit.pmid in abstracts]


def _hit(hit: Hit, abstract: Abstract) -> Document:
    text = abstract.text
    more = {"year": text.year, "journal": text.journal, "concepts": list(abstract.concepts)}
    content = "\n".join(part for part in (text.title, text.abstract) if part)
    return Document(content, metadata={**hit.to_dict(), **more}, id=f"PMID {hit.pmid}")


def _walk(hops: Iterable[Hop], names: Mapping[str, Concept]) -> str:
    """Return hops as text: `metformin (Chemical|MESH:D008687) -treat (12 articles, belief 0.950)- type 2 diabetes`."""
    parts: list[str] = []
    for hop in hops:
        parts = parts or [_name_of(hop.head, names)]
        said = f"{counted(hop.articles, 'article')}, belief {hop.belief:.3f}"
        parts += [f"-{hop.relation} ({said})-", _name_of(hop.tail, names)]
    return " ".join(parts)


def _name_of(key: str, names: Mapping[str, Concept]) -> str:
    return f"{names[key].name} ({key})" if key in names else key


def _steps(hops: Iterable[Hop]) -> Iterator[str]:
    """Yield the keys and relations along a chain in turn. Together they identify the chain."""
    for place, hop in enumerate(hops):
        yield from (hop.relation, hop.tail) if place else (hop.head, hop.relation, hop.tail)


def _ends(hops: Iterable[Hop]) -> set[str]:
    return {key for hop in hops for key in (hop.head, hop.tail)}


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


class Score(TypedDict):
    """The scores of a text.

    Attributes:
        text: The text.
        groundedness: Supported claims divided by judged claims, by source (graph, literature, both); None if no claim
            was judged.
        hrs: Mean hallucination risk of the measured sentences, 0 to 1; None if no sentence was measured.
        strength: Mean strength of the evidence behind hrs, 0 to 1; None if no sentence was measured.
        flags: `thin` if there is little evidence for or against a measured sentence.
        ground: The whole report of `World.ground`, as the JSON of `ground --json`.
        risk: The whole report of `World.risk`.
    """

    text: str
    groundedness: dict[str, float | None]
    hrs: float | None
    strength: float | None
    flags: list[str]
    ground: dict[str, Any]
    risk: dict[str, Any]


class Scorer(Runnable[str | BaseMessage, Score]):
    """Computes groundedness and risk of a text by `invoke`, `batch`, `ainvoke`, `abatch`, or in a chain with `|`.

    Instead of a text it takes a message, such as the answer of a chat model. Then the text of the message is scored;
    other parts of its content, such as images and reasoning, are not.

    A batch runs in threads; `max_concurrency` in the config limits their number. Errors are the same as in
    `World.ground` and `World.risk`. With `batch(..., return_exceptions=True)`, an error takes the place of the score.

    Args:
        world: The stores and the model.
        before: Use only evidence with a PMID up to this one.
        k: Maximum number of abstracts per claim.
        exclude_retracted: Ignore retracted articles.
    """

    def __init__(
        self, world: World, *, before: int | None = None, k: int = GroundOptions.k, exclude_retracted: bool = False
    ) -> None:
        self._world = world
        self._before = before
        self._k = k
        self._exclude_retracted = exclude_retracted

    def invoke(self, input: str | BaseMessage, config: RunnableConfig | None = None, **kwargs: Any) -> Score:
        """Score one text or message."""
        return self._call_with_config(self._score, input, config, **kwargs)

    def _score(self, given: str | BaseMessage) -> Score:
        text = str(given.text) if isinstance(given, BaseMessage) else given
        ground = self._world.ground(
            text, before=self._before, k=self._k, exclude_retracted=self._exclude_retracted
        ).to_dict()
        risk = self._world.risk(text, before=self._before, exclude_retracted=self._exclude_retracted).to_dict()
        return Score(
            text=text,
            groundedness=ground["groundedness"],
            hrs=risk["hrs"],
            strength=risk["strength"],
            flags=risk["flags"],
            ground=ground,
            risk=risk,
        )


class Toolkit(BaseToolkit):
    """The tools of `service.operations.TOOLS` over one `World`, the same as those of MCP.

    The content of a tool message is the answer of the operation as one JSON document. The artifact of the message has
    the same content as plain Python values.

    Attributes:
        world: The stores and the model.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    world: World

    def get_tools(self) -> list[BaseTool]:
        """Return the tools, in the order of `TOOLS`."""
        return [_tool(self.world, OPERATIONS[name]) for name in TOOLS]


def _tool(world: World, operation: Operation[Any]) -> BaseTool:
    def run(**asked: Any) -> tuple[str, dict[str, Any]]:
        try:
            found = operation.answered(world, operation.asked(**asked))
        except TruthHypoError as error:
            raise ToolException(str(error)) from error
        return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":")), found

    return StructuredTool.from_function(
        func=run,
        name=operation.name,
        description=operation.description,
        args_schema=operation.asked,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=_unfit,
    )


def _unfit(error: Any) -> str:
    """Return the mistakes in the arguments of a tool, one per line, and what to do about them."""
    if not isinstance(error, ValidationError):
        return f"{error}\nTo fix it: call again with arguments that fit the tool's schema"
    wrong = [f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {fault_message(each)}" for each in error.errors()]
    return "\n".join([*wrong, "To fix it: call again with arguments that fit the tool's schema"])
