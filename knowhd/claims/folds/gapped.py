"""A verb that is said once for several pairs: "A lowers B, C D and E F", "A inhibits B, and C, D"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import NAME, NOUN, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_THING = rf"(?:{NAME}+|{NOUN}+)"
_PAIR = re.compile(rf"(?P<who>{_THING})(?P<gap>,)? (?P<what>{_THING})")
_GAPPED = re.compile(
    rf"^(?P<who>{_THING}) (?P<verb>[a-z]+|{NOUN}+) (?P<what>{_THING})"
    rf"(?P<pairs>(?:[,;] {_THING},? {_THING})*?(?:[,;]? and |[;,] ){_THING},? {_THING})[.!]?$"
)
_JOINED = re.compile(r"(?:[,;]? and |; )")


def gapped(told: Shown) -> Iterator[list[Part]]:
    """What the verb says of each pair, pair by pair.

    Things that nobody knows, with nothing between them, may be one thing of two words: only a comma tells.
    """
    found = _GAPPED.match(told.seen)
    if found is None or not relates(told.words(found, "verb")):
        return
    pairs = list(_PAIR.finditer(told.seen, *found.span("pairs")))
    if _named(told, [found, *pairs]) or (len(pairs) == 1 and pairs[0]["gap"] and _JOINED.match(found["pairs"])):
        verb = told.words(found, "verb")
        each = [(told.words(pair, "who"), told.words(pair, "what")) for pair in (found, *pairs)]
        yield [(whole(capital(f"{who} {verb} {what}")), False) for who, what in each]


def _named(told: Shown, pairs: list[re.Match[str]]) -> bool:
    """Whether those who do it are of one type and what it is done to of others: two names are then no single one."""
    who = {told.kind(pair.start("who")) for pair in pairs}
    what = [told.kind(pair.start("what")) for pair in pairs]
    return len(who) == 1 and who.isdisjoint({"", *what}) and "" not in what
