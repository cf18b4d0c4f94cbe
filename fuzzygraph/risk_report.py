"""Records of a risk check. Their field names are those of the JSON of `truthhypo risk`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any

from fuzzygraph.lanes import Weights
from fuzzygraph.likelihood import Observed
from fuzzygraph.membership import S0, K, Membership, apart, scale
from fuzzygraph.options import PathOptions, RiskOptions
from fuzzygraph.support import THIN, Amount, Evidence, Path, Score, Status
from fuzzygraph.words import ClosestSentence, Thesaurus, overlap
from groundwork.linking import Mention
from groundwork.options import entries
from groundwork.pictures import BLUE, GREY, ORANGE
from groundwork.ports.claims import Triple
from groundwork.reading.tree import is_phrase
from groundwork.records import Match, Record, Release
from groundwork.records.base import listed, number
from groundwork.records.chains import network

if TYPE_CHECKING:
    from altair import LayerChart
    from networkx import MultiGraph
    from pandas import DataFrame

    from groundwork.pictures import Statement

#: Sources of k and s0 besides `similarity:ID`: the default values for MiniLM, or values given by the user.
DEFAULT, GIVEN = "default", "given"
#: Source of the coefficients that come with the program.
SHIPPED = "shipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(Record, PathOptions):
    """The settings with which a risk is computed: the options of paths, and the parameters of the form `scaled`.

    Attributes:
        k: Steepness of `scaled`, > 0; other forms ignore it.
        s0: Cosine at which `scaled` gives 0.5; other forms ignore it.
        fit: Source of k and s0: `default`, `given`, or `similarity:ID` with the id of a set of similarity edges. If
            several live sets differ in k or s0, their ids are joined by +, newest first. Then k and s0 are those of
            the newest set, and the edges of each older set use the older set's own k and s0.
        coefficients: Source of the coefficients of the score `calibrated`: `shipped`, or `fitted` with the
            date and a checksum of the fit under HOME. The score `paper` ignores it.

    Raises:
        InputError: A number is out of range, or a name is unknown.
    """

    k: float = K
    s0: float = S0
    fit: str = DEFAULT
    coefficients: str = SHIPPED

    @classmethod
    def of(cls, options: RiskOptions, releases: Iterable[Release], coefficients: str = SHIPPED) -> "Terms":
        """Return the settings for the options of a check. `releases` are those of the graph, for k and s0."""
        k, s0, fit = scaling(releases, options.k, options.s0)
        held = {entry.name: getattr(options, entry.name) for entry in entries(PathOptions)}
        return cls(**held, k=k, s0=s0, fit=fit, coefficients=coefficients)

    def weights(self, syst: float, rand: float) -> Weights:
        """Return the parameters of edge probabilities: the values of these settings and two error rates.

        `syst` and `rand` are the systematic and the random error rate in the formula for an edge's belief.
        """
        return Weights(Membership(self.form, self.k, self.s0), self.alpha, self.tau_min, syst, rand)


def fitted(releases: Iterable[Release]) -> tuple[float, float, str]:
    """Return k, s0 and `Terms.fit` from the graph's similarity edges. If there are several sets, the newest decides.

    A set made in another form than `scaled` has no k and s0. Then the default values (those of MiniLM) are returned.
    """
    every = sorted(releases, key=lambda one: -one.order)
    last = newest_set(every)
    if last is None:
        return K, S0, DEFAULT
    if apart(every):
        sets = [one.id for one in every if one.state == "live" and one.similarity is not None]
        return *scale(last), f"{last.source}:{'+'.join(sets)}"
    made = last.similarity
    return (*scale(last), DEFAULT if made is None or made.k is None else f"{last.source}:{last.id}")


def newest_set(releases: Iterable[Release]) -> Release | None:
    """Return the live set of similarity edges that was loaded last, if any."""
    sets = [one for one in releases if one.state == "live" and one.similarity is not None]
    return max(sets, key=lambda one: one.order, default=None)


def scaling(releases: Iterable[Release], k: float | None, s0: float | None) -> tuple[float, float, str]:
    """Return k, s0 and `Terms.fit`: the given values or, if none is given, those of the graph's similarity edges."""
    return fitted(releases) if k is None or s0 is None else (k, s0, GIVEN)


