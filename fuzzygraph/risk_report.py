"""Records of a risk check. Their field names are those of the JSON of `truthhypo risk`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from fuzzygraph.risk_rows import RISK_COLUMNS, risk_rows
from fuzzygraph.support import THIN, Amount, Evidence, Path, Score, Status
from fuzzygraph.terms import Terms
from fuzzygraph.triples.triple import Triple
from fuzzygraph.words.closest import ClosestSentence
from fuzzygraph.words.overlap import Thesaurus, overlap
from groundwork.linking import Mention
from groundwork.records import Match, Record
from groundwork.records.networks import network
from groundwork.records.shortened import listed, number

if TYPE_CHECKING:
    from networkx import MultiGraph
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """A claim as stated in the sentence.

    Attributes:
        subject: Noun phrase of the actor, also if the sentence is in the passive voice.
        predicate: The words that state the relation.
        relation: The PubTator3 relation of the predicate; None if there is none.
        object: Noun phrase of the thing acted on.
        negated: Whether the sentence denies the claim.
        sign: The sign of the claim before negation, 1 or -1; None if the relation has no sign.
    """

    subject: str
    predicate: str
    relation: str | None
    object: str
    negated: bool
    sign: int | None

    @classmethod
    def of(cls, triple: Triple) -> "Claim":
        """Return the claim of a triple."""
        ends = triple.subject.text, triple.object.text
        return cls(ends[0], triple.predicate, triple.relation, ends[1], triple.negated, triple.sign or None)


@dataclass(frozen=True, slots=True)
class LinkedConcept(Record):
    """The concept to which the subject or object of a claim was linked, and all candidates, best first.

    `key` and `name` are None if no concept was linked.
    """

    key: str | None = None
    name: str | None = None
    score: float = 0.0
    alternatives: tuple[Match, ...] = ()

    @classmethod
    def of(cls, mention: Mention) -> "LinkedConcept":
        """Return the linked concept of a mention."""
        return cls(mention.key, mention.name, mention.score, mention.alternatives)


@dataclass(frozen=True, slots=True)
class Words(Record):
    """How a sentence shares words with the closest sentence in the literature (paper B, 7.1 and 7.4).

    Attributes:
        pmid: Article of the closest sentence.
        sentence: The closest sentence.
        score: BM25 score of the closest sentence, > 0.
        retracted: Whether the article of the closest sentence was retracted.
        raw: Jaccard index of the words, in [0, 1]. `words.overlap.Overlap` describes `raw` and the following fields.
        expanded: Jaccard index of the words with their synonyms from WordNet; None without WordNet.
        opposites: Pairs of opposites (word of the claim, word of the closest sentence).
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
    def of(cls, claim: str, near: ClosestSentence, p_net: float | None, wordnet: Thesaurus | None) -> "Words":
        """Return the comparison of a claim with the closest sentence; `p_net` is the result of the paths."""
        shared = overlap(claim, near.sentence, p_net=p_net, wordnet=wordnet)
        found = near.pmid, near.sentence, near.score, near.retracted
        return cls(*found, shared.raw, shared.expanded, shared.opposites, shared.flags)


@dataclass(frozen=True, slots=True)
class SentenceRisk(Record):
    """The measured risk of one claim. A sentence with several claims has several of these records.

    Attributes:
        text: The sentence.
        triple: Its claim; None if none was found.
        subject: The concept of the subject.
        object: The concept of the object.
        paths: The most probable paths between the two concepts.
        paths_total: Number of all paths.
        support: Aggregates of the paths that support the claim.
        contradiction: Aggregates of the paths that contradict it.
        unsigned: Aggregates of the paths that show a relation without a sign.
        p_net: Support divided by support + contradiction (`support.Score.p_net`); None unless measured.
        hrs: Hallucination risk score; None unless measured.
        strength: Strength of the evidence; None unless measured.
        status: `measured`, `no_evidence`, `unlinked` or `no_triple`.
        flags: What a reader should know about the numbers:

            - `thin`: Support and contradiction are both weak (`support.thin`).
            - `ambiguous_subject`, `ambiguous_object`: The name of the subject or object may mean something else, too.
            - `fuzzy_subject`, `fuzzy_object`: The concept was found by a similar spelling.
            - `same_concept`: Both ends are one concept.
            - `opposite_names`: A similarity edge on a listed path joins two opposite names.
            - `hedged`: The sentence only says that the relation may hold.
            - `reversed`: The sign was reversed, because the sentence is about a lack of one end ("loss of PTEN").
            - `negation_ignored`: The sentence denies the claim, but the setting `inverted` of `Terms.contradiction`
              ignores this.
            - `generic_subject`: The subject is a general noun or a pronoun ("the patient", "she").
            - `strict`, `fallback`: The claim was read by the paper's rule of this name.
            - `too_long`, `not_english`: No claim was read, because the sentence is too long or is not in English.
        words: How the sentence shares words with the closest sentence in the literature; None if no sentence was found,
            or if words were not compared.
        hrs_calibrated: Probability that the claim is false, by a curve fitted on labelled statements; None if no curve
            was fitted for these settings (`Terms`).

    Example:
        >>> world.risk("Simvastatin lowers cholesterol.").sentences[0].subject.name
        'Simvastatin'
    """

    text: str
    triple: Claim | None
    subject: LinkedConcept
    object: LinkedConcept
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
        ends: tuple[LinkedConcept, LinkedConcept],
        evidence: Evidence,
        score: Score,
        flags: tuple[str, ...] = (),
    ) -> "SentenceRisk":
        """Return the record made from these parts."""
        claim = Claim.of(triple) if triple is not None else None
        paths = evidence.paths, evidence.paths_total
        amounts = evidence.support, evidence.contradiction, evidence.unsigned
        return cls(text, claim, *ends, *paths, *amounts, score.p_net, score.hrs, score.strength, score.status, flags)


