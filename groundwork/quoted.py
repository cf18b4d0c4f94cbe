"""A text quoted in a reason or a message: whole where it is short."""

#: Characters of a text that a quotation shows at most.
LONGEST = 100


def quoted(text: str) -> str:
    """A text in quotes on one line; what is beyond `LONGEST` characters is cut behind a word and told by an ellipsis.

    A word longer than that is cut inside.
    """
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return repr(line)
    words = line[: LONGEST + 1].rpartition(" ")[0]
    return repr(f"{words or line[:LONGEST]} ...")
