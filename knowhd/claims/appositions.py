"""What a thing is said to be by the way: "metformin, a biguanide, ...", "metformin (a biguanide) ..."."""

import re
from collections.abc import Iterator

from knowhd.claims.reasons import whole
from knowhd.claims.shown import THING, Part, Shown, capital

_APPOSED = re.compile(
    rf"(?P<noun>{THING})(?: \([^()]*\))?(?:"
    r", (?P<what>(?:an?|the|one of the) (?:[^,;()]|\([^()]*\))+?)(?P<end>,|(?=[.;!]?$))"
    r"| \((?P<within>(?:an?|the|one of the) [^,;()]+)\))",
    re.I,
)
#: What comes behind a list, or a clause, rather than an apposition.
_LISTING = re.compile(r"^\s*(?:and|or|nor|but|which|who|as)\b", re.I)
#: A circumstance in front of a sentence: "In mice, a drug ..." is none.
_PLACED = re.compile(r"(?:^|, )(?:in|at|on|during|for|with|by|of|from) ?$", re.I)


def appositions(told: Shown) -> Iterator[list[Part]]:
    """The sentence without what the thing is said to be, and that as a sentence of its own."""
    for found in _APPOSED.finditer(told.seen):
        which = "what" if found["what"] else "within"
        what, after = told.words(found, which), told.text[found.end() :]
        last = which == "what" and not found["end"]
        listed = _LISTING.match(after) or (last and re.search(r"\b(?:and|or)\b", what))
        if listed or (not last and _PLACED.search(told.text[: found.start("noun")])):
            continue
        kept = told.text[: found.start(which) - 2]  # without ", " or " ("
        yield [(f"{kept}{after}", False), (whole(f"{capital(kept[found.start('noun') :])} is {what}"), False)]
