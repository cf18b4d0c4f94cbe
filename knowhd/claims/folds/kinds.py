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
    rf"^(?P<who>{LIST}|{THING}|It|They) (?P<be>is|are) (?P<what>(?:an? )?(?!only|first|last|same)[^,;()]+?) "
    r"(?:that|which|who) (?P<verb>[a-z]+) (?P<rest>[^;]+)$"
)
_NOT_ALONE = re.compile(r"\b(?:the|only|one|no|not|\w+est|more|less|so|such)\b", re.I)


def kinds(told: Shown) -> Iterator[list[Part]]:
    """What the thing is, and what it does."""
    found = _KIND.match(told.seen)
    if found is None:
        return
    who, be, what, verb, rest = (told.words(found, part) for part in ("who", "be", "what", "verb", "rest"))
    token = next((t for t in told.parsed.doc if told.parsed.offsets(t)[0] == found.start("verb")), None)
    if _NOT_ALONE.search(what) or token is None or token.dep_ not in {"relcl", "aux", "auxpass"}:
        return
    if (be == "is") == (alone(verb) == verb):
        yield [(whole(f"{who} {be} {what}"), False), (whole(f"{who} {verb} {rest}"), False)]
