"""The judgements of a world, without its lock: the model, the judge and the readers on the stores of the world."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fuzzygraph.options import RiskOptions
from groundwork import inventory
from groundwork.errors import InputError
from groundwork.ports import Accounting, LanguageModel
from groundwork.readable import statement
from knowhd.options import CiteOptions, GroundOptions
from truthhypo import provenance
from truthhypo.lookups import meanings, named, resolve
from truthhypo.worker_pool import together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzzygraph.check import Checker as RiskChecker
    from fuzzygraph.risk_report import RiskReport
    from groundwork.options import Options
    from groundwork.ports import Graph, Literature, Progress
    from groundwork.settings import Settings
    from knowhd.check import Checker
    from knowhd.citations import CitationReport
    from knowhd.gather import Articles
    from knowhd.ground_report import GroundReport
    from knowhd.judge import Judge
    from truthhypo.faces.many.report import Command
    from truthhypo.hypotheses.hypothesis import Hypothesis
    from truthhypo.hypotheses.options import HypothesizeOptions, Task
    from truthhypo.resources import Stores

RULES = "rules"
#: Settings on which all records depend, and further settings for the records of commands that ask a judge.
_SETTINGS = ("species", "syst", "rand")
_JUDGING = ("judge", "marks", "evidence_tokens", "model_tokens", "model_answers")


class Judging:
    """The four judgements of a text or a pair. They get the model to use, because a worker pool has its own.

    Judges, readers and caches are not thread-safe: the caller holds a lock, `Stores.turn` or that of a worker pool.

    Args:
        settings: All settings.
        stores: The stores, which other judgements may share.
    """

    def __init__(self, settings: Settings, stores: Stores) -> None:
        self.settings, self.stores = settings, stores
        self._judged_by = dict[str, Judging]()
        # Each of these is made when it is first used, and shared by the judgements that are made from these.
        self._model = cache(partial(connected, settings.model, settings))
        self._judge = cache(self._made_judge)
        self._set_species()

    def _set_species(self) -> None:
        """Set what depends on the organism whose genes a symbol means."""
        self._graph = cache(lambda: self.stores.graph.of_species(self.settings.species))
        self._articles, self._risks = cache(self._made_articles), cache(self._made_risks)

    def _like(self, **settings: Any) -> Judging:
        """Return judgements with other settings, and with the same stores, model and judge."""
        other = copy(self)
        other.settings, other._judged_by = self.settings.model_copy(update=settings), {}
        return other

    def with_model(self, model: LanguageModel | None) -> Judging:
        """Return the same with another model."""
        other = self._like()
        other._model = cache(lambda: model)
        return other

    def judged_by(self, name: str) -> Judging:
        """Return the same with another judge. It is made once per judge."""
        if name not in self._judged_by:
            other = self._judged_by[name] = self._like(judge=name)
            other._judge = cache(other._made_judge)
        return self._judged_by[name]

    def of_species(self, species: str) -> Judging:
        """Return the same for another organism whose genes a symbol means."""
        other = self._like(species=species)
        other._set_species()
        return other

    @property
    def graph(self) -> Graph:
        """The graph store, in which symbols mean the genes of the organism in the settings."""
        store = self.stores.graph
        return store if store.species == self.settings.species else self._graph()

    @property
    def literature(self) -> Literature:
        """The literature store."""
        return self.stores.literature

    @property
    def model(self) -> LanguageModel | None:
        """The language model; None stands for the rules."""
        return self._model()

    @property
    def judge(self) -> Judge:
        """The judge in the setting `judge`; without one, the language model or else the rules."""
        from knowhd.model_judges import ModelJudge
        from knowhd.rules_judge import RuleJudge

        model = _account(self.model)
        return self._judge() or (ModelJudge(model, self.graph) if model else RuleJudge(self.stores.reader))

    def reads(self, options: Options) -> Literature | None:
        """Return the literature that a judgement with these options reads; None if it reads none."""
        if isinstance(options, RiskOptions):
            return self.stores.compared[0] if options.words else None
        return self.literature

    def checker(self, options: CiteOptions | None, model: LanguageModel | None) -> Checker:
        """Return a checker of claims with a model. With None, the options have their defaults."""
        from knowhd.check import Checker
        from knowhd.rules_judge import RuleJudge
        from truthhypo.service.marks import MarkList

        held = self.settings
        return Checker(
            self.graph,
            self.literature,
            _account(model),
            judge=self._judge() or (None if model else RuleJudge(self.stores.reader)),
            options=options,
            evidence_tokens=held.evidence_tokens,
            home=held.home,
            articles=self._articles(),
            marks=MarkList(held.home).all(),
            obeyed=held.marks,
        )

    def grounded(
        self, text: str, asked: GroundOptions, model: LanguageModel | None, progress: Progress | None = None
    ) -> GroundReport:
        """Return the groundedness of a text, as `World.ground` does."""
        checker = self.checker(asked, model)
        meant = meanings(self.graph, asked.concepts)
        found = checker.gathered(text, asked, concepts=meant, progress=progress)
        report = named(self.graph, checker.judged(found, progress))
        return replace(report, release_labels=inventory.labels(self.settings.home, report.release))

    def measured(self, text: str, asked: RiskOptions, progress: Progress | None = None) -> RiskReport:
        """Return the hallucination risk of a text, as `World.risk` does."""
        report = self._risks().check(
            statement(text),
            replace(asked, concepts=meanings(self.graph, asked.concepts)),
            literature=self.reads(asked),
            without=self.stores.uncounted(exclude_retracted=asked.exclude_retracted),
            progress=progress,
        )
        return named(self.graph, report)

    def cited(
        self,
        claim: str,
        pmids: tuple[int, ...],
        asked: CiteOptions,
        model: LanguageModel | None,
        evidence: str | None = None,
        progress: Progress | None = None,
    ) -> CitationReport:
        """Return whether each cited article states a claim, as `World.cite` does."""
        meant = meanings(self.graph, asked.concepts)
        return self.checker(asked, model).cite(claim, pmids, evidence, concepts=meant, progress=progress)

    def proposed(self, head: str, tail: str, asked: HypothesizeOptions, model: LanguageModel | None) -> Hypothesis:
        """Propose the relation between two concepts, as `World.hypothesize` does."""
        from knowhd.calibration import calibration_of
        from truthhypo.hypotheses.generate import hypothesize
        from truthhypo.hypotheses.hypothesis import gather

        if asked.setting == "parametric" and model is None:
            raise InputError(
                "setting 'parametric' with model 'rules', which has no knowledge of its own",
                "a language model, or a setting with knowledge",
                "give a model by the argument `model`, or kg, lit or kg+lit by the argument `setting`",
            )
        shared, each = together(_account(model))  # separate usage counts for this question and its grounding
        meant = meanings(self.graph, asked.concepts)
        task = self.task(meant, head, tail)
        reading = self.literature if "lit" in asked.setting else None
        walking = self.graph if "kg" in asked.setting else None
        retracted = asked.exclude_retracted
        without = self.stores.uncounted(exclude_retracted=retracted) if walking else None
        context = gather(task, self.graph, walking, reading, asked.before, asked.hops, asked.k, retracted, without)
        judging = GroundOptions(before=asked.before, exclude_retracted=retracted, concepts=meant)
        found = hypothesize(
            task,
            asked.setting,
            context,
            shared,
            asked.n,
            asked.select,
            lambda text: self.grounded(text, judging, shared),
            each,
        )
        if asked.select != "groundedness":
            return found
        return replace(found, calibration=calibration_of(self.judge.name, self.settings.home))

    def task(self, meant: Mapping[str, str], head: str, tail: str) -> Task:
        """Return the task of a pair of concepts, given what names mean."""
        from truthhypo.hypotheses.options import task_of

        return task_of(*(meant.get(end) or resolve(self.graph, end) for end in (head, tail)))

    def inputs(self, command: Command, options: Options) -> dict[str, Any]:
        """Return all on which the records of a run over many texts depend, besides the texts.

        A later run can resume the run only if all inputs are the same.
        """
        from fuzzygraph.risk_report import scaling
        from truthhypo.bench.risk_fit import kept

        held, asking, given = self.settings, command != "risk", options.keywords()
        names = (*_JUDGING, *_SETTINGS) if asking else _SETTINGS
        said = {"command": command, **{name: getattr(held, name) for name in names}}
        model = self.model.name if asking and self.model else RULES
        scale = dict[str, Any]()
        if not asking:  # k and s0 (parameters of the scaled mu) come from the graph if no option gives them
            terms = scaling(self.graph.releases(), given["k"], given["s0"])
            fitted = kept(held.home)
            scale = dict(zip(("k", "s0", "fit"), terms, strict=True)) | {
                "coefficients": fitted.source if fitted else None
            }
        read = self.reads(options)
        return {
            "options": {**said, **given, **scale},
            "program": provenance.program(),
            "model": model,
            "prompts": provenance.prompts() if model != RULES else None,
            "files": provenance.judging_files(held) if asking else None,
            "graph": provenance.live_releases(self.graph),
            "literature": read.info().to_dict() if read else None,
        }

    def _made_judge(self) -> Judge | None:
        """Return the judge that the setting `judge` names, or None if this setting is empty."""
        if not self.settings.judge:
            return None
        from knowhd import judges

        return judges.connect(self.settings.judge, self.graph, self.settings, self.stores.reader)

    def _made_articles(self) -> Articles:
        """Return the reader of articles, which all texts share."""
        from groundwork.linking import MentionCache
        from knowhd.gather import Articles

        mentions = MentionCache(self.settings.home / "cache" / "mentions.sqlite")
        self.stores.close_also(mentions)
        return Articles(self.graph, self.literature, mentions)

    def _made_risks(self) -> RiskChecker:
        """Return the checker of risks. All texts share it, so that a graph in memory is prepared only once."""
        from fuzzygraph.check import Checker
        from knowhd.statement import TripleReader
        from truthhypo.bench.risk_fit import kept
        from truthhypo.charting import reader

        held = self.settings
        graph = reader(self.graph, held, self.stores.look_ups)
        own = kept(held.home)
        fitted = (own.coefficients, own.source) if own else None
        claims = TripleReader(graph, self.stores.reader)
        return Checker(graph, claims, syst=held.syst, rand=held.rand, coefficients=fitted)


def connected(name: str, settings: Settings) -> LanguageModel | None:
    """Return the model of a name, or None for the rules."""
    from groundwork import llm

    return None if name == RULES else llm.connect(name, settings)


def usable(model: object) -> LanguageModel | None:
    """Return the model if it implements `LanguageModel`, or None, which stands for the rules."""
    if model is None or isinstance(model, LanguageModel):
        return model
    wanted = "a truthhypo.LanguageModel, the name of a model, or None for the rules"
    raise InputError(f"a model of type {type(model).__name__}", wanted, "give for instance 'openai:gpt-4o-mini'")


def _account(model: LanguageModel | None) -> LanguageModel | None:
    """Return the model, with separate usage counts if possible, because several texts may be judged in parallel."""
    return model.account() if isinstance(model, Accounting) else model
