"""Collect the knowledge that a model is given: chains from the graph, abstracts from the literature (paper A, 2.2)."""

from dataclasses import dataclass, replace

from groundwork.network import ArticleMask
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records import Abstract, Chain, Chains, Concept, Record
from truthhypo.hypotheses.tasks import Task
from truthhypo.lookups import named

#: Maximum number of chains shown to a model. Further chains are only counted.
CHAINS = 32


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A retrieved abstract: PMID, title and text, the BM25 score, and whether the article was retracted."""

    pmid: int
    title: str
    abstract: str
    score: float
    retracted: bool


@dataclass(frozen=True, slots=True)
class Context(Record):
    """The knowledge about a pair of concepts that a model is given.

    Attributes:
        head: Name of the first concept.
        tail: Name of the second concept.
        chains: Chains between the two concepts; None if the setting does not use the graph.
        passages: Abstracts about the two concepts; None if the setting does not use the literature.
        text: Chains and abstracts as the text that the model is shown.
    """

    head: str
    tail: str
    chains: Chains | None
    passages: tuple[Passage, ...] | None
    text: str


def gather(
    task: Task,
    names: GraphReader,
    graph: GraphReader | None,
    literature: LiteratureReader | None,
    before: int | None,
    hops: int,
    k: int,
    exclude_retracted: bool,
    without: ArticleMask | None = None,
) -> Context:
    """Collect the knowledge about a pair of concepts from the given stores.

    Args:
        task: The task with the pair of concepts.
        names: Store with the names of the two concepts. The names are part of the question in every setting.
        graph: Store of chains; None for no chains.
        literature: Store of abstracts; None for no abstracts.
        before: Use only knowledge with a PMID up to this one, in graph and literature.
        hops: Maximum number of edges in a chain.
        k: Maximum number of articles.
        exclude_retracted: Ignore retracted articles when abstracts are searched.
        without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
    """
    concepts = names.concepts([task.head, task.tail])
    head, tail = concepts[task.head], concepts[task.tail]
    chains = None
    if graph:
        chains = named(names, chains_between(graph, task, hops, before, without))
    query = f"{head.name} {tail.name}"
    passages = passages_on(literature, query, before, k, exclude_retracted) if literature else None
    return told(head.name, tail.name, names, chains, passages)


def chains_between(
    graph: GraphReader, task: Task, hops: int, before: int | None, without: ArticleMask | None
) -> Chains:
    """Return the best `CHAINS` chains between the concepts of a task, with all direct edges among them.

    An edge with few articles scores less than many longer chains. It would be left out of the context without this
    rule, and then the answer to a stated relation could be `no_relation`.
    """
    best = graph.chains(task.head, task.tail, hops=hops, before=before, limit=CHAINS, without=without)
    if not best.truncated:
        return best
    direct = graph.chains(task.head, task.tail, hops=1, before=before, limit=CHAINS, without=without).chains
    longer = [chain for chain in best.chains if len(chain.hops) > 1][: CHAINS - len(direct)]
    return replace(best, chains=tuple(sorted((*direct, *longer), key=lambda chain: -chain.score)))


def told(
    head: str, tail: str, names: GraphReader, chains: Chains | None, passages: tuple[Passage, ...] | None
) -> Context:
    """Return chains and abstracts as a context, with the text that a model is shown.

    Args:
        head: Name of the first concept.
        tail: Name of the second concept.
        names: Store with the names of the concepts on chains.
        chains: Chains between the concepts; None if the setting does not use the graph.
        passages: Abstracts about the concepts; None if the setting does not use the literature.
    """
    text = "\n\n".join(part for part in (_chains_text(chains, names), _passages_text(passages)) if part)
    return Context(head, tail, chains, passages, text)


def passages_on(
    literature: LiteratureReader, query: str, before: int | None, k: int, exclude_retracted: bool
) -> tuple[Passage, ...]:
    """Return the abstracts that a query finds, best first."""
    hits = literature.search(query, k=k, before=before, exclude_retracted=exclude_retracted).hits
    abstracts: dict[int, Abstract] = literature.get([hit.pmid for hit in hits])
    return tuple(
        Passage(hit.pmid, hit.title, abstracts[hit.pmid].text.abstract, hit.score, hit.retracted)
        for hit in hits
        if hit.pmid in abstracts
    )


def _chains_text(chains: Chains | None, names: GraphReader) -> str:
    if chains is None:
        return ""
    if not chains.chains:
        return "Knowledge graph: no chain between the two concepts."
    keys = {key for chain in chains.chains for hop in chain.hops for key in (hop.head, hop.tail)}
    known = names.concepts(keys)
    lines = [f"Knowledge graph: {len(chains.chains)} of {chains.total} chains between the two concepts, best first."]
    lines += [_chain_text(chain, known) for chain in chains.chains]
    return "\n".join(lines)


def _chain_text(chain: Chain, known: dict[str, Concept]) -> str:
    """Return a chain as text: `- metformin (Chemical) -treat- type 2 diabetes (Disease) [12 articles]`."""
    first = known[chain.hops[0].head]
    steps = [f"- {first.name} ({first.type})"]
    for hop in chain.hops:
        end = known[hop.tail]
        steps.append(f"-{hop.relation}- {end.name} ({end.type}) [{hop.articles} articles]")
    return " ".join(steps)


def _passages_text(passages: tuple[Passage, ...] | None) -> str:
    if passages is None:
        return ""
    if not passages:
        return "Literature: no abstract found."
    lines = [f"Literature: {len(passages)} abstracts, best first."]
    lines += [
        f"- PMID {p.pmid}{' (RETRACTED)' if p.retracted else ''}: {p.title} {p.abstract}".rstrip() for p in passages
    ]
    return "\n".join(lines)
