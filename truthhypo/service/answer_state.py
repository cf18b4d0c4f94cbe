"""The state behind an answer: the live releases, and whether a load is unfinished."""

from groundwork.ports import GraphReader, LiteratureReader
from groundwork.records.release import live
from truthhypo.lookups import unfinished_loads

State = tuple[tuple[str, ...], bool]


def state_of(*stores: GraphReader | LiteratureReader) -> State:
    """Return the live releases of the stores behind an answer, and whether a load of these stores is unfinished."""
    return live(*(store.releases() for store in stores)), bool(unfinished_loads(*stores))


def state_since(begun: State, *stores: GraphReader | LiteratureReader) -> State:
    """Return the state behind an answer, given the state before the answer was made (`begun`).

    The second value is also True if the state has changed since then.
    """
    release, loading = now = state_of(*stores)
    return release, loading or now != begun
