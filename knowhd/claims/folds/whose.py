"""What is said by the way of a part or trait of a thing: "EGFR, whose loss causes inflammation, drives tumours"."""

import re
from collections.abc import Iterator

from knowhd.claims.folds.relatives import within
from knowhd.claims.grammar.shown import BEGIN, THING, Part, Shown
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

#: Behind "and" it is not clear whether the clause is about the last thing or about all.
_WHOSE = re.compile(rf"{BEGIN}(?<!and )(?<!or )(?P<noun>{THING}), whose (?P<said>[^,;()]+?)(?:,|(?=[.!]?$))")
_BELOW = re.compile(r"\b(?:of|on|in|for|with|to|by|from|at)\b")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
#: Words that the part or trait has at most: "long-term side effects".
_MOST = 4


def whose(told: Shown) -> Iterator[list[Part]]:
    """The sentence without such a clause, and the clause as a sentence: "The loss of EGFR causes inflammation"."""
    for found in _WHOSE.finditer(told.seen):
        at = _verb(told, *found.span("said"))
        part = told.text[found.start("said") : at].rstrip()
        if at is not None and not _BELOW.search(part):
            kept = told.text[: found.end("noun")] + told.text[found.end() :]
            said = f"The {part} of {within(told.words(found, 'noun'))} {told.text[at : found.end('said')]}."
            yield [(whole(kept), False), (said, False)]


def _verb(told: Shown, start: int, end: int) -> int | None:
    """Where the verb of the clause begins, which the parser may have taken for a noun; None if none is found."""
    finite = {told.parsed.offsets(token)[0] for token in told.parsed.doc if token.tag_ in _FINITE}
    for word in list(re.finditer(r"\S+", told.text[start:end]))[1 : _MOST + 1]:
        at = start + word.start()
        if at in finite or (word[0].endswith("s") and relates(word[0])):
            return at
    return None
