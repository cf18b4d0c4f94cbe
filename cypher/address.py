"""Which store an address means, and which importer.

The process that answers free queries imports this module with the package, so the module imports little.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cypher.lock import Lock
from groundwork.errors import InputError
from groundwork.manifest import Fault
from groundwork.secrets import without_password
from groundwork.swap import swap

if TYPE_CHECKING:
    from cypher.embedded.turns import Turns
    from groundwork.ports import BulkImport, Graph
    from groundwork.settings import Settings

SERVERS = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def connect(address: str, settings: Settings, *, read_only: bool = False) -> Graph:
    """The graph store at an address. Nothing is opened, made or asked before it is needed.

    Args:
        address: `memory:`, `embedded:PATH`, or a Neo4j server as `bolt://HOST:PORT` or `neo4j://HOST:PORT` (`+s` for
            TLS). User, password and database come from the settings.
        settings: Time and row limits, the constants of belief, credentials.
        read_only: Refuse to write; an embedded store that is not there is then an empty one and is not made.

    Raises:
        InputError: An address of no kind we know.
    """
    kind, _, rest = address.partition(":")
    if address == "memory:":
        from cypher.memory.graph import MemoryGraph

        return MemoryGraph(settings, read_only=read_only)
    if kind == "embedded" and rest:
        from cypher.embedded.graph import EmbeddedGraph

        return EmbeddedGraph(_folder(address, rest), settings, read_only=read_only)
    if kind in SERVERS and rest.startswith("//"):
        from cypher.bolt.graph import BoltGraph

        return BoltGraph(address, settings, read_only)
    raise InputError(
        f"graph address {without_password(address)!r}",
        "memory:, embedded:PATH, or bolt://HOST:7687 or neo4j://HOST:7687 (+s for TLS)",
        "correct --graph, TRUTHHYPO_GRAPH or `graph` in truthhypo.toml",
    )


def turns(address: str) -> Turns | None:
    """How a service that keeps this graph open makes way for loads; None for a server, which needs no such turns."""
    kind, _, rest = address.partition(":")
    if kind != "embedded" or not rest:
        return None
    from cypher.embedded.turns import Turns

    return Turns(_folder(address, rest))


def is_there(address: str) -> bool:
    """Whether there is a store at an address. A server may be off all the same; only embedded stores are looked for."""
    kind, _, rest = address.partition(":")
    if kind != "embedded" or not rest:
        return True
    from cypher.embedded.contents import GRAPH

    return (_folder(address, rest) / GRAPH).exists()


def file_faults(address: str, settings: Settings) -> list[Fault]:
    """The damaged files of the embedded store at an address, each read to its end; servers look after their own.

    Raises:
        DamagedStore: The store is gone, and HOME knows that a load has filled it.
        StoreUnreachable: We may not look.
    """
    kind, _, rest = address.partition(":")
    if kind != "embedded" or not rest:
        return []
    from cypher.embedded.folder import Folder

    return Folder(_folder(address, rest), settings, read_only=True).faults()


def atlas_faults(address: str, settings: Settings) -> list[Fault]:
    """Return the damaged files of all atlases under HOME and in the embedded store at an address, read to their end."""
    from cypher.atlas.charts import faults
    from cypher.embedded.folder import ATLAS

    kind, _, rest = address.partition(":")
    own = [_folder(address, rest) / ATLAS] if kind == "embedded" and rest else []
    return faults(settings.home.absolute() / ATLAS, *own)


def take_over(address: str, fresh: str) -> Path | None:
    """Put a store that was built anew in the place of an embedded store, while nobody has that open.

    Args:
        address: The store's address.
        fresh: The address of the new one, closed, in a folder beside it; it is gone afterwards.

    Returns:
        Where the old folder is kept; None if there was none.

    Raises:
        StoreBusy: The store is open somewhere.
        OSError: A folder cannot be renamed.
    """
    from cypher.embedded.folder import LOCK

    folder, new = (_folder(one, one.partition(":")[2]) for one in (address, fresh))
    lock = Lock(folder / LOCK, shared=False) if folder.is_dir() else None
    try:
        return swap(folder, new)
    finally:
        if lock:
            lock.release()


def bulk_import(address: str, settings: Settings) -> BulkImport:
    """The importer of the graph server at an address.

    Raises:
        InputError: The address is no server's.
    """
    kind, _, rest = address.partition(":")
    if kind in SERVERS and rest.startswith("//"):
        from cypher.bulk.importer import Neo4jImport

        return Neo4jImport(address, settings)
    raise InputError(
        f"an offline load into the graph {without_password(address)!r}",
        "a Neo4j server: only it has an importer of its own",
        "leave --mode offline out, or give --graph bolt://HOST:7687",
    )


def _folder(address: str, path: str) -> Path:
    """The absolute path, so that one address is one store wherever the command is run."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:  # the home folder of a user that is not there
        raise InputError(f"graph address {address!r}: no such user", "embedded:PATH", "write the whole path") from None
