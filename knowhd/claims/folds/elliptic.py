"""What a sentence says of one thing and, without saying it again, of another: "A lowers B, but C does not"."""

import re
from collections.abc import Iterator

from knowhd.claims.grammar.shown import NAME, THING, Part, Shown, capital
from knowhd.claims.reasons import whole
from knowhd.claims.verbs import of_one

_AUX = r"(?P<aux>do|does|did|is|are|was|were|can|may|will|has|have)"
_NOT = r"(?P<not> not|n['’]t)"
_NAMES = rf"(?:both )?(?:{NAME}+(?:(?:, {NAME}+)*,? (?:and|or) {NAME}+)?|{THING})"
_WHO = rf"(?P<who>{_NAMES})"
_CONTRAST = r"(?:[,;]? (?:but|while|whereas|(?:even )?though|although|and|yet|however,?)"
_TOO = r"(?P<too> too| so| likewise| as well| either)"
#: In the order they are tried: "C does (not)", "so does C", "nor does C".
_WAYS = (
    re.compile(rf"{_CONTRAST}|;) {_WHO} {_AUX}(?:{_NOT})?{_TOO}?[.!]?$"),
    re.compile(rf"[,;]? (?:(?:(?:and|but) )?(?:so|neither)|as|nor|and nor) {_AUX} {_WHO}[.!]?$"),
)
#: What stands in front is said first: "although A lowers B, C does not".
_FRONT = re.compile(
    rf"^(?:although|(?:even )?though|while|whereas) (?P<said>[^;]+), (?P<rest>{_NAMES} {_AUX}(?:{_NOT})?{_TOO}?[.!]?)$",
    re.I,
)
#: The first thing: names, else what stands before the verb.
_SUBJECT = re.compile(rf"{_NAMES}(?= )")
_DENYING = re.compile(r"\b(?:not|never|cannot)\b|n['’]t\b", re.I)


def elliptic(told: Shown) -> Iterator[list[Part]]:
    """What is said of the first thing, and the same, or its denial, of the other.

    "Does too", "so does" and "nor does" say the same of the other; "does" and "does not" say it as they stand.
    """
    if front := _FRONT.match(told.seen):
        yield [(capital(f"{told.words(front, 'said')}, but {told.words(front, 'rest')}"), False)]
    subject = _SUBJECT.match(told.seen)
    found = next(filter(None, (way.search(told.seen) for way in _WAYS)), None)
    if found is None or subject is None or subject.end() >= found.start():
        return
    said = told.text[subject.end() : found.start()]
    groups = found.groupdict()
    first = _DENYING.search(said) is not None
    same = "not" not in groups or groups["too"] or first == bool(groups["not"])
    other = told.words(found, "who")
    if " and " not in other and " or " not in other and found["aux"] not in {"do", "are", "were", "have"}:
        said = of_one(said)
    yield [(whole(told.text[: found.start()]), False), (whole(f"{capital(other)}{said}"), not same)]
