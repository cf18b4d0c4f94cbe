"""Check a text: read its claims and measure how well the graph supports each one (paper B, sections 4 to 6)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from fuzzygraph.membership import Form
from fuzzygraph.paths.lanes import Lanes, Weights, lanes
from fuzzygraph.reader import ReadClaim, Reader
from fuzzygraph.risk_report import LinkedConcept, RiskReport, SentenceRisk, Words
from fuzzygraph.scales import Scales, apart
from fuzzygraph.support import THIN, Aggregate, Contradicting, Evidence, Score, Status, score, thin, weigh
from fuzzygraph.terms import GIVEN, Terms, scaling
from fuzzygraph.triples.triple import Triple
from fuzzygraph.words.closest import closest
from fuzzygraph.words.wordnet import installed_wordnet
from groundwork.linking import Mention
from groundwork.network import Network
from groundwork.opposites import opposed_pairs
from groundwork.ports import GraphReader, LiteratureReader, Progress, Silent, watched
from groundwork.reading.plain import unread
from groundwork.reading.reader import Reader as RelationReader
from groundwork.vocabulary import SIMILAR_TO

__all__ = ["Checker", "RiskReport"]


class Checker:
    """Measures the hallucination risk of texts against one graph.

    Args:
        graph: Store of concepts and paths.
        syst: Systematic error in an edge's belief.
        rand: Random error in an edge's belief.
        relations: Reader of relations in sentences; by default with the weights of this package.
    """

    def __init__(
        self,
        graph: GraphReader,
        *,
        syst: float = 0.05,
        rand: float = 0.3,
        relations: RelationReader | None = None,
    ) -> None:
        self._graph = graph
        self._reader = Reader(graph, relations=relations)
        self._errors = (syst, rand)
        self._made: tuple[Lanes, Weights] | None = None
        self._scales = Scales(graph, {})

    def check(
        self,
        text: str,
        *,
        before: int | None = None,
        form: Form = "scaled",
        alpha: float = 0.9,
        tau_min: float = 0.2,
        hops: int = 3,
        aggregate: Aggregate = "noisy_or",
        contradiction: Contradicting = "signed",
        paths: int = 20,
        k: float | None = None,
        s0: float | None = None,
        literature: LiteratureReader | None = None,
        exclude_retracted: bool = False,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> RiskReport:
        """Find the claims of a text and measure what the graph says for and against each claim.

        The text's risk is the mean over its measured claims. A sentence with several claims has several records in the
        report.

        Args:
            text: Any English text.
            before: Use only evidence with a PMID up to this one. `Terms` describes this and the other parameters.
            form: How a cosine becomes a membership.
            alpha: Factor by which the membership of a similarity edge is multiplied.
            tau_min: Minimum belief of a relation edge, and minimum membership of a similarity edge.
            hops: Maximum length of a path.
            aggregate: The aggregate of path probabilities from which p_net is computed.
            contradiction: How evidence against a claim is found.
            paths: Maximum number of paths to list per claim.
            k: Steepness of `scaled`; None takes the value of the graph's similarity edges.
            s0: Cosine at which `scaled` gives 0.5; None takes the value of the graph's similarity edges.
            literature: Store in which the sentence closest to each claim is searched, to compare the words of both.
                None makes no comparison.
            exclude_retracted: Do not compare with sentences of retracted articles.
            concepts: The meaning of names in the text, as a mapping from name to concept key.
            progress: Receives a report after each sentence and each claim.

        Raises:
            InputError: The text is empty, a number is out of range, or a form, aggregate or contradiction is unknown.
        """
        releases = self._graph.releases()
        terms = Terms(
            form, alpha, tau_min, hops, aggregate, contradiction, paths, before, *scaling(releases, form, k, s0)
        )
        by_model = apart(releases) if form == "scaled" and terms.fit != GIVEN else {}
        if by_model != self._scales.by_model:
            self._scales = Scales(self._graph, by_model)
        seen = progress or Silent()
        told = list(self._reader.read(text, seen, concepts))
        risks = [self._measured(said, terms) for said in watched(told, seen, "measuring", "claims")]
        if literature is not None:
            risks = _worded(risks, literature, before, exclude_retracted)
        return RiskReport.of(text, risks, terms)

    def _measured(self, said: ReadClaim, terms: Terms) -> SentenceRisk:
        """Measure a claim if both its ends are linked; otherwise return a record whose status gives the reason."""
        text, triple, subject, target = said.sentence.text, said.triple, said.subject, said.object
        ends = LinkedConcept.of(subject), LinkedConcept.of(target)
        if triple is None:
            why = unread(text)
            return SentenceRisk.of(text, None, ends, Evidence(), _unmeasured("no_triple"), (why,) if why else ())
        flags = (*triple.flags, *_doubts("subject", subject), *_doubts("object", target))
        if subject.key is None or target.key is None:
            return SentenceRisk.of(text, triple, ends, Evidence(), _unmeasured("unlinked"), flags)
        if subject.key == target.key:
            return SentenceRisk.of(text, triple, ends, Evidence(), _unmeasured("no_evidence"), (*flags, "same_concept"))
        evidence = self._evidence(triple, subject.key, target.key, terms)
        if terms.contradiction == "inverted" and triple.negated:
            flags += ("negation_ignored",)
        flags += self._opposites(evidence)
        scored = score(evidence, terms.aggregate)
        flags += (THIN,) if scored.status == "measured" and thin(evidence) else ()
        return SentenceRisk.of(text, triple, ends, evidence, scored, flags)

    def _evidence(self, triple: Triple, subject: str, target: str, terms: Terms) -> Evidence:
        """Return all paths between two concepts, weighed for the claim."""
        network = self._scales.over(self._graph.network(subject, target, hops=terms.hops, before=terms.before))
        return weigh(
            self._lanes(network, terms.weights(*self._errors)),
            subject,
            target,
            terms.hops,
            claim=triple.sign,
            negated=triple.negated,
            contradiction=terms.contradiction,
            limit=terms.paths,
        )

    def _lanes(self, network: Network, weights: Weights) -> Lanes:
        """Return the lanes of a network: the edges that paths may use.

        The last result is kept, because a graph with an atlas (`cypher.atlas`) often returns the same network again.
        """
        if self._made is None or self._made[0].network is not network or self._made[1] != weights:
            self._made = lanes(network, weights), weights
        return self._made[0]

    def _opposites(self, evidence: Evidence) -> tuple[str, ...]:
        """Return a flag if a similarity edge on a listed path joins opposite names, which can have a high cosine."""
        steps = ((pairwise(path.keys), path.kinds) for path in evidence.paths)
        alike = {pair for pairs, kinds in steps for pair, kind in zip(pairs, kinds, strict=True) if kind == SIMILAR_TO}
        names = self._graph.concepts({key for pair in alike for key in pair})
        return ("opposite_names",) if any(opposed_pairs(names[a].name, names[b].name) for a, b in alike) else ()


def _worded(
    risks: Sequence[SentenceRisk], literature: LiteratureReader, before: int | None, exclude_retracted: bool
) -> list[SentenceRisk]:
    """Add to each record the comparison of its sentence with the closest sentence in the literature."""
    texts = list(dict.fromkeys(risk.text for risk in risks))
    found = closest(literature, texts, before=before, exclude_retracted=exclude_retracted)
    near = {text: sentence for text, sentence in zip(texts, found, strict=True) if sentence is not None}
    wordnet = installed_wordnet()
    return [
        replace(risk, words=Words.of(risk.text, near[risk.text], risk.p_net, wordnet)) if risk.text in near else risk
        for risk in risks
    ]


def _doubts(end: str, mention: Mention) -> Iterator[str]:
    """Yield flags if an end of a claim may be linked to a wrong concept."""
    if mention.ambiguous:
        yield f"ambiguous_{end}"
    if mention.how == "fuzzy":
        yield f"fuzzy_{end}"


def _unmeasured(status: Status) -> Score:
    return Score(None, None, None, status)
