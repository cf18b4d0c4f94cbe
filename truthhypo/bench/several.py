"""Name the places of a warning (runs, tasks, ...) briefly, so that twelve models get one warning instead of twelve."""

from collections.abc import Iterable

#: Maximum number of places that are named.
NAMED = 3


def named(places: Iterable[str], of: str) -> str:
    """Return the name of a single place. For several places, return their number and the first names.

    Args:
        places: Names of at least one place. Repeated names count once.
        of: Kind of the places as a plural noun, for instance `runs`.
    """
    held = tuple(dict.fromkeys(places))
    if len(held) == 1:
        return held[0]
    more = "; ..." if len(held) > NAMED else ""
    return f"{len(held)} {of} ({'; '.join(held[:NAMED])}{more})"
