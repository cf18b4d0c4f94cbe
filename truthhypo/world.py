"""Where the rooms are joined: settings in, a graph, a literature and a model out, and the judgements over them."""

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
    from knowhd.evidence.articles import Articles
    from knowhd.judge import Judge
    from knowhd.report import GroundReport
    from truthhypo.absence import Kind
    from truthhypo.hypotheses.context import Setting
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.select import Select

RULES = "rules"


class World:
    """A graph, a literature and a model, and what can be asked of them.

    Stores are opened when first asked for, and read-only unless `read_only` is False.

    Args:
        settings: Where everything is.
        read_only: False for whoever loads data.
        loading: Data is being loaded, if only in a dry run: a store that is not there yet is no mistake.

    Attributes:
        absent: Kinds of store (`graph`, `literature`) under HOME that nothing was ever loaded into; a warning
            (`NothingLoaded`) has said so.
    """

    def __init__(self, settings: Settings, *, read_only: bool = True, loading: bool = False) -> None:
        self.settings = settings
        self.absent: frozenset[Kind] = frozenset()
        self._read_only, self._loading = read_only, loading or not read_only
        self._open: list[Graph | Literature] = []
        self._lender: World | None = None  # whose stores these are, see `with_model`
        self._look_ups, self._judged_by = 1, dict[str, World]()

    @cached_property
    def graph_store(self) -> Graph:
        """The graph store itself, with both its ports."""
        if self._lender is not None:
            return self._lender.graph_store
        store = cypher.connect(self.settings.graph_address, self.settings, read_only=self._read_only)
        self._keep("graph", store)
        return store

    def expect(self, look_ups: int) -> None:
        """Say that so many look-ups of paths are to come, before the first: many are answered from memory."""
        self._look_ups = look_ups

    @cached_property
    def _risks(self) -> Checker:
        """Who measures risks; one for all texts, so that what was made of a graph in memory serves them all."""
        from fuzzygraph.check import Checker
        from truthhypo import neighbours
        from truthhypo.charting import reader

        graph = reader(self.graph_store, self.settings, self._look_ups)
        near = neighbours.connect(self.graph_store, self.settings.home) if self.settings.neighbours else None
        held = self.settings
        return Checker(graph, syst=held.syst, rand=held.rand, neighbours=near, relations=self._reader)

    @cached_property
    def graph(self) -> GraphLookups:
        """Look-ups on the graph, by key or name."""
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
        """The language model; None when the deterministic rules judge, which are not one."""
        from groundwork import llm

        return None if self.settings.model == RULES else llm.connect(self.settings.model, self.settings)

    @cached_property
    def _judge(self) -> Judge | None:
        """Who judges claims in the model's stead; None where the setting `judge` names nobody."""
        held = self.settings
        if self._lender is not None and self._lender.settings.judge == held.judge:
            return self._lender._judge
        if not held.judge:
            return None
        from knowhd import judges

        return judges.connect(held.judge, self.graph_store, held.judge_device, held.judge_batch, self._reader)

    @cached_property
    def _reader(self) -> Reader:
        """Who reads relations in sentences."""
        if self._lender is not None:
            return self._lender._reader
        from groundwork.reading import reader as reading

        return reading.connect(self.settings.reader, self.settings.reader_threshold)

    @cached_property
    def _articles(self) -> Articles:
        """Who reads articles, for all texts."""
        if self._lender is not None:
            return self._lender._articles
        from groundwork.mention_cache import MentionCache
        from knowhd.evidence.articles import Articles

        cache = MentionCache(self.settings.home / "cache" / "mentions.sqlite")
        return Articles(self.graph_store, self.literature, cache)

    @property
    def judge(self) -> Judge:
        """Who judges claims: whom the setting `judge` names, else the language model, else the rules."""
        from knowhd.model import ModelJudge
        from knowhd.rules.judge import RuleJudge

        model = self._account()
        return self._judge or (ModelJudge(model, self.graph_store) if model else RuleJudge(self._reader))

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
        """Groundedness of a text: its claims, their evidence and verdicts (KnowHD, paper A section 3).

        Args:
            text: A hypothesis, with or without its rationale.
            before: Only evidence with PMID <= before counts.
            k: Documents per claim at most.
            tau: BM25 score a document must reach.
            exclude_retracted: Leave retracted articles out, under edges as well.
            hops: Longest chain of edges taken as evidence, 1 to 4; 1 takes edges alone.
            once: A language model gives the three verdicts on a claim by one prompt, not by one a source.
            joint: Claims in one prompt.
            concepts: What names of the text mean: for each its concept, by key.
            progress: Told of each sentence and each claim; None: nobody is.
        """
        from groundwork.chance import belief
        from knowhd.check import Checker
        from knowhd.model import Asking
        from knowhd.rules.judge import RuleJudge

        dated(before)
        checker = Checker(
            self.graph_store,
            self.literature,
            self._account(),
            judge=self._judge or (None if self.model else RuleJudge(self._reader)),
            asking=Asking(once, joint),
            evidence_tokens=self.settings.evidence_tokens,
            home=self.settings.home,
            belief=partial(belief, syst=self.settings.syst, rand=self.settings.rand),
            articles=self._articles,
        )
        return checker.check(
            text,
            before=before,
            k=k,
            tau=tau,
            exclude_retracted=exclude_retracted,
            hops=hops,
            concepts=meanings(self.graph_store, concepts),
            progress=progress,
        )

    @cached_property
    def _compared(self) -> tuple[Literature | None, str]:
        return readable(lambda: self.literature)

    @property
    def compared(self) -> Literature | None:
        """The literature that `risk` compares words with; None if it holds nothing or cannot be read."""
        return self._compared[0]

    @property
    def uncompared(self) -> str:
        """Why `risk` has no literature to compare words with; "" if it has one."""
        return self._compared[1]

    def risk(self, text: str, *, words: bool = True, **options: Any) -> RiskReport:
        """Hallucination risk of a text on the fuzzy concept graph (paper B); with `words`, its words beside it.

        Options are those of `fuzzygraph.check.Checker.check`, and `concepts` of `ground`.
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
        """Hypothesise the relation of two concepts (TruthHypo, paper A section 2.2).

        Args:
            head: Key or name.
            tail: Key or name.
            setting: Which knowledge the model is given.
            before: PMID cut of that knowledge.
            hops: Longest chain, 1-4.
            k: Documents at most.
            n: Candidates to generate.
            select: How one of them is chosen.
            exclude_retracted: Leave retracted articles out.
            concepts: What names mean, `head` and `tail` among them: for each its concept, by key.

        Raises:
            InputError: A pair outside the three tasks; `parametric` without a language model; an unknown setting or
                way to select; n < 1.
        """
        from truthhypo.hypothesizing import hypothesize

        # An account of its own: the usage of this question, with that of grounding its candidates.
        own = self.with_model(self._account())
        return hypothesize(own, head, tail, setting, before, hops, k, n, select, exclude_retracted, concepts)

    def with_model(self, model: LanguageModel | None) -> World:
        """The same stores with another model; it need not be closed."""
        return self._lent(self.settings, model)

    def judged_by(self, name: str) -> World:
        """The same stores and model with another judge, which is opened once; it need not be closed."""
        if name not in self._judged_by:
            self._judged_by[name] = self._lent(self.settings.model_copy(update={"judge": name}), self.model)
        return self._judged_by[name]

    def _lent(self, settings: Settings, model: LanguageModel | None) -> World:
        other = World(settings, read_only=self._read_only, loading=self._loading)
        other._lender = self
        vars(other)["model"] = model
        return other

    def _account(self) -> LanguageModel | None:
        """The model, with an account of its own where it keeps several: texts may be judged side by side."""
        return self.model.account() if isinstance(self.model, Accounting) else self.model

    def close(self) -> None:
        """Let go of the stores."""
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False
