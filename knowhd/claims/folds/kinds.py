"""What a thing is and what it does as such: "metformin is a drug that activates AMPK".

"A drug that activates AMPK lowers glucose" stays whole: the clause says which drugs are meant, not that any does so.
Behind "is a" it says so of the thing itself. "Is the drug that" and "the only drug that" tell it from others and stay.
"""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.agreement import alone
from knowhd.claims.grammar.shown import LIST, THING, Part, Shown
from knowhd.claims.reasons import whole

_KIND = re.compile(
    rf"^(?P<who>{LIST}|{THING}|It|They) (?P<be>is|are) (?P<what>[^,;()]+?) (?:that|which|who) "
    r"(?P<verb>[a-z]+) (?P<rest>[^;]+)$"
)
_NOT_ALONE = re.compile(r"\b(?:the|only|one|no|not|\w+est|more|less|so|such)\b", re.I)


def kinds(told: Shown) -> Iterator[list[Part]]:
    """What the thing is, and what it does."""
    found = _KIND.match(told.seen)
    if found is None or _NOT_ALONE.search(told.words(found, "what")) or not _qualified(told, found.end("what")):
        return
    who, be, what, verb, rest = (told.words(found, part) for part in ("who", "be", "what", "verb", "rest"))
    if (be == "is") == (alone(verb) == verb):
        yield [(whole(f"{who} {be} {what}"), False), (whole(f"{who} {verb} {rest}"), False)]


def _qualified(told: Shown, end: int) -> bool:
    """Whether the clause is said of the noun that ends there, and the noun of the thing."""
    noun = next((t for t in told.parsed.doc if told.parsed.offsets(t)[1] == end), None)
    return noun is not None and noun.dep_ == "attr" and any(child.dep_ == "relcl" for child in noun.children)
