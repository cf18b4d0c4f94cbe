"""Answer one question with a language model or the rules, and have the answer judged.

The result is an `Entry`: one record of a benchmark run. `Library` looks up the chains and abstracts that a setting
gives to the answerer, once for all samples of an instance. `Grounder` is a judge of answers.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from time import monotonic
from typing import Any, TypeVar

from groundwork.errors import BudgetSpent, CallFailed, ReplyError
from groundwork.llm.usage import Usage, since, total
from groundwork.network import ArticleMask
from groundwork.options import options_in
from groundwork.ports import NO_USAGE, Accounting, GraphReader, LanguageModel
from groundwork.records import Chains
from knowhd import judges
from knowhd.check import Checker
from knowhd.ground_report import GroundReport
from knowhd.judge import Judge
from knowhd.options import GroundOptions
from truthhypo.bench.runs import Entry, Failure, Grounding, Knowledge, Verdicts
from truthhypo.bench.suite import SELF, ContextAsked, Dataset, Judging, Samples
from truthhypo.charting import reader
from truthhypo.hypotheses import generate
from truthhypo.hypotheses.dataset import Case
from truthhypo.hypotheses.generate import ask, framed
from truthhypo.hypotheses.hypothesis import Context, Passage, chains_between, passages_on, statement, told
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.world import World

Result = TypeVar("Result")
#: Number of results kept. Questions about one instance follow each other, so few results are needed at a time.
_KEPT = 2048
#: Maximum number of chains stored in a record.
_BEST = 5


class Library:
    """Source of the knowledge that answerers are given, up to the PMID limit of the dataset.

    A concept that is missing in the graph has no chains. The published dataset names concepts that a release may lack.

    Args:
        world: World with the stores.
        asked: Limits on the amount of knowledge.
        look_ups: Approximate number of pairs whose chains will be looked up. If there are many, an atlas (see `graph`)
            is used.
    """

    def __init__(self, world: World, asked: ContextAsked, look_ups: int = 1) -> None:
        self._world = world
        self._options = options_in(asked, HypothesizeOptions)
        self._look_ups = look_ups
        self._found: OrderedDict[tuple[str, str, str], Any] = OrderedDict()

    @cached_property
    def graph(self) -> GraphReader:
        """The source of chains: the graph store, or an atlas (a memory-mapped copy of the graph)."""
        return reader(self._world.graph_store, self._world.settings, self._look_ups)

    @property
    def uncounted(self) -> ArticleMask | None:
        """The articles that do not count as support of edges."""
        return self._world.uncounted(exclude_retracted=self._options.exclude_retracted)

    def context(self, dataset: Dataset, case: Case, setting: str) -> Context:
        """Return the knowledge about a case in a setting. It is empty in the setting `parametric`."""
        names = dict(zip((case.x_id, case.y_id), case.names, strict=True))
        head, tail = names[case.task.head], names[case.task.tail]
        if setting == "parametric":
            return Context(head, tail, None, None, "")
        key = dataset.name, case.id
        chains = self._cached((*key, "chains"), lambda: self._chains(case, dataset.before)) if "kg" in setting else None
        passages = (
            self._cached((*key, "passages"), lambda: self._passages(f"{head} {tail}", dataset.before))
            if "lit" in setting
            else None
        )
        return self._cached((*key, setting), lambda: told(head, tail, self.graph, chains, passages))

    def _chains(self, case: Case, before: int) -> Chains:
        task, graph = case.task, self.graph
        if len(graph.concepts([task.head, task.tail])) < 2:
            return Chains(task.head, task.tail, (), 0, False, "")
        return chains_between(graph, task, self._options.hops, before, self.uncounted)

    def _passages(self, query: str, before: int) -> tuple[Passage, ...]:
        asked = self._options
        return passages_on(self._world.literature_store, query, before, asked.k, asked.exclude_retracted)

    def _cached(self, key: tuple[str, str, str], find: Callable[[], Result]) -> Result:
        if key not in self._found:
            self._found[key] = find()
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        found: Result = self._found[key]
        return found


def shown(context: Context) -> Knowledge | None:
    """Return the part of a context that is stored in a record, or None if the answerer was given no knowledge."""
    if not context.text:
        return None
    chains, passages = context.chains, context.passages
    return Knowledge(
        None if chains is None else len(chains.chains),
        None if chains is None else chains.total,
        tuple(
            " ".join([chain.hops[0].head, *(f"{hop.relation} {hop.tail}" for hop in chain.hops)])
            for chain in (chains.chains[:_BEST] if chains else ())
        ),
        None if passages is None else tuple(each.pmid for each in passages),
        sha256(context.text.encode("utf-8", "backslashreplace")).hexdigest(),
    )


class Grounder:
    """One judge of answers, with the stores of one world.

    Args:
        name: Name of the judge in the suite.
        world: World with graph and literature.
        judging: Parameters of the evidence that the judge is given.
        model: The language model, if the judge is a language model; otherwise None.
    """

    def __init__(self, name: str, world: World, judging: Judging, model: LanguageModel | None) -> None:
        self.name = name
        self._world = world
        self._options = options_in(judging, GroundOptions)
        self._model = model
        self._judge: Judge | None = judges.connect(name, world.graph_store, world.settings) if model is None else None

    def ground(self, text: str, before: int) -> tuple[Grounding, Usage]:
        """Judge a text. Only evidence with a PMID up to `before` is used.

        Returns:
            The grounding and the usage of the language model. If the judge's reply was unusable, the grounding has a
            `failure` and no values.

        Raises:
            ModelUnreachable, ModelTooSlow: The judge cannot be reached.
        """
        model = self._model.account() if isinstance(self._model, Accounting) else self._model
        began, spent = monotonic(), model.usage() if model else NO_USAGE
        try:
            report = self._checked(model, text, before)
            shares, given = report.aggregates["both"].soft, report.groundedness
            claims = tuple(
                Verdicts(each.text, v["graph"], v["literature"], v["both"], each.cited, each.reason)
                for each in report.claims
                for v in (each.verdicts,)
            )
            against = shares["contradicted"] if shares else None
            grounding = Grounding(given["graph"], given["literature"], given["both"], against, claims)
        except ReplyError as error:
            grounding = Grounding(None, None, None, None, (), error.seen)
        usage = since(model.usage(), spent) if model else NO_USAGE
        return replace(grounding, seconds=round(monotonic() - began, 6)), usage

    def _checked(self, model: LanguageModel | None, text: str, before: int) -> GroundReport:
        settings = self._world.settings
        checker = Checker(
            self._world.graph_store,
            self._world.literature_store,
            model,
            judge=self._judge,
            options=self._options,
            evidence_tokens=settings.evidence_tokens,
            home=settings.home,
        )
        return checker.check(text, replace(self._options, before=before))


def called(name: str, model: str) -> str:
    """Return a judge's name in records. The judge `SELF` gets the name of the model that answered."""
    return model if name == SELF else name


