"""A store that is to be read and is not there: an error at an address that somebody gave, else a warning."""

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
    """See that a store that is to be read was ever filled.

    Args:
        kind: Of which kind it is.
        store: The store.
        settings: Its address, if somebody gave one.

    Returns:
        The kinds of store that are not there yet, if this one is among them; a warning (`NothingLoaded`) names them.

    Raises:
        StoreUnreachable: There is no store at an address that somebody gave.
        DamagedStore: HOME knows that the store was filled, and it is gone or damaged.
    """
    there: dict[Kind, bool] = {
        "graph": cypher.is_there(settings.graph_address),
        "literature": literature.is_there(settings.literature_address),
    }
    if there[kind]:
        return frozenset()
    store.releases()  # a store that is gone or damaged says so
    given: dict[Kind, str] = {"graph": settings.graph, "literature": settings.literature}
    if given[kind]:
        raise StoreUnreachable(
            f"there is no {kind} store at {store.address}",
            "a store that something was loaded into",
            f"correct the address, or load into it: truthhypo ingest {_LOADS[kind]} FILE --{kind} {store.address}",
        )
    missing = frozenset(one for one in there if not there[one] and not given[one])
    warnings.warn(
        f"HOME {settings.home} holds no {' and no '.join(sorted(missing))}: nothing was loaded yet, and look-ups find "
        f"nothing there; load files with: truthhypo ingest {_LOADS[kind]} FILE",
        NothingLoaded,
        stacklevel=5,
    )
    return missing