@dataclass(frozen=True, slots=True)
class ClaimEdge(Record):
    """One edge of a text's claim graph. An end is a concept key, or a phrase if it is not linked."""

    head: str
    predicate: str
    tail: str
    negated: bool


@dataclass(frozen=True, slots=True)
class ClaimGraph(Record):
    """All claims of a text as a graph (paper B, 5.2): subjects and objects are nodes, predicates are edges."""

    nodes: tuple[str, ...]
    edges: tuple[ClaimEdge, ...]

    @classmethod
    def of(cls, risks: Iterable[SentenceRisk]) -> "ClaimGraph":
        """Return the graph of a text's claims."""
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
        sentences: One record per claim, and one per sentence without a claim.
        hrs: Mean HRS of the measured claims; None if there are none.
        strength: Mean strength of the measured claims; None if there are none.
        flags: `thin` if a measured claim has this flag.
        claim_graph: All claims as a graph.
        terms: The options with which the claims were measured.
        names: Names of the concepts by key, as far as they are known; for tables and pictures only.

    Example:
        >>> world.risk("Simvastatin lowers cholesterol.")
        Risk: HRS 0.00, strength 1.00
          HRS 0.00, strength 1.00  Simvastatin lowers cholesterol.
    """

    text: str
    sentences: tuple[SentenceRisk, ...]
    hrs: float | None
    strength: float | None
    flags: tuple[str, ...]
    claim_graph: ClaimGraph
    terms: Terms
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, metadata={"private": True})

    @classmethod
    def of(cls, text: str, risks: Sequence[SentenceRisk], terms: Terms) -> "RiskReport":
        """Return the report on the claims of a text."""
        hrs, strength = (
            fmean(known) if (known := [each for each in values if each is not None]) else None
            for values in ([risk.hrs for risk in risks], [risk.strength for risk in risks])
        )
        flags = (THIN,) if any(THIN in risk.flags for risk in risks) else ()
        return cls(text, tuple(risks), hrs, strength, flags, ClaimGraph.of(risks), terms)

    def keys(self) -> frozenset[str]:
        """Return the keys of all concepts in the report: ends of claims, and concepts on their paths."""
        ends = (end.key for risk in self.sentences for end in (risk.subject, risk.object) if end.key)
        return frozenset((*ends, *(key for risk in self.sentences for path in risk.paths for key in path.keys)))

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with one row per record in `sentences` and the columns of `risk --out`."""
        from pandas import DataFrame

        return DataFrame(list(risk_rows(self.to_dict())) if self.sentences else [], columns=list(RISK_COLUMNS))

    def to_networkx(self) -> "MultiGraph[str]":
        """Return the edges of all listed paths as a NetworkX graph; see `groundwork.records.networks.network`."""
        paths = (path for risk in self.sentences for path in risk.paths)
        steps = (step for path in paths for step in zip(pairwise(path.keys), path.kinds, strict=True))
        return network(((head, tail, {"relation": kind}) for (head, tail), kind in steps), self.names)

    def __repr__(self) -> str:
        title = f"Risk: HRS {number(self.hrs)}, strength {number(self.strength)}"
        return listed(title, map(_line, self.sentences))

    def _repr_html_(self) -> str:
        from fuzzygraph.report_html import report_html

        return report_html(self)


def _line(risk: SentenceRisk) -> str:
    """Return a record as one line: HRS and strength, or the status, followed by the text and the flags."""
    told = risk.status if risk.hrs is None else f"HRS {risk.hrs:.2f}, strength {number(risk.strength)}"
    return f"{told:24} {risk.text}" + (f"  [{', '.join(risk.flags)}]" if risk.flags else "")
