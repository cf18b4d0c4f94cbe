"""The pieces of evidence that verdicts cite: edges, chains of edges, and sentences of articles. Each has an id."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from groundwork.linking import Mention
from groundwork.polarity import Sign, path_sign
from groundwork.records import Chain, Hop, Record
from groundwork.vocabulary import canonical

Kind = Literal["graph", "literature", "chains"]
KINDS: tuple[Kind, ...] = ("graph", "literature", "chains")
#: How a piece of evidence bears on a claim: it supports or contradicts the claim, or it only names both or one of the
#: claim's two ends (concepts).
Bearing = Literal["supports", "contradicts", "about_both", "about_one"]

#: Maximum number of PMIDs shown on an edge, newest first. All of them are counted.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Edge(Record):
    """A relation edge between two concepts of the claim.

    Attributes:
        id: `edge:HEAD RELATION TAIL`.
        head: Key of the first concept in canonical order.
        relation: Name of the relation in lower case.
        tail: Key of the second concept.
        pmids: The newest articles that report the edge, newest first.
        articles: Number of articles that report the edge, up to the PMID limit of the judgement.
        belief: Belief in the edge, in [0, 1]: 1 - (syst + rand^articles) with the settings syst and rand.
        retracted: Articles of the edge that the literature store knows as retracted, newest first.
        every: All articles of the edge, for counting.
        stance: How the edge bears on the judged claim; None if the judge does not say.
        probability: Probability of that stance, in [0, 1]; None if the judge gives none.
    """

    id: str
    head: str
    relation: str
    tail: str
    pmids: tuple[int, ...]
    articles: int
    belief: float
    retracted: tuple[int, ...]
    every: frozenset[int] = field(metadata={"private": True})
    stance: Bearing | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Trail(Record):
    """A chain of edges between two concepts of the claim. The chain is an inference: perhaps no article states it.

    Attributes:
        id: `chain:KEY relation KEY relation KEY`, from head to tail.
        head: Key of the concept at which the chain starts.
        tail: Key of the concept at which the chain ends.
        edges: Ids of the edges (see `Edge.id`), from head to tail.
        hops: The edges from head to tail, with articles, newest PMIDs and beliefs.
        score: Product of the beliefs, in [0, 1].
        pmids: Newest articles of the weakest edge (the edge with the fewest articles), newest first.
        articles: Number of articles of the weakest edge. Only these articles count in a verdict.
        retracted: Articles of all hops that the literature store knows as retracted.
        every: All articles of the weakest edge, for counting.
        stance: As for an edge.
        probability: As for an edge.
    """

    id: str
    head: str
    tail: str
    edges: tuple[str, ...]
    hops: tuple[Hop, ...]
    score: float
    pmids: tuple[int, ...]
    articles: int
    retracted: tuple[int, ...]
    every: frozenset[int] = field(metadata={"private": True})
    stance: Bearing | None = None
    probability: float | None = None

    @property
    def sign(self) -> Sign:
        """The product of the signs of the edges; see `path_sign`."""
        return path_sign(hop.relation for hop in self.hops)


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A sentence of a retrieved article.

    Attributes:
        id: `pmid:PMID#sN`. N is the number of the sentence in the article, counted from 0. The title comes first.
        pmid: The article.
        title: Title of the article.
        sentence: The sentence.
        score: BM25 score of the article for the claim.
        retracted: Whether the article was retracted.
        number: The N in `id`.
        mentions: Places where the sentence names concepts.
        stance: As for an edge.
        probability: As for an edge.
    """

    id: str
    pmid: int
    title: str
    sentence: str
    score: float
    retracted: bool
    number: int = field(default=0, metadata={"private": True})
    mentions: tuple[Mention, ...] = field(default=(), metadata={"private": True})
    stance: Bearing | None = None
    probability: float | None = None


Piece = Edge | Trail | Passage


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """The evidence on a claim from each source, best first.

    Attributes:
        graph: All edges among the claim's concepts.
        literature: Sentences of the retrieved articles.
        chains: Chains between the concepts, if requested.
        left_out: Number of pieces, per kind, that were found but are not included.
    """

    graph: tuple[Edge, ...]
    literature: tuple[Passage, ...]
    chains: tuple[Trail, ...] = ()
    left_out: Mapping[Kind, int] = field(default_factory=dict, metadata={"private": True})


def edge_id(head: str, relation: str, tail: str) -> str:
    """Return the id of an edge. The id is the same if head and tail are exchanged."""
    first, second = canonical(head, tail)
    return f"edge:{first} {relation} {second}"


def edge_of(hop: Hop, withdrawn: set[int]) -> Edge:
    """Return an edge with all its PMIDs as a piece of evidence. `withdrawn` has the PMIDs of retracted articles."""
    name = edge_id(hop.head, hop.relation, hop.tail)
    retracted, every = tuple(pmid for pmid in hop.pmids if pmid in withdrawn), frozenset(hop.pmids)
    return Edge(name, hop.head, hop.relation, hop.tail, hop.pmids[:SHOWN], hop.articles, hop.belief, retracted, every)


def trail_of(chain: Chain, withdrawn: set[int]) -> Trail:
    """Return a chain, whose hops list all their PMIDs, as a piece of evidence. `withdrawn` is as for `edge_of`."""
    weakest = min(chain.hops, key=lambda hop: hop.articles)
    steps = "".join(f" {hop.relation} {hop.tail}" for hop in chain.hops)
    reporting = dict.fromkeys(pmid for hop in chain.hops for pmid in hop.pmids)
    return Trail(
        f"chain:{chain.hops[0].head}{steps}",
        chain.hops[0].head,
        chain.hops[-1].tail,
        tuple(edge_id(hop.head, hop.relation, hop.tail) for hop in chain.hops),
        tuple(Hop(h.head, h.relation, h.tail, h.articles, h.pmids[:SHOWN], h.belief) for h in chain.hops),
        chain.score,
        weakest.pmids[:SHOWN],
        weakest.articles,
        tuple(pmid for pmid in reporting if pmid in withdrawn),
        frozenset(weakest.pmids),
    )