_SIDES = ("support", "contradiction", "unsigned")
_SUMS = ("sum", "max", "noisy_or")
#: Fields of a claim that are columns under their own names, before and after the sums over paths.
_SCORES = ("status", "hrs", "strength", "p_net", "p_claim", "p_opposite", "p_none")
_REST = ("paths_total", "flags", "disagreement")

#: The columns, in order.
RISK_COLUMNS = (
    "sentence",
    "subject",
    "subject_key",
    "subject_name",
    "predicate",
    "relation",
    "negated",
    "object",
    "object_key",
    "object_name",
    *_SCORES,
    *(f"{side}_{how}" for side in _SIDES for how in _SUMS),
    *_REST,
    "hrs_text",
    "strength_text",
    "flags_text",
)


def risk_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each claim and for each sentence without a claim. A text without sentences gives one row.

    Args:
        record: A report as `RiskReport.to_dict` returns it, or the record of a text that could not be judged.
    """
    whole = {f"{name}_text": record.get(name) for name in ("hrs", "strength", "flags")}
    for sentence in record.get("sentences") or [{}]:
        triple = sentence.get("triple") or {}
        row = whole | {name: sentence.get(name) for name in (*_SCORES, *_REST)}
        row |= {name: triple.get(name) for name in ("subject", "predicate", "relation", "negated", "object")}
        for end in ("subject", "object"):
            row |= _spread(sentence, end, ("key", "name"))
        for side in _SIDES:
            row |= _spread(sentence, side, _SUMS)
        yield row | {"sentence": sentence.get("text")}


def _spread(record: Mapping[str, Any], name: str, parts: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts of a nested field as separate columns NAME_PART."""
    held = record.get(name) or {}
    return {f"{name}_{part}": held.get(part) for part in parts}


#: The HRS at which a claim and its opposite are equally likely. From this risk on, a claim is shown like a contradicted
#: claim, because its paths contradict it at least as much as they support it.
HALF = 0.5
#: Maximum number of sentences that a notebook shows.
SHOWN = 50
#: Colour and symbol for each result. A thin risk has little evidence.
_KINDS = {"measured": (BLUE, "✔"), "risky": (ORANGE, "✖"), "thin": (GREY, "◔")}


