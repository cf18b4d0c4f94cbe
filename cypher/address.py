"""Open the graph store, or the importer of a graph server, at an address.

The process that answers free queries (queries that a user wrote) imports the package `cypher` and therefore this
module. To keep the start of this process fast, the module imports the stores only inside the functions that need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cypher.lock import Lock
from groundwork.errors import InputError, without_password
from groundwork.files import embedded_folder, swap
from groundwork.manifest import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from groundwork.ports import BulkImport, Graph
    from groundwork.settings import Settings

SERVERS = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def connect(address: str, settings: Settings, *, read_only: bool = False) -> Graph:
    """Return the graph store at an address. The store is opened, created or contacted only at the first use.

    Args:
        address: `memory:`, `embedded:PATH`, or a Neo4j server as `bolt://HOST:PORT` or `neo4j://HOST:PORT` (`+s` for
            TLS). User, password and database come from the settings.
        settings: Time and row limits, the constants of belief (`syst`, `rand`), credentials.
        read_only: Whether to refuse writes; a missing embedded store is then treated as empty and is not created.

    Raises:
        InputError: If the address has none of these forms.
    """
    if address == "memory:":
        from cypher.memory.graph import MemoryGraph

        return MemoryGraph(settings, read_only=read_only)
    if folder := embedded_folder(address):
        from cypher.embedded.graph import EmbeddedGraph

        return EmbeddedGraph(folder, settings, read_only=read_only)
    if _is_server(address):
        from cypher.bolt.graph import BoltGraph

        return BoltGraph(address, settings, read_only)
    raise InputError(
        f"the graph address {without_password(address)!r}",
        "memory:, embedded:PATH, or bolt://HOST:7687 or neo4j://HOST:7687 (+s for TLS)",
        "correct --graph, TRUTHHYPO_GRAPH or `graph` in truthhypo.toml",
    )


def is_there(address: str) -> bool:
    """Return whether the embedded store at an address exists. For other stores, return True without contacting them."""
    if not (folder := embedded_folder(address)):
        return True
    from cypher.embedded.folder import OLDER, POINTER

    return (folder / POINTER).exists() or (folder / OLDER).exists()


def file_faults(address: str, settings: Settings) -> list[Fault]:
    """Return the damaged files of the embedded store at an address; an empty list for other stores.

    Every file is read completely.

    Raises:
        DamagedStore: If the store is missing, although HOME records that a load has filled it.
        StoreUnreachable: If the folder may not be read.
    """
    if not (folder := embedded_folder(address)):
        return []
    from cypher.embedded.folder import Folder

    return Folder(folder, settings, read_only=True).faults()


def atlas_faults(address: str, settings: Settings) -> list[Fault]:
    """Return the damaged copies of graphs: atlases of servers, and databases for free queries.

    They are under HOME, or in the folder of an embedded graph. Every file is read completely.
    """
    from cypher.atlas.charts import ATLAS, faults
    from cypher.embedded.folder import DRAWN

    home, folder = settings.home.absolute(), embedded_folder(address)
    return faults(home / ATLAS, home / DRAWN, *([folder / DRAWN] if folder else []))


def take_over(address: str, fresh: str) -> Path | None:
    """Replace an embedded store by a newly built one, while no process has it open.

    Args:
        address: Address of the store.
        fresh: Address of the new store. It must be closed, and in a folder beside the old one. The folder is moved.

    Returns:
        The new path of the old folder; None if there was none.

    Raises:
        StoreBusy: If a process has the store open.
        OSError: If a folder cannot be renamed.
    """
    from cypher.embedded.folder import LOCK

    folder, new = embedded_folder(address), embedded_folder(fresh)
    assert folder and new
    lock = Lock(folder / LOCK, shared=False) if folder.is_dir() else None
    try:
        return swap(folder, new)
    finally:
        if lock:
            lock.release()


def bulk_import(address: str, settings: Settings) -> BulkImport:
    """Return the importer of the graph server at an address.

    Raises:
        InputError: If the address does not name a graph server.
    """
    if _is_server(address):
        from cypher.bulk.importer import Neo4jImport

        return Neo4jImport(address, settings)
    raise InputError(
        f"an offline load into the graph {without_password(address)!r}",
        "a Neo4j server, because only Neo4j has an importer of its own",
        "leave out --mode offline, or give --graph bolt://HOST:7687",
    )


def _is_server(address: str) -> bool:
    kind, _, place = address.partition(":")
    return kind in SERVERS and place.startswith("//")
