"""Where the words begin that say what a thing does or is, though the parser may take them for nouns."""

import re

from knowhd import lexicon
from knowhd.claims.grammar.agreement import alone, many
from knowhd.claims.grammar.shown import Shown
from knowhd.claims.verbs import doer, relates

_ADVERBS = r"(?:(?:\w+ly|also|both|each|often|even|still) )*"
_AHEAD = re.compile(rf"{_ADVERBS}$")
#: The adverbs and the verb with which such words begin.
SAID = re.compile(rf"(?P<ahead>{_ADVERBS})(?P<verb>[a-z]+)")
_AUXILIARIES = lexicon.words(
    "is are was were has have had do does did can cannot could may might must should will would"
)
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
#: Words that are tried.
_TRIED = 12


def predicate(told: Shown, start: int, end: int) -> int | None:
    """Where they begin in a stretch of a sentence that begins with the thing, with their adverbs; None if nowhere."""
    words = list(re.finditer(r"(?<= )[a-z]+(?=['’ ])", told.text[start:end]))[:_TRIED]
    finite = {told.parsed.offsets(t)[0] for t in told.parsed.doc if t.tag_ in _FINITE and not told.parsed.hides(t)}
    for word in words:
        at = start + word.start()
        plain = told.seen[at] == told.text[at]
        if (plain and (at in finite or word[0] in _AUXILIARIES)) or (relates(word[0]) and doer(told.text[at:end])):
            ahead = _AHEAD.search(told.text, start, at)
            return ahead.start() if ahead else at
    return None


def agreeing(said: str, *, one: bool) -> str:
    """What was said of something, as it is said of one thing or of several."""
    found = SAID.match(said)
    if found is None:
        return said
    return f"{found['ahead']}{(alone if one else many)(found['verb'])}{said[found.end() :]}"
