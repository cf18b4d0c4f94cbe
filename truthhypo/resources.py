"""Open the stores, the language model and the judge that the settings name, each when it is first used."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from functools import cached_property
from os import getpid
from threading import RLock
from typing import TYPE_CHECKING, Literal, Self

import cypher
import literature
from groundwork import inventory
from groundwork.errors import DamagedStore, InputError, NoticesUnknown, StoreError, TruthHypoError, without_password
from groundwork.ports import Accounting
from groundwork.records import live
from groundwork.settings import Settings
from truthhypo.absence import absent
from truthhypo.lookups import readable

if TYPE_CHECKING:
    from fuzzygraph.check import Checker
    from groundwork.network import ArticleMask
    from groundwork.ports import Graph, LanguageModel, Literature
    from groundwork.reading.encoder import Encoder
    from knowhd.gather import Articles
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
        self._lender: Resources | None = None  # the world whose stores this world uses, see `World._lent`
        self._look_ups = 1
        self._process = getpid()
        self._opening = RLock()
        self._judging: AbstractContextManager[object] = RLock()

    @property
    def graph_store(self) -> Graph:
        """The graph store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed, or belongs to another process.
        """
        self._require_own()
        if self._lender is not None:
            store = self._lender.graph_store
            return store if store.species == self.settings.species else self._of_species
        with self._opening:
            self._require_open()
            return self._graph

    @cached_property
    def _graph(self) -> Graph:
        store = cypher.connect(self.settings.graph_address, self.settings, read_only=self._read_only)
        self._keep("graph", store)
        return store

    @cached_property
    def _of_species(self) -> Graph:
        """The store of the lender, if another organism is meant in this world."""
        assert self._lender is not None
        return self._lender.graph_store.of_species(self.settings.species)

    @property
    def literature_store(self) -> Literature:
        """The literature store, for reading and, unless the world is read-only, for writing.

        Raises:
            InputError: The world is closed, or belongs to another process.
        """
        self._require_own()
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

    @property
    def _turn(self) -> AbstractContextManager[object]:
        """Lock that is held during a judgement. Judges, readers and caches are shared, and they are not thread-safe.

        Raises:
            InputError: The world belongs to another process.
        """
        self._require_own()
        return self._judging

    def _require_own(self) -> None:
        """Check that this process made the world.

        A forked child has copies of the stores and locks of its parent, but no threads: a query of the embedded graph
        would wait for ever for the threads of its database, and a lock for the thread that holds it. Connections to
        servers and to other processes would be used by two processes at once.
        """
        if self._process != getpid():
            raise InputError(
                f"a world of process {self._process} is used in process {getpid()}, which was forked from it",
                "a world that was opened in the process that uses it",
                "call truthhypo.connect() in the child process, or start child processes by the method `spawn`",
            )

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

    def uncounted(self, *, exclude_retracted: bool = False) -> ArticleMask | None:
        """Return the articles that do not count as support of edges; see `LiteratureReader.uncounted`.

        The result is None if no literature was ever loaded. If the literature cannot be read, a warning
        (`NoticesUnknown`) says that all articles count.

        Args:
            exclude_retracted: Whether retracted articles do not count either.

        Raises:
            StoreError: The literature cannot be read and retracted articles shall be excluded, or it is damaged.

        Example:
            >>> 990000005 in world.uncounted().pmids
            False
        """
        if not literature.is_there(self.settings.literature_address):
            return None
        try:
            return self.literature_store.uncounted(exclude_retracted=exclude_retracted)
        except DamagedStore:
            raise
        except StoreError as error:
            if exclude_retracted:
                raise
            warnings.warn(
                f"the literature cannot be read, so notices such as errata count as articles of edges: {error.seen}",
                NoticesUnknown,
                stacklevel=2,
            )
            return None

    @cached_property
    def _risks(self) -> Checker:
        """The checker of risks. All texts share it, so that a graph in memory is prepared only once."""
        from fuzzygraph.check import Checker
        from knowhd.statement import TripleReader
        from truthhypo.bench.risk_fit import kept
        from truthhypo.charting import reader

        graph = reader(self.graph_store, self.settings, self._look_ups)
        held = self.settings
        own = kept(held.home)
        fitted = (own.coefficients, own.source) if own else None
        claims = TripleReader(graph, self.reader)
        return Checker(graph, claims, syst=held.syst, rand=held.rand, coefficients=fitted)

    @cached_property
    def model(self) -> LanguageModel | None:
        """The language model, or None if the setting `model` is `rules`: deterministic rules that call no model."""
        if self._lender is not None:
            return self._lender.model
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

        return judges.connect(held.judge, self.graph_store, held, self.reader)

    @cached_property
    def reader(self) -> Encoder:
        """The encoder that reads claims and evidence."""
        if self._lender is not None:
            return self._lender.reader
        from groundwork.reading import encoder as reading

        return reading.connect(self.settings.reader, self.settings.reader_threshold)

    @cached_property
    def _articles(self) -> Articles:
        """The reader of articles, shared by all texts."""
        if self._lender is not None and self._lender.settings.species == self.settings.species:
            return self._lender._articles
        from groundwork.linking import MentionCache
        from knowhd.gather import Articles

        cache = MentionCache(self.settings.home / "cache" / "mentions.sqlite")
        return Articles(self.graph_store, self.literature_store, cache)

    @property
    def judge(self) -> Judge:
        """The judge of claims: the judge in the setting `judge`; without one, the language model or else the rules."""
        from knowhd.model_judges import ModelJudge
        from knowhd.rules_judge import RuleJudge

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
        """Close the stores. Later calls of this world, and of lookups taken from it, raise InputError.

        In a forked child, the stores stay open, because the parent uses them.
        """
        self._closed = True
        while self._open and self._process == getpid():
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
    """Return a world's stores, model and live releases. A server that was not used yet is not asked for them."""
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
    return f"{told}): {', '.join(inventory.labels(held.home, known)) or 'nothing is loaded'}"
