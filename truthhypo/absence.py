"""Report a store that does not exist: an error if the user gave its address, else a warning."""

import warnings
from typing import Literal

import cypher
import literature
from groundwork.errors import NothingLoaded, StoreUnreachable
from groundwork.ports import GraphReader, LiteratureReader
from groundwork.settings import Settings

Kind = Literal["graph", "literature"]

_LOADS: dict[Kind, str] = {"graph": "relations|concepts|documents", "literature": "documents|pubmed"}


def absent(kind: Kind, store: GraphReader | LiteratureReader, settings: Settings) -> frozenset[Kind]:
    """Check that a store to be read was loaded at least once.

    Args:
        kind: Kind of the store.
        store: The store.
        settings: Settings with its address, if the user gave one.

    Returns:
        The kinds of store that do not exist yet, if this store is one of them. A warning (`NothingLoaded`) names them.

    Raises:
        StoreUnreachable: There is no store at an address that the user gave.
        DamagedStore: According to HOME the store was loaded, but it is missing or damaged.
    """
    there: dict[Kind, bool] = {
        "graph": cypher.is_there(settings.graph_address),
        "literature": literature.is_there(settings.literature_address),
    }
    if there[kind]:
        return frozenset()
    store.releases()  # raises an error if the store is missing or damaged
    given: dict[Kind, str] = {"graph": settings.graph, "literature": settings.literature}
    if given[kind]:
        raise StoreUnreachable(
            f"there is no {kind} store at {store.address}",
            "a store with loaded data",
            f"correct the address, or load data: truthhypo ingest {_LOADS[kind]} FILE --{kind} {store.address}",
        )
    missing = frozenset(one for one in there if not there[one] and not given[one])
    warnings.warn(
        f"HOME {settings.home} holds no {' and no '.join(sorted(missing))}: nothing was loaded yet, so lookups find "
        f"nothing; load files with: truthhypo ingest {_LOADS[kind]} FILE",
        NothingLoaded,
        stacklevel=5,
    )
    return missing
