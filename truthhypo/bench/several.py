"""Name the places of a warning briefly, so that a report on twelve models gives it once."""

from collections.abc import Iterable

#: Maximum number of places that are named; of more places the number is given.
NAMED = 3


def named(places: Iterable[str], of: str) -> str:
    """Return the name of one place, or the number of several places with the first of them.

    Args:
        places: At least one; repeated places count once.
        of: What they are, in the plural.
    """
    held = tuple(dict.fromkeys(places))
    if len(held) == 1:
        return held[0]
    more = "; ..." if len(held) > NAMED else ""
    return f"{len(held)} {of} ({'; '.join(held[:NAMED])}{more})"
