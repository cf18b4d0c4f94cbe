"""Look up the chains and abstracts that a setting gives to the answerer, once for all samples of an instance."""

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

from groundwork.network import ArticleMask
from groundwork.options import options_in
from groundwork.ports import GraphReader
from groundwork.records import Chain, Chains
from truthhypo.bench.entries import Knowledge
from truthhypo.bench.sets import Case, Dataset
from truthhypo.bench.suite import ContextAsked
from truthhypo.charting import reader
from truthhypo.hypotheses.context import Context, Passage, chains_between, passages_on, told
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
        tuple(_line(chain) for chain in chains.chains[:_BEST]) if chains else (),
        None if passages is None else tuple(each.pmid for each in passages),
        sha256(context.text.encode("utf-8", "backslashreplace")).hexdigest(),
    )


def _line(chain: Chain) -> str:
    return " ".join([chain.hops[0].head, *(f"{hop.relation} {hop.tail}" for hop in chain.hops)])
