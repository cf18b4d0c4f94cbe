"""Open the stores and models that the settings name, and judge with them. This module joins the rooms."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self

import cypher
import literature
from groundwork.ports import Accounting
from groundwork.settings import Settings
from truthhypo.absence import absent
from truthhypo.graph_lookups import GraphLookups
from truthhypo.lookups import dated, meanings, readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzzygraph.check import Checker, RiskReport
    from groundwork.ports import Graph, LanguageModel, Literature, Progress
    from groundwork.reading.reader import Reader
    from knowhd.check import Checker as GroundChecker
    from knowhd.evidence.articles import Articles
    from knowhd.judge import Judge
    from knowhd.report import GroundReport
    from truthhypo.absence import Kind
    from truthhypo.hypotheses.context import Setting
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.select import Select

RULES = "rules"


class World:
    """A graph, a literature and a model, and the lookups and judgements that use them.

    Stores are opened when they are first used, and read-only unless `read_only` is False.

    Args:
        settings: All settings.
        read_only: Whether stores are opened for reading only. Use False to load data.
        loading: Whether data is being loaded, even in a dry run. Then a missing store is not reported.

    Attributes:
        absent: Kinds of store (`graph`, `literature`) under HOME into which no data was ever loaded.
    """

    def __init__(self, settings: Settings, *, read_only: bool = True, loading: bool = False) -> None:
        self.settings = settings
        self.absent: frozenset[Kind] = frozenset()
        self._read_only, self._loading = read_only, loading or not read_only
        self._open: list[Graph | Literature] = []
        self._lender: World | None = None  # the world that owns the stores, see `with_model`
        self._look_ups, self._judged_by = 1, dict[str, World]()

    @cached_property
    def graph_store(self) -> Graph:
        """The graph store. It implements the reading and the writing port."""
        if self._lender is not None:
            return self._lender.graph_store
        store = cypher.connect(self.settings.graph_address, self.settings, read_only=self._read_only)
        self._keep("graph", store)
        return store

    def expect(self, look_ups: int) -> None:
        """Announce the number of path lookups before the first one, so that many lookups are answered from an atlas."""
        self._look_ups = look_ups

    @cached_property
    def _risks(self) -> Checker:
        """The checker of risks. All texts share it, so that a graph in memory is prepared only once."""
        from fuzzygraph.check import Checker
        from truthhypo import neighbours
        from truthhypo.charting import reader

        graph = reader(self.graph_store, self.settings, self._look_ups)
        near = neighbours.connect(self.graph_store, self.settings.home) if self.settings.neighbours else None
        held = self.settings
        return Checker(graph, syst=held.syst, rand=held.rand, neighbours=near, relations=self.reader)

    @cached_property
    def graph(self) -> GraphLookups:
        """Graph lookups by key or name."""
        return GraphLookups(self.graph_store)

    @cached_property
    def literature(self) -> Literature:
        """The literature store."""
        if self._lender is not None:
            return self._lender.literature
        store = literature.connect(self.settings.literature_address, self.settings, read_only=self._read_only)
        self._keep("literature", store)
        return store

    def _keep(self, kind: Kind, store: Graph | Literature) -> None:
        """Keep an open store until `close`, and warn if nothing was ever loaded into it (`absence.absent`)."""
        self._open.append(store)
        if not self._loading and kind not in self.absent:
            self.absent = absent(kind, store, self.settings)

    @cached_property
    def model(self) -> LanguageModel | None:
        """The language model, or None if the setting `model` is `rules`: deterministic rules that call no model."""
        from groundwork import llm

        return None if self.settings.model == RULES else llm.connect(self.settings.model, self.settings)

    @cached_property
    def _judge(self) -> Judge | None:
        """The judge that the setting `judge` names, or None if this setting is empty."""
        held = self.settings
        if self._lender is not None and self._lender.settings.judge == held.judge:
            return self._lender._judge
        if not held.judge:
            return None
        from knowhd import judges

        return judges.connect(held.judge, self.graph_store, held.judge_device, held.judge_batch, self.reader)

    @cached_property
    def reader(self) -> Reader:
        """The reader of relations in sentences."""
        if self._lender is not None:
            return self._lender.reader
        from groundwork.reading import reader as reading

        return reading.connect(self.settings.reader, self.settings.reader_threshold)

    @cached_property
    def _articles(self) -> Articles:
        """The reader of articles, shared by all texts."""
        if self._lender is not None:
            return self._lender._articles
        from groundwork.mention_cache import MentionCache
        from knowhd.evidence.articles import Articles

        cache = MentionCache(self.settings.home / "cache" / "mentions.sqlite")
        return Articles(self.graph_store, self.literature, cache)

    @property
    def judge(self) -> Judge:
        """The judge of claims: the judge in the setting `judge`; without one, the language model or else the rules."""
        from knowhd.model import ModelJudge
        from knowhd.rules.judge import RuleJudge

        model = self._account()
        return self._judge or (ModelJudge(model, self.graph_store) if model else RuleJudge(self.reader))

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
        """
        from knowhd.evidence.gather import Scope

        dated(before)
        checker, scope = self.checker(once=once, joint=joint), Scope(before, k, tau, exclude_retracted, hops)
        found = checker.gathered(text, scope, concepts=meanings(self.graph_store, concepts), progress=progress)
        return checker.judged(found, progress)

    def checker(self, *, once: bool = True, joint: int = 1) -> GroundChecker:
        """Return a checker of claims with the stores, the model and the judge of this world; see `ground`."""
        from groundwork.chance import belief
        from knowhd.check import Checker
        from knowhd.model import Asking
        from knowhd.rules.judge import RuleJudge

        return Checker(
            self.graph_store,
            self.literature,
            self._account(),
            judge=self._judge or (None if self.model else RuleJudge(self.reader)),
            asking=Asking(once, joint),
            evidence_tokens=self.settings.evidence_tokens,
            home=self.settings.home,
            belief=partial(belief, syst=self.settings.syst, rand=self.settings.rand),
            articles=self._articles,
        )

    @cached_property
    def _compared(self) -> tuple[Literature | None, str]:
        return readable(lambda: self.literature)

    @property
    def compared(self) -> Literature | None:
        """The literature with which `risk` compares words, or None if the literature is empty or cannot be read."""
        return self._compared[0]

    @property
    def uncompared(self) -> str:
        """The reason why `risk` has no literature to compare words with, or "" if there is a literature."""
        return self._compared[1]

    def risk(self, text: str, *, words: bool = True, **options: Any) -> RiskReport:
        """Return the hallucination risk of a text by paths in the fuzzy concept graph (paper B).

        Args:
            text: Any English text.
            words: Whether the words are also compared with the closest sentence in the literature.
            **options: Options of `fuzzygraph.check.Checker.check`, and `concepts` as in `ground`.
        """
        from groundwork.characters import statement
        from truthhypo.bench.grid.calibration import calibrated

        dated(options.get("before"))
        options["concepts"] = meanings(self.graph_store, options.get("concepts"))
        report = self._risks.check(statement(text), literature=self.compared if words else None, **options)
        return calibrated(report, self.settings.home)

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
            head: Key or name.
            tail: Key or name.
            setting: Knowledge that the model is given.
            before: Use only knowledge with a PMID up to this one.
            hops: Maximum length of a chain, 1 to 4.
            k: Maximum number of articles.
            n: Number of candidates to generate.
            select: How one candidate is chosen.
            exclude_retracted: Ignore retracted articles.
            concepts: Mapping from names, which may include `head` and `tail`, to the keys of their concepts.

        Raises:
            InputError: The pair is outside the three tasks, `parametric` has no model, or an option is invalid.
        """
        from truthhypo.hypothesizing import hypothesize

        own = self.with_model(self._account())  # separate usage counts for this question and its grounding
        return hypothesize(own, head, tail, setting, before, hops, k, n, select, exclude_retracted, concepts)

    def with_model(self, model: LanguageModel | None) -> World:
        """Return a world with the same stores and another model. The returned world need not be closed."""
        return self._lent(self.settings, model)

    def judged_by(self, name: str) -> World:
        """Return a world with the same stores and model but another judge, which is opened once. Do not close it."""
        if name not in self._judged_by:
            self._judged_by[name] = self._lent(self.settings.model_copy(update={"judge": name}), self.model)
        return self._judged_by[name]

    def _lent(self, settings: Settings, model: LanguageModel | None) -> World:
        other = World(settings, read_only=self._read_only, loading=self._loading)
        other._lender = self
        vars(other)["model"] = model
        return other

    def _account(self) -> LanguageModel | None:
        """Return the model, with its own usage counts if possible, because several texts may be judged in parallel."""
        return self.model.account() if isinstance(self.model, Accounting) else self.model

    def close(self) -> None:
        """Close the stores."""
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False
