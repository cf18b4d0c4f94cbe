"""Judge one text: its groundedness, its hallucination risk, or the relation of two concepts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fuzzygraph.options import RiskOptions
from groundwork.errors import InputError
from groundwork.inventory import labels
from knowhd.options import CiteOptions, GroundOptions
from truthhypo.arguments import checked_options, receiver
from truthhypo.asynchronous import asynchronous
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.lookups import meanings, named
from truthhypo.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from fuzzygraph.options import RiskKeywords
    from fuzzygraph.risk_report import RiskReport
    from groundwork.ports import LanguageModel, Progress
    from knowhd.check import Checker
    from knowhd.citations import CitationReport
    from knowhd.ground_report import GroundReport
    from knowhd.options import CiteKeywords, GroundKeywords
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.options import HypothesizeKeywords
    from truthhypo.world import World


class Judgements(Resources):
    """The methods of a `World` that judge one text or one pair of concepts. `World` documents how they are used."""

    @checked_options(GroundOptions)
    def ground(self, text: str, *, progress: Progress | None = None, **options: Unpack[GroundKeywords]) -> GroundReport:
        """Return the groundedness of a text: its claims, their evidence and verdicts (KnowHD, paper A section 3).

        Args:
            text: A hypothesis, with or without its rationale.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `GroundOptions`.

        Example:
            >>> world.ground("Aspirin causes myocardial infarction.").claims[0].verdicts["both"]
            'contradicted'
        """
        asked = GroundOptions(**options)
        if progress is not None:
            receiver(progress)
        with self._turn:
            checker = self.checker(asked)
            meant = meanings(self.graph_store, asked.concepts)
            found = checker.gathered(text, asked, concepts=meant, progress=progress)
            report = named(self.graph_store, checker.judged(found, progress))
            return replace(report, release_labels=labels(self.settings.home, report.release))

    def checker(self, options: CiteOptions | None = None) -> Checker:
        """Return a checker of claims with the stores, the model and the judge of this world.

        Args:
            options: How many prompts a language model gets: `once` and `joint`. None means the defaults.

        Example:
            >>> type(world.checker()).__name__
            'Checker'
        """
        from knowhd.check import Checker
        from knowhd.rules_judge import RuleJudge
        from truthhypo.service.marks import MarkList

        held = self.settings
        return Checker(
            self.graph_store,
            self.literature_store,
            self._account(),
            judge=self._judge or (None if self.model else RuleJudge(self.reader)),
            options=options,
            evidence_tokens=held.evidence_tokens,
            home=held.home,
            articles=self._articles,
            marks=MarkList(held.home).all(),
            obeyed=held.marks,
        )

    @checked_options(CiteOptions)
    def cite(
        self,
        claim: str,
        pmids: Iterable[int | str] = (),
        *,
        evidence: str | None = None,
        progress: Progress | None = None,
        **options: Unpack[CiteKeywords],
    ) -> CitationReport:
        """Return whether each cited article states a claim, and by which sentence.

        Args:
            claim: A statement, which may make several claims.
            pmids: PMIDs of the cited articles, as numbers or text (`12345`, `PMID: 12345`).
            evidence: A text that is judged like an article, before the articles: a part of a full text, for instance.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `CiteOptions`.

        Raises:
            InputError: A PMID is no positive number, or neither PMIDs nor evidence are given.

        Example:
            >>> world.cite("Aspirin causes myocardial infarction.", [990000005]).citations[0].verdict
            'contradicted'
        """
        from groundwork.readable import statement
        from truthhypo.lookups import cited_pmids

        asked = CiteOptions(**options)
        if progress is not None:
            receiver(progress)
        known = cited_pmids(pmids)
        if not known and evidence is None:
            seen = "a claim with neither PMIDs nor a text"
            raise InputError(seen, "at least one PMID, or a text as evidence", "name the cited articles")
        with self._turn:
            meant = meanings(self.graph_store, asked.concepts)
            own = None if evidence is None else statement(evidence)
            return self.checker(asked).cite(claim, known, own, concepts=meant, progress=progress)

    @checked_options(RiskOptions)
    def risk(self, text: str, *, progress: Progress | None = None, **options: Unpack[RiskKeywords]) -> RiskReport:
        """Return the hallucination risk of a text, computed from paths in the fuzzy concept graph (paper B).

        Args:
            text: Any English text.
            progress: Receives a report after each sentence and each claim.
            **options: The fields of `RiskOptions`.

        Example:
            >>> risk = world.risk("Simvastatin lowers cholesterol.")
            >>> round(risk.hrs, 2), round(risk.strength, 2), risk.flags
            (0.01, 0.84, ())
        """
        from groundwork.readable import statement

        asked = RiskOptions(**options)
        if progress is not None:
            receiver(progress)
        with self._turn:
            meant = replace(asked, concepts=meanings(self.graph_store, asked.concepts))
            literature = self.compared if asked.words else None
            report = self._risks.check(
                statement(text),
                meant,
                literature=literature,
                without=self.uncounted(exclude_retracted=asked.exclude_retracted),
                progress=progress,
            )
            return named(self.graph_store, report)

    @checked_options(HypothesizeOptions)
    def hypothesize(self, head: str, tail: str, **options: Unpack[HypothesizeKeywords]) -> Hypothesis:
        """Propose the relation between two concepts (TruthHypo, paper A section 2.2).

        Args:
            head: Key, id or name of the first concept.
            tail: Key, id or name of the second concept.
            **options: The fields of `HypothesizeOptions`. The names in `concepts` may include `head` and `tail`.

        Raises:
            InputError: The pair is of other types than the tasks, the setting `parametric` is used without a language
                model, or an argument is invalid.

        Example:
            >>> world.hypothesize("simvastatin", "HMGCR").relation
            'negative_correlate'
        """
        from truthhypo.hypothesizing import hypothesize

        asked = HypothesizeOptions(**options)
        with self._turn:
            own = self.with_model(self._account())  # separate usage counts for this question and its grounding
            return hypothesize(own, head, tail, asked)

    @asynchronous(ground)
    def aground(self) -> None:
        """Do the same as `ground` in a thread, and leave the event loop free.

        Judgements of one world wait for each other. To judge many texts, use `aground_many`.

        Example:
            >>> asyncio.run(world.aground("Simvastatin lowers cholesterol.")).groundedness["both"]
            1.0
        """

    @asynchronous(cite)
    def acite(self) -> None:
        """Do the same as `cite` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.acite("Simvastatin lowers cholesterol.", [990000012])).citations[0].verdict
            'supported'
        """

    @asynchronous(risk)
    def arisk(self) -> None:
        """Do the same as `risk` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.arisk("Simvastatin lowers cholesterol.")).sentences[0].status
            'measured'
        """

    @asynchronous(hypothesize)
    def ahypothesize(self) -> None:
        """Do the same as `hypothesize` in a thread, and leave the event loop free.

        Example:
            >>> asyncio.run(world.ahypothesize("simvastatin", "HMGCR")).relation
            'negative_correlate'
        """

    def with_model(self, model: LanguageModel | str | None) -> World:
        """Return a world with the same stores and another model."""
        raise NotImplementedError
