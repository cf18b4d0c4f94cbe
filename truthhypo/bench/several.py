"""Where a warning holds, in a few words: a report on twelve models says it once."""

from collections.abc import Iterable

#: Places that are named; of more, their number says it.
NAMED = 3


def named(places: Iterable[str], of: str) -> str:
    """One place by its name; of several how many, and the first of them.

    Args:
        places: At least one; the same place counts once.
        of: What they are, in the plural.
    """
    held = tuple(dict.fromkeys(places))
    if len(held) == 1:
        return held[0]
    more = "; ..." if len(held) > NAMED else ""
    return f"{len(held)} {of} ({'; '.join(held[:NAMED])}{more})"
