"""The open stores of a world, and of all worlds that are made from it: graph, literature, and the encoder that reads.

A store under HOME into which nothing was ever loaded causes a warning, and a missing store at an address that the user
gave is an error.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from os import getpid
from threading import RLock
from typing import TYPE_CHECKING, Literal, TypeAlias

import cypher
import literature
from groundwork.errors import DamagedStore, InputError, NothingLoaded, NoticesUnknown, StoreError, StoreUnreachable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from groundwork.linking import MentionCache
    from groundwork.network import ArticleMask
    from groundwork.ports import Graph, GraphReader, Literature, LiteratureReader
    from groundwork.reading.encoder import Encoder
    from groundwork.settings import Settings

Kind: TypeAlias = Literal["graph", "literature"]

_LOADS: dict[Kind, str] = {"graph": "relations|concepts|documents", "literature": "documents|pubmed"}


class Stores:
    """The graph and the literature that the settings name. Each is opened when it is first used.

    Args:
        settings: All settings.
        read_only: Whether stores are opened for reading only. Use False to load data.
        loading: Whether data is being loaded, even in a dry run. If so, stores without data cause no warning.

    Attributes:
        absent: Kinds of store (`graph`, `literature`) under HOME into which no data was ever loaded.
        closed: Whether the stores are closed.
        look_ups: Expected number of path look-ups.
    """

    def __init__(self, settings: Settings, *, read_only: bool = True, loading: bool = False) -> None:
        self.settings = settings
        self.absent: frozenset[Kind] = frozenset()
        self.closed = False
        self.look_ups = 1
        self._read_only, self._loading = read_only, loading or not read_only
        self._open: list[Graph | Literature | MentionCache] = []
        self._process = getpid()
        self._opening, self._judging = RLock(), RLock()

    @property
    def graph(self) -> Graph:
        """The graph store.

        Raises:
            InputError: The stores are closed, or belong to another process.
        """
        self._require_own()
        with self._opening:
            self._require_open()
            return self._graph

    @property
    def literature(self) -> Literature:
        """The literature store.

        Raises:
            InputError: The stores are closed, or belong to another process.
        """
        self._require_own()
        with self._opening:
            self._require_open()
            return self._literature

    @property
    def turn(self) -> AbstractContextManager[object]:
        """Lock that is held during a judgement. Judges, readers and caches are shared, and they are not thread-safe.

        Raises:
            InputError: The stores belong to another process.
        """
        self._require_own()
        return self._judging

    @property
    def graph_is_open(self) -> bool:
        """Whether the graph was used."""
        return "_graph" in vars(self)

    @cached_property
    def _graph(self) -> Graph:
        store = cypher.connect(self.settings.graph_address, self.settings, read_only=self._read_only)
        self._keep("graph", store)
        return store

    @cached_property
    def _literature(self) -> Literature:
        store = literature.connect(self.settings.literature_address, self.settings, read_only=self._read_only)
        self._keep("literature", store)
        return store

    @cached_property
    def reader(self) -> Encoder:
        """The encoder that reads claims and evidence."""
        from groundwork.reading import encoder as reading

        return reading.connect(self.settings.reader, self.settings.reader_threshold)

    @cached_property
    def compared(self) -> tuple[Literature | None, str]:
        """The literature and "", or None and the reason: the literature holds no documents or cannot be read.

        This is for judgements that can do without a literature.

        Raises:
            DamagedStore: A file of the store is missing or was changed by another program.
        """
        try:
            if self.literature.info().documents:
                return self.literature, ""
            return None, f"the literature at {self.literature.address} holds no documents"
        except DamagedStore:
            raise
        except StoreError as error:
            return None, f"the literature cannot be read: {error.seen}"

    def uncounted(self, *, exclude_retracted: bool) -> ArticleMask | None:
        """Return the articles that do not count as support of edges; `World.uncounted` documents the result."""
        if not literature.is_there(self.settings.literature_address):
            return None
        try:
            return self.literature.uncounted(exclude_retracted=exclude_retracted)
        except DamagedStore:
            raise
        except StoreError as error:
            if exclude_retracted:
                raise
            warnings.warn(
                f"the literature cannot be read, so notices such as errata count as articles of edges: {error.seen}",
                NoticesUnknown,
                stacklevel=3,
            )
            return None

    def close_also(self, cache: MentionCache) -> None:
        """Close a cache together with the stores."""
        self._open.append(cache)

    def close(self) -> None:
        """Close the stores. In a forked child, they stay open, because the parent uses them."""
        self.closed = True
        while self._open and self._process == getpid():
            self._open.pop().close()

    def _require_own(self) -> None:
        """Check that this process made the stores.

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
        if self.closed:
            remedy = "call truthhypo.connect() again, and make all calls inside its `with` block"
            raise InputError("the world is closed", "an open world", remedy)

    def _keep(self, kind: Kind, store: Graph | Literature) -> None:
        """Keep an open store until `close`, and check that data was loaded into it at least once."""
        self._open.append(store)
        if not self._loading and kind not in self.absent:
            self._require_loaded(kind, store)

    def _require_loaded(self, kind: Kind, store: GraphReader | LiteratureReader) -> None:
        """Warn that a store does not exist, or raise an error if the user gave its address."""
        held = self.settings
        there: dict[Kind, bool] = {
            "graph": cypher.is_there(held.graph_address),
            "literature": literature.is_there(held.literature_address),
        }
        if there[kind]:
            return
        store.releases()  # raises an error if the store is missing or damaged
        given: dict[Kind, str] = {"graph": held.graph, "literature": held.literature}
        if given[kind]:
            raise StoreUnreachable(
                f"there is no {kind} store at {store.address}",
                "a store with loaded data",
                f"correct the address, or load data: truthhypo ingest {_LOADS[kind]} FILE --{kind} {store.address}",
            )
        self.absent = frozenset(one for one in there if not there[one] and not given[one])
        warnings.warn(
            f"HOME {held.home} holds no {' and no '.join(sorted(self.absent))}: nothing was loaded yet, so lookups "
            f"find nothing; load files with: truthhypo ingest {_LOADS[kind]} FILE",
            NothingLoaded,
            stacklevel=6,
        )
