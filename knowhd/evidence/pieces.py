"""The pieces of evidence that verdicts cite: edges, chains of edges, and sentences of articles. Each has an id."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from groundwork.linking import Mention
from groundwork.polarity import Sign, relation_sign
from groundwork.records import Chain, Hop, Record
from groundwork.vocabulary import canonical

Kind = Literal["graph", "literature", "chains"]
#: How a piece of evidence bears on a claim: it takes a side, or names both or one of the claim's two ends.
Bearing = Literal["supports", "contradicts", "about_both", "about_one"]

#: PMIDs shown on an edge, the newest; all of them are counted.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Edge(Record):
    """A relation edge with both ends in the claim.

    Attributes:
        id: `edge:HEAD RELATION TAIL`.
        head: Key of the canonically first concept.
        relation: Lower-case relation name.
        tail: Key of the other.
        pmids: The newest articles that report it, newest first.
        articles: How many there are, under the cut.
        belief: 1 - (syst + rand^articles).
        retracted: Those of all its articles that the literature index knows as retracted, newest first.
        every: All of them, for weighing.
        stance: How it bears on the claim that it was judged for; None if the judge does not say.
        probability: Of that stance, in [0, 1]; None if the judge gives none.
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
    """A chain of edges between two concepts of the claim: what follows from several edges, and no article need say.

    Attributes:
        id: `chain:KEY relation KEY relation KEY`, along the walk.
        head: Key of the concept of the claim where it starts.
        tail: Key of the other where it ends.
        edges: Ids of its edges, as they would stand alone, along the walk.
        hops: The edges along the walk, with their articles, newest PMIDs and beliefs.
        score: Product of the beliefs, in [0, 1].
        pmids: Newest articles of its weakest edge, newest first.
        articles: How many that edge has: a chain weighs no more than its weakest edge.
        retracted: Those of all the hops' articles that the literature index knows as retracted.
        every: All articles of the weakest edge, for weighing.
        stance: As of an edge.
        probability: As of an edge.
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
        """The product of its edges' signs, 0 as soon as one has none (paper B's reading of a path)."""
        product = prod(relation_sign(hop.relation) for hop in self.hops)
        return 1 if product > 0 else -1 if product < 0 else 0


@dataclass(frozen=True, slots=True)
class Passage(Record):
    """A sentence of a retrieved article.

    Attributes:
        id: `pmid:PMID#sN`, N counting the article's sentences from 0, the title's first.
        pmid: The article.
        title: Its title.
        sentence: The sentence.
        score: BM25 of the article for the claim.
        retracted: Whether the article was retracted.
        number: N.
        mentions: Where the sentence names concepts.
        stance: As of an edge.
        probability: As of an edge.
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
    """What each source holds on a claim, best first.

    Attributes:
        graph: All edges among the claim's concepts.
        literature: Sentences of the articles found.
        chains: Chains between them, where they were asked for.
        left_out: Pieces that were found and are not here, per kind; reported beside the evidence.
    """

    graph: tuple[Edge, ...]
    literature: tuple[Passage, ...]
    chains: tuple[Trail, ...] = ()
    left_out: Mapping[Kind, int] = field(default_factory=dict, metadata={"private": True})


def edge_id(head: str, relation: str, tail: str) -> str:
    """The id of an edge, whichever way it was walked."""
    first, second = canonical(head, tail)
    return f"edge:{first} {relation} {second}"


def edge_of(hop: Hop, withdrawn: set[int]) -> Edge:
    """An edge as a piece of evidence.

    Args:
        hop: The edge with all its PMIDs.
        withdrawn: PMIDs known as retracted.
    """
    shown = hop.pmids[:SHOWN]
    return Edge(
        edge_id(hop.head, hop.relation, hop.tail),
        hop.head,
        hop.relation,
        hop.tail,
        shown,
        hop.articles,
        hop.belief,
        tuple(pmid for pmid in hop.pmids if pmid in withdrawn),
        frozenset(hop.pmids),
    )


def trail_of(chain: Chain, withdrawn: set[int]) -> Trail:
    """A chain as a piece of evidence.

    Args:
        chain: The chain, its hops with all their PMIDs.
        withdrawn: PMIDs known as retracted.
    """
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
