"""Judge one text: its groundedness, its hallucination risk, or the relation of two concepts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from truthhypo.arguments import checked_arguments, receiver
from truthhypo.asynchronous import asynchronous
from truthhypo.lookups import dated, meanings, named
from truthhypo.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzzygraph.check import RiskReport
    from fuzzygraph.membership import Form
    from fuzzygraph.support import Aggregate, Contradicting
    from groundwork.ports import LanguageModel, Progress
    from knowhd.check import Checker
    from knowhd.ground_report import GroundReport
    from truthhypo.hypotheses.context import Setting
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.select import Select
    from truthhypo.world import World


class Judgements(Resources):
    """The methods of a `World` that judge one text or one pair of concepts. `World` documents how they are used."""

    @checked_arguments
    def ground(
        self,
        text: str,
        *,
        before: int | None = None,
        k: int = 8,
        tau: float | None = None,
        exclude_retracted: bool = False,
        hops: int = 1,
        once: bool = True,
        joint: int = 1,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> GroundReport:
        """Return the groundedness of a text: its claims, their evidence and verdicts (KnowHD, paper A section 3).

        Args:
            text: A hypothesis, with or without its rationale.
            before: Use only evidence with a PMID up to this one.
            k: Maximum number of articles per claim.
            tau: Minimum BM25 score of an article.
            exclude_retracted: Ignore retracted articles, also as support of edges.
            hops: Maximum length of a chain used as evidence, 1 to 4; 1 uses only edges.
            once: Ask a language model for the three verdicts on a claim in one prompt, not in one prompt per source.
            joint: Number of claims in one prompt.
            concepts: Mapping from names in the text to the keys of their concepts.
            progress: Receives a report after each sentence and each claim.

        Example:
            >>> world.ground("Aspirin causes myocardial infarction.").claims[0].verdicts["both"]
            'contradicted'
        """
        from knowhd.evidence.gather import Scope

        dated(before)
        if progress is not None:
            receiver(progress)
        scope = Scope(before, k, tau, exclude_retracted, hops)
        with self._turn:
            checker = self.checker(once=once, joint=joint)
            found = checker.gathered(text, scope, concepts=meanings(self.graph_store, concepts), progress=progress)
            return named(self.graph_store, checker.judged(found, progress))

    def checker(self, *, once: bool = True, joint: int = 1) -> Checker:
        """Return a checker of claims with the stores, the model and the judge of this world.

        Args:
            once: As in `ground`.
            joint: As in `ground`.

        Example:
            >>> type(world.checker()).__name__
            'Checker'
        """
        from groundwork.chance import belief
        from knowhd.check import Checker
        from knowhd.model import Asking
        from knowhd.rules.judge import RuleJudge

        held = self.settings
        return Checker(
            self.graph_store,
            self.literature_store,
            self._account(),
            judge=self._judge or (None if self.model else RuleJudge(self.reader)),
            asking=Asking(once, joint),
            evidence_tokens=held.evidence_tokens,
            home=held.home,
            belief=partial(belief, syst=held.syst, rand=held.rand),
            articles=self._articles,
        )

    @checked_arguments
    def risk(
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
        words: bool = True,
        exclude_retracted: bool = False,
        concepts: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> RiskReport:
        """Return the hallucination risk of a text, computed from paths in the fuzzy concept graph (paper B).

        Args:
            text: Any English text.
            before: Use only evidence with a PMID up to this one.
            form: Formula that turns the cosine of a similarity edge into its membership mu, in [0, 1]: `scaled`,
                `paper` or `linear`.
            alpha: Weight of a similarity edge, above 0 and up to 1.
            tau_min: Minimum belief or mu of an edge, 0 to 1.
            hops: Maximum number of edges in a path, 1 to 4.
            aggregate: How the probabilities of paths are combined: `noisy_or`, `max` or `sum`.
            contradiction: Which paths contradict a claim. `signed`: paths of the opposite sign. `inverted`: every path,
                by the product of 1 - p over its edges (paper B, 6.5).
            paths: Maximum number of paths to list per claim.
            k: Steepness of the form `scaled`, given with `s0`; None takes the value of the graph's similarity edges.
            s0: Cosine at which the form `scaled` gives 0.5; None takes the value of the graph's similarity edges.
            words: Whether the words of each claim are also compared with the closest sentence in the literature.
            exclude_retracted: Do not compare the words with sentences of retracted articles.
            concepts: Mapping from names in the text to the keys of their concepts.
            progress: Receives a report after each sentence and each claim.

        Example:
            >>> risk = world.risk("Simvastatin lowers cholesterol.")
            >>> round(risk.hrs, 2), round(risk.strength, 2), risk.flags
            (0.0, 1.0, ())
        """
        from groundwork.characters import statement
        from truthhypo.bench.grid.calibration import calibrated

        dated(before)
        if progress is not None:
            receiver(progress)
        with self._turn:
            report = self._risks.check(
                statement(text),
                before=before,
                form=form,
                alpha=alpha,
                tau_min=tau_min,
                hops=hops,
                aggregate=aggregate,
                contradiction=contradiction,
                paths=paths,
                k=k,
                s0=s0,
                literature=self.compared if words else None,
                exclude_retracted=exclude_retracted,
                concepts=meanings(self.graph_store, concepts),
                progress=progress,
            )
            return named(self.graph_store, calibrated(report, self.settings.home))

    @checked_arguments
    def hypothesize(
        self,
        head: str,
        tail: str,
        *,
        setting: Setting = "kg+lit",
        before: int | None = None,
        hops: int = 2,
        k: int = 32,
        n: int = 1,
        select: Select = "greedy",
        exclude_retracted: bool = False,
        concepts: Mapping[str, str] | None = None,
    ) -> Hypothesis:
        """Propose the relation between two concepts (TruthHypo, paper A section 2.2).

        Args:
            head: Key, id or name of the first concept.
            tail: Key, id or name of the second concept.
            setting: Knowledge that the model is given: `parametric` (none), `kg` (chains from the graph), `lit`
                (abstracts) or `kg+lit`.
            before: Use only knowledge with a PMID up to this one.
            hops: Maximum length of a chain, 1 to 4.
            k: Maximum number of articles.
            n: Number of candidates to generate.
            select: How one candidate is chosen: `greedy`, `majority` or `groundedness`.
            exclude_retracted: Ignore retracted articles.
            concepts: Mapping from names, which may include `head` and `tail`, to the keys of their concepts.

        Raises:
            InputError: The pair is outside the three tasks, the setting `parametric` is used without a language model,
                or an argument is invalid.

        Example:
            >>> world.hypothesize("simvastatin", "HMGCR").relation
            'negative_correlate'
        """
        from truthhypo.hypothesizing import hypothesize

        with self._turn:
            own = self.with_model(self._account())  # separate usage counts for this question and its grounding
            return hypothesize(own, head, tail, setting, before, hops, k, n, select, exclude_retracted, concepts)

    @asynchronous(ground)
    def aground(self) -> None:
        """Do the same as `ground` in a thread, and leave the event loop free.

        Judgements of one world wait for each other. To judge many texts, use `aground_many`.

        Example:
            >>> asyncio.run(world.aground("Simvastatin lowers cholesterol.")).groundedness["both"]
            1.0
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
