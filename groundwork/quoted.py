"""Quote a text in a reason or a message, shortened if it is long."""

#: Maximum number of characters of a quoted text.
LONGEST = 100


def quoted(text: str) -> str:
    """Return a text in quotes on one line; after `LONGEST` characters it is cut at a word and ends with an ellipsis.

    A single word that is longer is cut inside.
    """
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return repr(line)
    words = line[: LONGEST + 1].rpartition(" ")[0]
    return repr(f"{words or line[:LONGEST]} ...")
