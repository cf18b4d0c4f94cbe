"""Claims of sentences whose names a test gives."""

import re

from fuzzygraph.triples.extraction import extract
from fuzzygraph.triples.triple import Triple
from groundwork.linking import Mention
from groundwork.reading.reader import Reader


def claims(text: str, *names: str, kind: str = "Other") -> list[Triple]:
    """Return the claims of a sentence.

    Args:
        text: The sentence.
        names: The names in the sentence, in upper or lower case. Of two overlapping names the longer one counts.
        kind: The type of the named concepts.
    """
    longest = sorted(names, key=len, reverse=True)
    found = re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", text, re.IGNORECASE) if names else ()
    mentions = [Mention(m[0], *m.span(), f"{kind}|{m[0].lower()}", m[0], 1.0) for m in found]
    return extract(text, mentions, Reader())
