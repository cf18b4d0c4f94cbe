"""Convert records to LangChain documents with readable text, the record as metadata, and a stable id."""

from collections.abc import Iterable, Iterator, Mapping

from langchain_core.documents import Document

from groundwork.ports import GraphReader
from groundwork.records import Abstract, Chain, Concept, Hit, Hop
from groundwork.records.base import counted


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
        parts = parts or [_named(hop.head, names)]
        said = f"{counted(hop.articles, 'article')}, belief {hop.belief:.3f}"
        parts += [f"-{hop.relation} ({said})-", _named(hop.tail, names)]
    return " ".join(parts)


def _named(key: str, names: Mapping[str, Concept]) -> str:
    return f"{names[key].name} ({key})" if key in names else key


def _steps(hops: Iterable[Hop]) -> Iterator[str]:
    """Yield the keys and relations along a chain in turn. Together they identify the chain."""
    for place, hop in enumerate(hops):
        yield from (hop.relation, hop.tail) if place else (hop.head, hop.relation, hop.tail)


def _ends(hops: Iterable[Hop]) -> set[str]:
    return {key for hop in hops for key in (hop.head, hop.tail)}
