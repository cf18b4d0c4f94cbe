"""What two things do to each other: "A raises B and vice versa"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import NAME, NOUN, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_THING = rf"(?:{NAME}+|{NOUN}+)"
_MUTUAL = re.compile(
    rf"^(?P<lead>[A-Z][^,]*, )?(?P<one>{_THING}) (?P<verb>[a-z]+(?: [a-z]+){{0,2}}) (?P<other>{_THING})"
    r"(?P<rest> [^,;]*)?,? and vice[ -]versa[.!]?$"
)
_MANY = re.compile(r"[^suiy]s$")


def mutual(told: Shown) -> Iterator[list[Part]]:
    """What the one does to the other, and the same the other way round; both one thing, or both many."""
    found = _MUTUAL.match(told.seen)
    if found is None or not any(map(relates, told.words(found, "verb").split())):
        return
    one, verb, other = (told.words(found, part) for part in ("one", "verb", "other"))
    lead, rest = found["lead"] or "", told.text[slice(*found.span("rest"))] if found["rest"] else ""
    if bool(_MANY.search(one)) == bool(_MANY.search(other)):
        yield [(whole(capital(f"{lead}{a} {verb} {b}{rest}")), False) for a, b in ((one, other), (other, one))]
