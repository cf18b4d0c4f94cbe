"""What a thing is said to be by the way: "metformin, a biguanide, ...", "metformin (a biguanide) ..."."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd.claims.grammar.agreement import plural_noun
from knowhd.claims.grammar.shown import NAME, THING, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

if TYPE_CHECKING:
    from spacy.tokens import Token

_APPOSED = re.compile(
    rf"(?<![\w/-])(?P<noun>{THING})(?: \([^()]*\))?(?:"
    r", (?P<what>(?-i:an?|the|one of the) (?:[^,;()]|\([^()]*\))+?)(?P<end>,|(?=[.;!]?$))"
    r"| \((?P<within>(?-i:an?|the|one of the) [^,;()]+)\))",
    re.I,
)
#: A circumstance in front of a sentence: "In mice, a drug ..." is none.
_PLACED = re.compile(r"(?:^|, )(?:in|at|on|during|for|with|by|of|from) ?$", re.I)
#: A second verb behind it: "A inhibits B, a transporter, and lowers C".
_DOING = re.compile(r" (?:and|but) (?P<verb>[a-z]+s) ")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


def appositions(told: Shown) -> Iterator[list[Part]]:
    """The sentence without what the thing is said to be, and that as a sentence of its own."""
    for found in _APPOSED.finditer(told.seen):
        which = "what" if found["what"] else "within"
        if not _apposed(told, found, which):
            continue
        what, after = told.words(found, which), told.text[found.end() :]
        kept = told.text[: found.start(which) - 2]  # without ", " or " ("
        last = _tokens(told, *found.span("noun"))[-1]
        verb = "are" if plural_noun(last) and not told.parsed.hides(last) else "is"
        yield [(f"{kept}{after}", False), (whole(f"{capital(kept[found.start('noun') :])} {verb} {what}"), False)]


def _apposed(told: Shown, found: re.Match[str], which: str) -> bool:
    """Whether words behind a noun say what it is, rather than go on in a list or with another clause."""
    noun, what = _tokens(told, *found.span("noun")), _tokens(told, *found.span(which))
    if not noun or not what or noun[0].lower_ in {"a", "an"} or _clausal(what):
        return False
    # A name is what is said of; of any other noun the parse must say so.
    if not found["noun"].endswith(NAME) and not any(t.dep_ == "appos" and t.head in noun for t in what):
        return False
    if which == "within" or not found["end"]:
        return not any(token.dep_ == "cc" for token in what)
    if doing := _DOING.match(told.text, found.end()):
        return relates(doing["verb"])
    behind = next((token for token in told.parsed.doc if told.parsed.offsets(token)[0] > found.end()), None)
    placed = _PLACED.search(told.text[: found.start("noun")])
    return behind is not None and not placed and (behind.tag_ in _FINITE or relates(told.parsed.original([behind])))


def _clausal(what: list["Token"]) -> bool:
    """Whether words hold a verb of their own that no "that" or "which" opens."""
    opened = False
    for token in what:
        opened = opened or token.lower_ in {"that", "which", "who"}
        if token.tag_ in _FINITE and not opened:
            return True
    return False


def _tokens(told: Shown, start: int, end: int) -> list["Token"]:
    return [token for token in told.parsed.doc if start <= told.parsed.offsets(token)[0] < end]
