"""What is said by the way of a part or trait of a thing: "EGFR, whose loss causes inflammation, drives tumours"."""

import re
from collections.abc import Iterator

from knowhd.claims.folds.relatives import within
from knowhd.claims.grammar.shown import LIST, THING, Part, Shown
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_WHOSE = re.compile(rf"(?P<noun>{LIST}|{THING}), whose (?P<said>[^,;()]+?)(?:,|(?=[.!]?$))")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
#: Words that the part or trait has at most: "long-term side effects".
_MOST = 4


def whose(told: Shown) -> Iterator[list[Part]]:
    """The sentence without such a clause, and the clause as a sentence: "The loss of EGFR causes inflammation"."""
    for found in _WHOSE.finditer(told.seen):
        at = _verb(told, *found.span("said"))
        if at is not None:
            part, doing = told.text[found.start("said") : at].rstrip(), told.text[at : found.end("said")]
            noun = within(told.words(found, "noun"))
            kept = told.text[: found.end("noun")] + told.text[found.end() :]
            yield [(whole(kept), False), (f"The {part} of {noun} {doing}.", False)]


def _verb(told: Shown, start: int, end: int) -> int | None:
    """Where the verb of the clause begins, which the parser may have taken for a noun; None if none is found."""
    finite = {told.parsed.offsets(token)[0] for token in told.parsed.doc if token.tag_ in _FINITE}
    for word in list(re.finditer(r"\S+", told.text[start:end]))[1 : _MOST + 1]:
        at = start + word.start()
        if at in finite or (word[0].endswith("s") and relates(word[0])):
            return at
    return None