@dataclass(frozen=True, slots=True)
class Item:
    """One question: an instance of a dataset, the setting that selects the knowledge, and the number of the sample.

    Sample 0 is the greedy answer. Higher numbers are sampled answers.
    """

    dataset: Dataset
    case: Case
    setting: str
    sample: int


class Answerer:
    """A language model or the rules, ready to answer the questions of a suite and to have the answers judged.

    Args:
        name: Name of this answerer in the suite.
        model: The language model. With None, the rules answer.
        library: Source of the chains and abstracts that are shown to the model.
        grounders: The judges.
        samples: Seed and temperature of the sampled answers.
    """

    def __init__(
        self,
        name: str,
        model: LanguageModel | None,
        library: Library,
        grounders: Sequence[Grounder],
        samples: Samples,
    ) -> None:
        self.name = name
        self._model = model
        self._library = library
        self._grounders = grounders
        self._samples = samples

    def answer(self, item: Item) -> Entry:
        """Return the record of a question.

        If the model's reply is unusable, or a call gets no reply, the record has a failure and no answer.

        Raises:
            BudgetSpent: The budget did not suffice for the answer and its judgement, so there is no record.
            ModelUnreachable, ModelTooSlow: The model cannot be reached.
            StoreError: A store failed.
        """
        case = item.case
        context = self._library.context(item.dataset, case, item.setting)
        seed = self._samples.seed + item.sample
        model = self._model.account() if isinstance(self._model, Accounting) else self._model
        began, before = monotonic(), model.usage() if model else NO_USAGE
        answer, rationale, failure = self._answered(model, item, context, seed)
        seconds = monotonic() - began
        spent = [since(model.usage(), before) if model else NO_USAGE]
        groundedness: dict[str, Grounding] = {}
        if answer is not None:
            text = f"{rationale} {statement(context, answer)}"
            for grounder in self._grounders:
                groundedness[grounder.name], used = grounder.ground(text, item.dataset.before)
                spent.append(used)
        usage = _whole(spent)
        return Entry(
            dataset=item.dataset.name,
            instance=case.id,
            model=self.name,
            setting=item.setting,
            sample=item.sample,
            seed=seed,
            answer=answer,
            rationale=rationale,
            failure=failure,
            knowledge=shown(context),
            groundedness=groundedness,
            usage=usage,
            seconds=round(seconds, 6),
        )

    def _answered(
        self, model: LanguageModel | None, item: Item, context: Context, seed: int
    ) -> tuple[str | None, str, Failure | None]:
        task = item.case.task
        if model is None:
            found = generate.answer_by_rules(task, context)
            return found.relation, found.rationale, None
        temperature = self._samples.temperature if item.sample else 0.0
        prompt = framed(item.case.question, context.text)
        try:
            return *ask(task, prompt, model, temperature=temperature, seed=seed), None
        except BudgetSpent:
            raise
        except CallFailed as error:
            return None, "", Failure("call", error.seen)
        except ReplyError as error:
            return None, "", Failure("reply", error.seen)


def _whole(spent: Sequence[Usage]) -> Usage:
    """Return the total usage of an answer and its judgements."""
    usage = total(spent)
    if usage["unasked"]:
        raise BudgetSpent(
            "the budget is spent",
            "a higher budget",
            "run the same command with a higher --budget-tokens or --budget-cost; it continues the run",
        )
    return usage
