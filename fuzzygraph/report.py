"""What a check says: records whose field names are the JSON of `truthhypo risk`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from fuzzygraph.support import THIN, Amount, Evidence, Path, Score, Status
from fuzzygraph.terms import Terms
from fuzzygraph.triples.triple import Triple
from fuzzygraph.words.closest import Closest
from fuzzygraph.words.overlap import Thesaurus, overlap
from groundwork.linking import Mention
from groundwork.records import Match, Record


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """A claim as the sentence makes it.

    Attributes:
        subject: The noun phrase that does it, whatever the voice.
        predicate: The words that say what.
        relation: The PubTator3 relation they stand for, None if none.
        object: The noun phrase it is done to.
        negated: Whether the sentence denies it.
        sign: 1, -1 or None: which way the claim goes before negation.
    """

    subject: str
    predicate: str
    relation: str | None
    object: str
    negated: bool
    sign: int | None

    @classmethod
    def of(cls, triple: Triple) -> "Claim":
        """The same, from what was read."""
        ends = triple.subject.text, triple.object.text
        return cls(ends[0], triple.predicate, triple.relation, ends[1], triple.negated, triple.sign or None)


@dataclass(frozen=True, slots=True)
class Linked(Record):
    """The concept an end of a claim was linked to, None if to none, with every candidate, best first."""

    key: str | None = None
    name: str | None = None
    score: float = 0.0
    alternatives: tuple[Match, ...] = ()

    @classmethod
    def of(cls, mention: Mention) -> "Linked":
        """The same, from what the linker says."""
        return cls(mention.key, mention.name, mention.score, mention.alternatives)


@dataclass(frozen=True, slots=True)
class Words(Record):
    """How a sentence shares words with the closest one of the literature (paper B, 7.1 and 7.4).

    Attributes:
        pmid: Where that stands, as sentence, score and retracted: see closest.Closest.
        sentence: That sentence.
        score: BM25, > 0.
        retracted: Whether its article was retracted.
        raw: Jaccard index of their words, in [0, 1]; see words.Overlap, as are the others.
        expanded: The same with WordNet's synonyms; None without WordNet.
        opposites: Pairs of opposites (the claim's word, the other sentence's).
        flags: `paraphrase`, `low_overlap`, `opposites`, `no_wordnet`.
    """

    pmid: int
    sentence: str
    score: float
    retracted: bool
    raw: float
    expanded: float | None
    opposites: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]

    @classmethod
    def of(cls, claim: str, near: Closest, p_net: float | None, wordnet: Thesaurus | None) -> "Words":
        """The same, from the sentence found; `p_net` is what the paths say of the claim."""
        shared = overlap(claim, near.sentence, p_net=p_net, wordnet=wordnet)
        found = near.pmid, near.sentence, near.score, near.retracted
        return cls(*found, shared.raw, shared.expanded, shared.opposites, shared.flags)


@dataclass(frozen=True, slots=True)
class SentenceRisk(Record):
    """One claim of one sentence, measured; a sentence with several claims has several of these.

    Attributes:
        text: The sentence.
        triple: Its claim, None if none was found.
        subject: The concept at the subject's end.
        object: The concept at the object's end.
        paths: The likeliest paths between them.
        paths_total: How many there are.
        support: What speaks for the claim.
        contradiction: What speaks against it.
        unsigned: What says that there is something, not which way.
        p_net: See support.Score, as are hrs, strength and status.
        hrs: Hallucination risk score, None unless measured.
        strength: None unless measured.
        status: `measured`, `no_evidence`, `unlinked` or `no_triple`.
        flags: What a reader should know about how the numbers came about.
        words: How the sentence shares words with the closest one of the literature; None if there is none, or if
            words were not asked for.
        hrs_calibrated: The chance that the claim is false, by a curve fitted on labelled statements; None
            where none was fitted on these terms.
    """

    text: str
    triple: Claim | None
    subject: Linked
    object: Linked
    paths: tuple[Path, ...]
    paths_total: int
    support: Amount
    contradiction: Amount
    unsigned: Amount
    p_net: float | None
    hrs: float | None
    strength: float | None
    status: Status
    flags: tuple[str, ...]
    words: Words | None = None
    hrs_calibrated: float | None = None

    @classmethod
    def of(
        cls,
        text: str,
        triple: Triple | None,
        ends: tuple[Linked, Linked],
        evidence: Evidence,
        score: Score,
        flags: tuple[str, ...] = (),
    ) -> "SentenceRisk":
        """An entry from its parts."""
        claim = Claim.of(triple) if triple is not None else None
        paths = evidence.paths, evidence.paths_total
        amounts = evidence.support, evidence.contradiction, evidence.unsigned
        return cls(text, claim, *ends, *paths, *amounts, score.p_net, score.hrs, score.strength, score.status, flags)


@dataclass(frozen=True, slots=True)
class ClaimEdge(Record):
    """One edge of a text's claim graph: keys of concepts, or phrases where an end is no concept."""

    head: str
    predicate: str
    tail: str
    negated: bool


@dataclass(frozen=True, slots=True)
class ClaimGraph(Record):
    """All claims of a text as one graph (paper B, 5.2): nodes are subjects and objects, edges predicates."""

    nodes: tuple[str, ...]
    edges: tuple[ClaimEdge, ...]

    @classmethod
    def of(cls, risks: Iterable[SentenceRisk]) -> "ClaimGraph":
        """The graph of a text's claims."""
        edges = tuple(
            ClaimEdge(
                risk.subject.key or risk.triple.subject,
                risk.triple.predicate,
                risk.object.key or risk.triple.object,
                risk.triple.negated,
            )
            for risk in risks
            if risk.triple is not None
        )
        return cls(tuple(dict.fromkeys(end for edge in edges for end in (edge.head, edge.tail))), edges)


@dataclass(frozen=True, slots=True)
class RiskReport(Record):
    """A text's hallucination risk.

    Attributes:
        text: The text.
        sentences: Its claims.
        hrs: Mean over the measured claims; None if there are none.
        strength: Likewise.
        flags: `thin` if any measured claim has this flag.
        claim_graph: All claims as one graph.
        terms: On which terms they were measured.
    """

    text: str
    sentences: tuple[SentenceRisk, ...]
    hrs: float | None
    strength: float | None
    flags: tuple[str, ...]
    claim_graph: ClaimGraph
    terms: Terms

    @classmethod
    def of(cls, text: str, risks: Sequence[SentenceRisk], terms: Terms) -> "RiskReport":
        """The report on the claims of a text."""
        hrs, strength = (
            fmean(known) if (known := [each for each in values if each is not None]) else None
            for values in ([risk.hrs for risk in risks], [risk.strength for risk in risks])
        )
        flags = (THIN,) if any(THIN in risk.flags for risk in risks) else ()
        return cls(text, tuple(risks), hrs, strength, flags, ClaimGraph.of(risks), terms)

    def keys(self) -> frozenset[str]:
        """The concepts it speaks of: what claims are about, and what their paths pass."""
        ends = (end.key for risk in self.sentences for end in (risk.subject, risk.object) if end.key)
        return frozenset((*ends, *(key for risk in self.sentences for path in risk.paths for key in path.keys)))