@dataclass(frozen=True, slots=True)
class Claim(Record):
    """A claim as stated in the sentence.

    Attributes:
        subject: Name or noun phrase of the actor, also if the sentence is in the passive voice.
        predicate: The words that state the relation.
        relation: The PubTator3 relation of the predicate; None if there is none.
        object: Name or noun phrase of the thing acted on.
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
        one, other = triple.subject.text, triple.object.text
        return cls(one, triple.predicate, triple.relation, other, triple.negated, triple.sign or None)


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
        """Return the linked concept of a mention; of a noun phrase, none."""
        return cls() if is_phrase(mention.key) else cls(mention.key, mention.name, mention.score, mention.alternatives)


@dataclass(frozen=True, slots=True)
class Words(Record):
    """How a sentence shares words with the closest sentence in the literature (paper B, 7.1 and 7.4).

    Attributes:
        pmid: Article of the closest sentence.
        sentence: The closest sentence.
        score: BM25 score of the closest sentence, > 0.
        retracted: Whether the article of the closest sentence was retracted.
        raw: Jaccard index of the words, in [0, 1]. `fuzzygraph.words.Overlap` describes `raw` and the following fields.
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
    """The measured risk of one claim. A sentence with several claims gives several of these records.

    Attributes:
        text: The claim, as `ground` judges it; a sentence that states something else.
        triple: What it states; None if no relation between two ends can be read in it.
        subject: The concept of the subject.
        object: The concept of the object.
        paths: The most probable paths between the two concepts.
        paths_total: Number of all paths.
        support: Aggregates of the paths that support the claim.
        contradiction: Aggregates of the paths that contradict it.
        unsigned: Aggregates of the paths that show a relation without a sign.
        p_net: 1 - HRS (`support.Score.p_net`); None unless measured.
        hrs: Hallucination risk score; None unless measured.
        strength: Strength of the evidence (`support.Score.strength`); None unless measured.
        status: `measured`, `no_evidence`, `unlinked` or `no_triple`.
        flags: What a reader should know about the numbers:

            - `thin`: There is little evidence (`support.THIN`).
            - `ambiguous_subject`, `ambiguous_object`: The name of the subject or object may mean something else, too.
            - `opposite_names`: A similarity edge on a listed path joins two opposite names.
            - `hedged`: The claim only says that the relation may hold.
            - `negation_ignored`: The claim denies the relation, but the setting `inverted` of `Terms.contradiction`
              ignores this.
            - `paths_disagree`: The risk contradicts the direct edges or the verdict of a judge; see `disagreement`.
            - `too_long`, `not_english`: No claim was read, because the sentence is too long or is not in English.
        words: How the sentence shares words with the closest sentence in the literature; None if no sentence was found,
            or if words were not compared.
        p_claim: Probability that the claim holds; None unless measured with the score `calibrated`.
        p_opposite: Probability that its opposite holds; None likewise.
        p_none: Probability that there is no relation between the two concepts; None likewise.
        observed: What these probabilities were computed from (`fuzzygraph.likelihood`); None likewise.
        disagreement: One sentence that says what the risk contradicts; None if there is nothing.

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
    p_claim: float | None = None
    p_opposite: float | None = None
    p_none: float | None = None
    observed: Observed | None = None
    disagreement: str | None = None

    @classmethod
    def of(
        cls, text: str, triple: Triple | None, evidence: Evidence, score: Score, flags: tuple[str, ...] = ()
    ) -> "SentenceRisk":
        """Return the record made from these parts."""
        claim = Claim.of(triple) if triple is not None else None
        ends = LinkedConcept(), LinkedConcept()
        if triple is not None:
            ends = LinkedConcept.of(triple.subject), LinkedConcept.of(triple.object)
        paths = evidence.paths, evidence.paths_total
        amounts = evidence.support, evidence.contradiction, evidence.unsigned
        likely = score.p_claim, score.p_opposite, score.p_none
        return cls(
            text,
            claim,
            *ends,
            *paths,
            *amounts,
            score.p_net,
            score.hrs,
            score.strength,
            score.status,
            flags,
            None,
            *likely,
            score.observed,
        )

    def beside(self, told: str, supported: bool) -> "SentenceRisk":
        """Return the record with the flag `paths_disagree` if the risk says the opposite of something else.

        A risk with the flag `thin` says too little for that.

        Args:
            told: What else says something about the claim, such as "The judge".
            supported: Whether it supports the claim; otherwise it contradicts the claim.
        """
        thin = THIN in self.flags
        if self.hrs is None or thin or self.disagreement or (self.hrs <= HALF if supported else self.hrs >= HALF):
            return self
        says, other = ("supports", "its opposite") if supported else ("contradicts", "the claim")
        why = f"{told} {says} the claim, but all edges and paths speak rather for {other} (HRS {self.hrs:.2f})."
        return replace(self, flags=(*self.flags, "paths_disagree"), disagreement=why)


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
        sentences: One record per claim, and one per sentence that states something but gave no claim.
        hrs: Mean HRS of the claims if all of them are measured; otherwise None.
        strength: Mean strength of the claims if all of them are measured; otherwise None.
        measured: Number of measured claims.
        claims: Number of claims.
        flags: `thin` if a measured claim has this flag.
        claim_graph: All claims as a graph.
        terms: The options with which the claims were measured.
        names: Names of the concepts by key, as far as they are known; for tables and pictures only.

    Example:
        >>> world.risk("Simvastatin lowers cholesterol.")
        Risk: HRS 0.01, strength 0.84
          HRS 0.01, strength 0.84  Simvastatin lowers cholesterol.
    """

    text: str
    sentences: tuple[SentenceRisk, ...]
    hrs: float | None
    strength: float | None
    measured: int
    claims: int
    flags: tuple[str, ...]
    claim_graph: ClaimGraph
    terms: Terms
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, metadata={"private": True})

    @classmethod
    def of(cls, text: str, risks: Sequence[SentenceRisk], terms: Terms) -> "RiskReport":
        """Return the report on the claims of a text."""
        known = [(risk.hrs, risk.strength) for risk in risks if risk.hrs is not None and risk.strength is not None]
        hrs, strength = map(fmean, zip(*known, strict=True)) if known and len(known) == len(risks) else (None, None)
        flags = (THIN,) if any(THIN in risk.flags for risk in risks) else ()
        return cls(text, tuple(risks), hrs, strength, len(known), len(risks), flags, ClaimGraph.of(risks), terms)

    def keys(self) -> frozenset[str]:
        """Return the keys of all concepts in the report: ends of claims, and concepts on their paths."""
        ends = (end.key for risk in self.sentences for end in (risk.subject, risk.object) if end.key)
        return frozenset((*ends, *(key for risk in self.sentences for path in risk.paths for key in path.keys)))

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with one row per record in `sentences` and the columns of `risk --out`."""
        from pandas import DataFrame

        return DataFrame(list(risk_rows(self.to_dict())) if self.sentences else [], columns=list(RISK_COLUMNS))

    def to_networkx(self) -> "MultiGraph[str]":
        """Return the edges of all listed paths as a NetworkX graph; see `groundwork.records.chains.network`."""
        paths = (path for risk in self.sentences for path in risk.paths)
        steps = (step for path in paths for step in zip(pairwise(path.keys), path.kinds, strict=True))
        return network(((head, tail, {"relation": kind}) for (head, tail), kind in steps), self.names)

    def plot(self) -> "LayerChart":
        """Return an altair chart with one bar per measured claim. The bar shows its HRS.

        The colour says whether the evidence speaks for or against the claim, or is thin. The extra `bench` installs
        altair. In a notebook the chart is a picture, which needs no network.

        Raises:
            InputError: altair is not installed.
        """
        from groundwork.pictures import bars, offline

        rows = [
            {"label": f"{number}. {risk.text}", "text": risk.text, "value": risk.hrs, "kind": _kind_of(risk)}
            for number, risk in enumerate(self.sentences, 1)
            if risk.hrs is not None
        ]
        told = f"Hallucination risk of {self.measured} of {self.claims} claims"
        return offline(bars(rows, _KINDS, "hallucination risk (HRS)", told))

    def __repr__(self) -> str:
        told = f"HRS {number(self.hrs)}, strength {number(self.strength)}"
        title = f"Risk: {told if self.hrs is not None else f'not measured ({self.measured} of {self.claims} claims)'}"
        return listed(title, map(_line, self.sentences))

    def _repr_html_(self) -> str:
        from groundwork.pictures import html

        told = f"{number(self.hrs)}, strength {number(self.strength)}"
        if self.hrs is None:
            told = f"not measured ({self.measured} of {self.claims} claims)"
        combined = "compared with chance" if self.terms.score == "calibrated" else f"combined by {self.terms.aggregate}"
        facts = f"paths of at most {self.terms.hops} edges, {combined}"
        sentences = [_statement(risk, self.names) for risk in self.sentences[:SHOWN]]
        return html(f"Hallucination risk (HRS): {told}", facts, sentences, len(self.sentences) - len(sentences))


def _line(risk: SentenceRisk) -> str:
    """Return a record as one line: HRS and strength, or the status, followed by the text and the flags."""
    told = risk.status if risk.hrs is None else f"HRS {risk.hrs:.2f}, strength {number(risk.strength)}"
    return f"{told:24} {risk.text}" + (f"  [{', '.join(risk.flags)}]" if risk.flags else "")


def _statement(risk: SentenceRisk, names: Mapping[str, str]) -> "Statement":
    """Return a record with its collapsed paths, to be shown in a notebook."""
    from groundwork.pictures import Piece, Statement, paths_image

    if risk.hrs is None:
        return Statement(risk.status, risk.status.replace("_", " "), risk.text, "no risk is measured", risk.flags)
    told = f"strength {number(risk.strength)}, {risk.paths_total:,} paths"
    sides = {"support": "supports", "contradiction": "contradicts"}
    pieces = [
        Piece(sides.get(path.side, path.side), f"{_walk(path, names)} ({path.probability:.3f})") for path in risk.paths
    ]
    drawn = paths_image([path.to_dict() for path in risk.paths], names)
    return Statement(_kind_of(risk), f"HRS {number(risk.hrs)}", risk.text, told, risk.flags, pieces, drawn)


def _kind_of(risk: SentenceRisk) -> str:
    """Return the kind of a measured risk: `thin`, `risky` or `measured`."""
    return THIN if THIN in risk.flags else "risky" if risk.hrs is not None and risk.hrs >= HALF else "measured"


def _walk(path: Path, names: Mapping[str, str]) -> str:
    """Return a path as names with the relations between them."""
    steps = "".join(f" -{kind}- {names.get(key, key)}" for key, kind in zip(path.keys[1:], path.kinds, strict=True))
    return names.get(path.keys[0], path.keys[0]) + steps
