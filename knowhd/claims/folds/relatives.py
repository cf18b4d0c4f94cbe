"""What is said of a thing by the way, with the thing as object: "thrombosis, which aspirin prevents".

", which" sets off a statement of its own, and the sentence stands without it. "The tumours that EGFR drives" says
which tumours are meant, so the sentence keeps it; that EGFR drives tumours is claimed as well, and stands beside it.
"""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import LIST, NAME, NOUN, THING, Part, Shown
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import relates

_WHICH = re.compile(rf"(?P<noun>{LIST}|{THING}), (?:which|whom|who) (?P<said>[^,;()]+?)(?P<end>,|(?=[.!]?$))")
_THAT = re.compile(
    rf"\b[Tt]he (?P<noun>(?:{NOUN}+ )*{NAME}+) (?:that|which|whom) (?P<who>{NAME}+) (?P<verb>[a-z]+|{NOUN}+)"
)
#: How a clause begins that has the thing as its subject.
_VERB = re.compile(
    r"(?:is|are|was|were|has|have|had|can|could|may|might|will|would|should|must|do|does|did|not|also|in)\b"
)
#: Words of a clause that has a subject and a verb.
_FEWEST = 2
_LATE = re.compile(r" (?=(?:in|by|with|during|after|at|on|for|through|via|from|among|under)\b)")


def relatives(told: Shown) -> Iterator[list[Part]]:
    """The sentence, without such a clause or with one that says which is meant, and what the clause says."""
    text = told.text
    for found in _WHICH.finditer(told.seen):
        if clause := _said(told, found):
            yield [(whole(text[: found.end("noun")] + text[found.end() :]), False), (whole(clause), False)]
    for found in _THAT.finditer(told.seen):
        if relates(told.words(found, "verb")):
            said = " ".join(told.words(found, part) for part in ("who", "verb", "noun"))
            yield [(text, False), (whole(said), False)]


def _said(told: Shown, found: re.Match[str]) -> str:
    """What a clause with "which" says, with the thing in its place; empty where the parser's own reading will do."""
    noun, said = told.words(found, "noun"), told.words(found, "said")
    acting = re.match(rf"{THING} (?=[a-z])", told.seen[found.start("said") :])
    first = said.split()[0]
    if acting or not (_VERB.match(said) or relates(first) or len(said.split()) < _FEWEST):
        at = _LATE.search(said, acting.end() if acting else len(first) + 1)
        return f"{said[: at.start()]} {within(noun)}{said[at.start() :]}" if at else f"{said} {within(noun)}"
    return f"{noun} {said}" if " and " in said else ""


def within(noun: str) -> str:
    """A thing as it is written within a sentence."""
    return noun[:1].lower() + noun[1:] if re.fullmatch(r"[A-Z][a-z]+(?: .*)?", noun) else noun
