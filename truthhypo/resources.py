"""Open the stores, the language model and the judge that the settings name, each when it is first used."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Literal, Self

import cypher
import literature
from groundwork.errors import InputError, TruthHypoError
from groundwork.ports import Accounting
from groundwork.records import live
from groundwork.secrets import without_password
from groundwork.settings import Settings
from truthhypo.absence import absent
from truthhypo.lookups import readable

if TYPE_CHECKING:
    from fuzzygraph.check import Checker
    from groundwork.ports import Graph, LanguageModel, Literature
    from groundwork.reading.reader import Reader
    from knowhd.evidence.articles import Articles
    from knowhd.judge import Judge
    from truthhypo.absence import Kind

RULES = "rules"


class Resources:
    """The stores, the language model and the judge of a world.

    Args:
        settings: All settings.
        read_only: Whether stores are opened for reading only. Use False to load data.
        loading: Whether data is being loaded, even in a dry run. If so, stores without data cause no warning.

    Attributes:
        absent: Kinds of store (`graph`, `literature`) under HOME into which no data was ever loaded.
    """

    def __init__(self, settings: Settings, *, read_only: bool = True, loading: bool = False) -> None:
        self.settings = settings
        self.absent: frozenset[Kind] = frozenset()
        self._read_only, self._loading = read_only, loading or not read_only
        self._open: list[Graph | Literature] = []
        self._closed = False
        self._lender: Resources | None = None  # the world whose stores this world uses, see `World.with_model`
        self._look_ups = 1
        self._opening = RLock()
        #: Lock that is held during a judgement. Judges, readers and caches are shared, and they are not thread-safe.
        self._turn: AbstractContextManager[object] = RLock()

    @property
    def graph_store(self) -> Graph:
        """The graph store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed.
        """
        if self._lender is not None:
            return self._lender.graph_store
        with self._opening:
            self._require_open()
            return self._graph

    @cached_property
    def _graph(self) -> Graph:
        store = cypher.connect(self.settings.graph_address, self.settings, read_only=self._read_only)
        self._keep("graph", store)
        return store

    @property
    def literature_store(self) -> Literature:
        """The literature store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed.
        """
        if self._lender is not None:
            return self._lender.literature_store
        with self._opening:
            self._require_open()
            return self._literature

    @cached_property
    def _literature(self) -> Literature:
        store = literature.connect(self.settings.literature_address, self.settings, read_only=self._read_only)
        self._keep("literature", store)
        return store

    def _require_open(self) -> None:
        if self._closed:
            remedy = "call truthhypo.connect() again, and make all calls inside its `with` block"
            raise InputError("the world is closed", "an open world", remedy)

    def _keep(self, kind: Kind, store: Graph | Literature) -> None:
        """Keep an open store until `close`, and warn if nothing was ever loaded into it (`absence.absent`)."""
        self._open.append(store)
        if not self._loading and kind not in self.absent:
            self.absent = absent(kind, store, self.settings)

    def expect(self, look_ups: int) -> None:
        """Announce the number of path lookups before the first one.

        If the graph is on a server, many lookups are answered from an atlas, a copy of the graph in files.
        """
        self._look_ups = look_ups

    @cached_property
    def _risks(self) -> Checker:
        """The checker of risks. All texts share it, so that a graph in memory is prepared only once."""
        from fuzzygraph.check import Checker
        from truthhypo.charting import reader

        graph = reader(self.graph_store, self.settings, self._look_ups)
        held = self.settings
        return Checker(graph, syst=held.syst, rand=held.rand, relations=self.reader)

    @cached_property
    def model(self) -> LanguageModel | None:
        """The language model, or None if the setting `model` is `rules`: deterministic rules that call no model."""
        return self._connected(self.settings.model)

    def _connected(self, name: str) -> LanguageModel | None:
        from groundwork import llm

        return None if name == RULES else llm.connect(name, self.settings)

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
        return Articles(self.graph_store, self.literature_store, cache)

    @property
    def judge(self) -> Judge:
        """The judge of claims: the judge in the setting `judge`; without one, the language model or else the rules."""
        from knowhd.model import ModelJudge
        from knowhd.rules.judge import RuleJudge

        model = self._account()
        return self._judge or (ModelJudge(model, self.graph_store) if model else RuleJudge(self.reader))

    @cached_property
    def _compared(self) -> tuple[Literature | None, str]:
        return readable(lambda: self.literature_store)

    @property
    def compared(self) -> Literature | None:
        """The literature for `risk` to compare the words of claims with; None if it is empty or cannot be read."""
        return self._compared[0]

    @property
    def uncompared(self) -> str:
        """The reason why `risk` has no literature to compare words with, or "" if there is a literature."""
        return self._compared[1]

    def _account(self) -> LanguageModel | None:
        """Return the model, with separate usage counts if possible, because several texts may be judged in parallel."""
        return self.model.account() if isinstance(self.model, Accounting) else self.model

    def close(self) -> None:
        """Close the stores. Later calls of this world, and of lookups taken from it, raise InputError."""
        self._closed = True
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> Literal[False]:
        self.close()
        return False


def usable(model: object) -> LanguageModel | None:
    """Return the model if it implements `LanguageModel`, or None, which stands for the rules.

    Raises:
        InputError: The value is neither a language model nor None.
    """
    from groundwork.ports import LanguageModel

    if model is None or isinstance(model, LanguageModel):
        return model
    wanted = "a truthhypo.LanguageModel, the name of a model, or None for the rules"
    raise InputError(f"a model of type {type(model).__name__}", wanted, "give for instance 'openai:gpt-4o-mini'")


def described(world: Resources) -> str:
    """Return a world's stores, model and live releases. A server that was not used yet is not asked for releases."""
    if world._closed:
        return "World(closed)"
    held = world.settings
    stores = without_password(held.graph_address), without_password(held.literature_address)
    told = f"World(graph={stores[0]}, literature={stores[1]}, model={held.model}"
    if not ("_graph" in vars(world) or stores[0].startswith("embedded:")):
        return f"{told})"  # a repr does not connect to a server
    try:
        known = live(world.graph_store.releases(), world.literature_store.releases())
    except TruthHypoError as error:
        return f"{told}): {error.seen}"
    return f"{told}): {', '.join(known) or 'nothing is loaded'}"
