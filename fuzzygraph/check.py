"""Check a text: measure how well the graph supports each of its claims (paper B, sections 4 to 6)."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from fuzzygraph.lanes import Lanes, Weights, lanes
from fuzzygraph.likelihood import Coefficients, damped, observe, shipped
from fuzzygraph.membership import Scales, apart
from fuzzygraph.options import RiskOptions
from fuzzygraph.risk_report import GIVEN, SHIPPED, RiskReport, SentenceRisk, Terms, Words
from fuzzygraph.support import ENOUGH, THIN, Evidence, Score, Status, score, score_calibrated, thin, weigh
from fuzzygraph.words import closest, installed_wordnet
from groundwork.language import rows
from groundwork.network import ArticleMask, Network
from groundwork.ports import GraphReader, LiteratureReader, Progress, Silent, watched
from groundwork.ports.claims import ClaimReader, SaidClaim
from groundwork.records import Release
from groundwork.spelling import opposed_pairs
from groundwork.vocabulary import SIMILAR_TO
from groundwork.walks import Arcs

#: Maximum length of a sentence, in characters. The longest of 20,000 sentences in BioRED and BC5CDR has about 1,000.
LONGEST_SENTENCE = 2_500

_WORD = re.compile(r"[^\W\d_]+")


def unread(sentence: str) -> str | None:
    """Return why a sentence cannot be read, as a flag: `too_long` or `not_english`; None if it can be read."""
    if len(sentence) > LONGEST_SENTENCE:
        return "too_long"
    words = _WORD.findall(sentence.lower())
    letters = "".join(words)
    strange = sum(letter > "\u024f" and not "\u0370" <= letter <= "\u03ff" for letter in letters)  # Greek is allowed
    foreign, english = (sum(word in _words(language) for word in words) for language in ("foreign", "english"))
    return "not_english" if strange * 2 > len(letters) or (foreign > 1 and foreign > english) else None


@lru_cache(maxsize=2)
def _words(language: str) -> frozenset[str]:
    return frozenset(word for kind, word in rows("groundwork.reading", "function_words.tsv") if kind == language)


__all__ = ["Checker", "RiskReport"]


class Checker:
    """Measures the hallucination risk of texts against one graph.

    Args:
        graph: Store of concepts and paths.
        claims: Reader of the claims of a text.
        syst: Systematic error in an edge's belief.
        rand: Random error in an edge's belief.
        coefficients: Coefficients of the score `calibrated`, and their source (`Terms.coefficients`); None for those
            that come with the program.
    """

    def __init__(
        self,
        graph: GraphReader,
        claims: ClaimReader,
        *,
        syst: float = 0.05,
        rand: float = 0.3,
        coefficients: tuple[Coefficients, str] | None = None,
    ) -> None:
        self._graph = graph
        self._claims = claims
        self._errors = (syst, rand)
        self._coefficients, self._source = coefficients or (shipped()[0], SHIPPED)
        self._made: tuple[Lanes, Arcs, Weights] | None = None
        self._counted: tuple[tuple[Release, ...], int] | None = None
        self._scales = Scales(graph, {})

    def check(
        self,
        text: str,
        options: RiskOptions | None = None,
        *,
        literature: LiteratureReader | None = None,
        without: ArticleMask | None = None,
        progress: Progress | None = None,
    ) -> RiskReport:
        """Find the claims of a text and measure what the graph says for and against each claim.

        The text's risk is the mean over its claims, if all of them could be measured. A sentence with several claims
        has several records in the report.

        Args:
            text: Any English text.
            options: Which paths count, and how they are combined; None for the defaults.
            literature: Store in which the sentence closest to each claim is searched, to compare the words of both.
                None makes no comparison.
            without: Articles that do not count as support of edges (`LiteratureReader.uncounted`).
            progress: Receives a report after each sentence and each claim.

        Raises:
            InputError: The text is empty.
        """
        options = options or RiskOptions()
        releases = self._graph.releases()
        terms = Terms.of(options, releases, self._source)
        by_model = apart(releases) if terms.form == "scaled" and terms.fit != GIVEN else {}
        if by_model != self._scales.by_model:
            self._scales = Scales(self._graph, by_model)
        seen = progress or Silent()
        told = list(self._claims.read(text, concepts=options.concepts, progress=seen))
        relations = self._relations(releases)
        risks = [self._measured(said, terms, without, relations) for said in watched(told, seen, "measuring", "claims")]
        if literature is not None:
            risks = _worded(risks, literature, options.before, options.exclude_retracted)
        return RiskReport.of(text, risks, terms)

    def _relations(self, releases: tuple[Release, ...]) -> int:
        """Return the number of relation edges of the graph. They are counted again after a load."""
        if self._counted is None or self._counted[0] != releases:
            self._counted = releases, sum(self._graph.counts().edges.values())
        return self._counted[1]

    def _measured(self, said: SaidClaim, terms: Terms, without: ArticleMask | None, relations: int) -> SentenceRisk:
        """Measure a claim if both its ends are concepts; otherwise return a record whose status gives the reason."""
        triple = said.triple
        if triple is None:
            why = unread(said.text)
            return SentenceRisk.of(said.text, None, Evidence(), _unmeasured("no_triple"), (why,) if why else ())
        raised = {
            "hedged": triple.hedged,
            "ambiguous_subject": triple.subject.ambiguous,
            "ambiguous_object": triple.object.ambiguous,
        }
        flags = tuple(flag for flag, up in raised.items() if up)
        if triple.keys is None:
            return SentenceRisk.of(said.text, triple, Evidence(), _unmeasured("unlinked"), flags)
        subject, target = triple.keys
        found = self._graph.network(subject, target, hops=terms.hops, before=terms.before, without=without)
        made, arcs = self._lanes(self._scales.over(found), terms.weights(*self._errors))
        evidence = weigh(
            made,
            subject,
            target,
            terms.hops,
            claim=triple.sign,
            negated=triple.negated,
            contradiction=terms.contradiction,
            limit=terms.paths,
        )
        if terms.score == "paper" and terms.contradiction == "inverted" and triple.negated:
            flags += ("negation_ignored",)
        flags += self._opposites(evidence)
        observed = observe(made, arcs, relations, subject, target, terms.hops)
        if terms.score == "paper":
            scored = score(evidence, terms.aggregate)
            weak = scored.status == "measured" and thin(evidence)
        else:
            scored = score_calibrated(observed, self._coefficients, triple.sign, negated=triple.negated)
            weak = scored.strength is not None and scored.strength < ENOUGH
        flags += (THIN,) if weak else ()
        risk = SentenceRisk.of(said.text, triple, evidence, scored, flags)
        direct = observed.direct(triple.sign, negated=triple.negated and "negation_ignored" not in flags)
        return risk if direct is None else risk.beside("A direct edge", supported=direct)

    def _lanes(self, network: Network, weights: Weights) -> tuple[Lanes, Arcs]:
        """Return the lanes of a network (the edges that paths may use), and the same as `damped` arcs.

        The last result is kept, because a graph with an atlas (`cypher.atlas`) often returns the same network again.
        """
        if self._made is None or self._made[0].network is not network or self._made[2] != weights:
            made = lanes(network, weights)
            self._made = made, damped(made), weights
        return self._made[:2]

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


def _unmeasured(status: Status) -> Score:
    return Score(None, None, None, status)
