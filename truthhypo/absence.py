"""Report a store that does not exist: raise an error if the user gave its address, and warn otherwise."""

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
    """Check that data was loaded into a store at least once, before the store is read.

    Args:
        kind: `graph` or `literature`.
        store: The store.
        settings: Settings with the address of the store, if the user gave one.

    Returns:
        An empty set if the store exists. Otherwise both kinds of store are checked, and the set contains each kind that
        does not exist yet and for which the user gave no address. A warning (`NothingLoaded`) names these kinds.

    Raises:
        StoreUnreachable: There is no store at an address that the user gave.
        DamagedStore: The records under HOME say that the store was loaded, but the store is missing or damaged.
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
