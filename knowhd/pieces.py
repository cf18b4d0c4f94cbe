"""The pieces of evidence that verdicts cite: edges, chains of edges, and sentences of articles. Each has an id.

Reasons name pieces in sentences, which are made from the templates in reasons.toml.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from groundwork.linking import Mention
from groundwork.records import Chain, Design, Hop, Record, split_key
from groundwork.study import Section
from groundwork.vocabulary import Sign, canonical, path_sign

Kind = Literal["graph", "literature", "chains"]
KINDS: tuple[Kind, ...] = ("graph", "literature", "chains")
#: How a piece of evidence bears on a claim: it supports or contradicts the claim, or it only names both or one of the
#: claim's two ends (concepts).
Bearing = Literal["supports", "contradicts", "about_both", "about_one"]

#: A person's word on the stance that a judge gave to a piece: it is right, or the piece takes no side (`wrong`), or the
#: opposite side (`other`).
Said = Literal["right", "wrong", "other"]

#: PMID of a text that a user gave instead of an article. No article has it.
OWN_TEXT = 0

#: Maximum number of PMIDs shown on an edge, newest first. All of them are counted.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Marked(Record):
    """A person's word on a piece of evidence, as reports show it.

    Attributes:
        by: Name of the person; may be empty.
        said: The word.
        note: Why; may be empty.
        program: The side that the judge gives to the piece; None if it gives none.
    """

    by: str
    said: Said
    note: str
    program: Literal["supports", "contradicts"] | None


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
        marked: A person's word on the piece; None without one. If verdicts obey marks, `stance` follows it.
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
    marked: Marked | None = None


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
        marked: As for an edge.
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
    marked: Marked | None = None

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
        score: BM25 score of the article in the search that found it: for the claim, or for words of its opposite.
        retracted: Whether the article was retracted.
        number: The N in `id`.
        mentions: Places where the sentence names concepts.
        stance: As for an edge.
        probability: As for an edge.
        section: The part of the article that contains the sentence: `title`, or the section of a structured abstract
            (see `groundwork.study`); None if the abstract has no label before the sentence, or one of no section.
        denied: Whether the sentence takes its side by denying a relation ("A had no effect on B").
        design: The design of the study that the article reports (`groundwork.study`); None if it is not known.
        organism: Name of the organism studied, such as `mouse`; None if it is not known.
        marked: As for an edge.
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
    section: Section | None = None
    denied: bool = False
    design: Design | None = None
    organism: str | None = None
    marked: Marked | None = None


Piece = Edge | Trail | Passage


@dataclass(frozen=True, slots=True)
class Evidence(Record):
    """The evidence on a claim from each source, best first.

    Attributes:
        graph: All edges among the claim's concepts.
        literature: Sentences of the retrieved articles.
        chains: Chains between the concepts, if requested.
        left_out: Number of pieces, per kind, that were found but are not included.
        newest: Largest PMID of the retrieved articles, also of those without a sentence in `literature`; 0 if there are
            none.
        naming: Number of articles in the literature that name all concepts of the claim, by one of the names for which
            is searched; None if they were not counted.
        read: Those of them whose sentences were retrieved.
    """

    graph: tuple[Edge, ...]
    literature: tuple[Passage, ...]
    chains: tuple[Trail, ...] = ()
    left_out: Mapping[Kind, int] = field(default_factory=dict, metadata={"private": True})
    newest: int = field(default=0, compare=False, metadata={"private": True})
    naming: int | None = field(default=None, metadata={"private": True})
    read: frozenset[int] = field(default=frozenset(), metadata={"private": True})


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


#: Relations in which a disease is acted on by a chemical, a gene or a variant.
DONE_TO_DISEASES = frozenset({"cause", "prevent", "treat"})


@lru_cache(maxsize=1)
def _templates() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("knowhd").joinpath("reasons.toml").read_text("utf-8"))


def say(section: str, name: str, **words: object) -> str:
    """Return a template of reasons.toml with its words filled in."""
    return _templates()[section][name].format(**words)


def ends(edge: Edge | Hop) -> tuple[str, str]:
    """Return the keys of an edge's ends in the order in which its relation is read.

    Edges have no direction, so ends are in canonical order. For `cause`, `prevent` and `treat`, a disease comes last.
    """
    kinds = split_key(edge.head)[0], split_key(edge.tail)[0]
    turned = edge.relation in DONE_TO_DISEASES and kinds[0] == "Disease" != kinds[1]
    return (edge.tail, edge.head) if turned else (edge.head, edge.tail)


def related(edge: Edge | Hop, names: Mapping[str, str]) -> str:
    """Return an edge in words, given the names of concepts by key: "cisplatin causes nephrotoxicity"."""
    first, last = (names.get(end, end) for end in ends(edge))
    verb = _templates()["relations"].get(edge.relation, edge.relation.replace("_", " "))
    return f"{first} {verb} {last}"


def listed(words: Sequence[str], joint: str) -> str:
    """Return words as a list: "A, B and C" with the joint "and"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"
