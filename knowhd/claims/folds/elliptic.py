"""What a sentence says of one thing and, without saying it again, of another: "A lowers B, but C does not".

The second thing may stand in the next sentence ("C does not."), and it leaves out what it shares with the first:
"two copies of A raise B, whereas one copy does not" is about one copy of A.
"""

import re
from collections.abc import Iterator

from knowhd.claims.folds.predicates import SAID, agreeing, predicate
from knowhd.claims.grammar.shown import LEAD, NAME, THING, Part, Shown, capital
from knowhd.claims.reasons import whole

_AUX = r"(?P<aux>do|does|did|is|are|was|were|can|could|may|might|will|would|has|have)"
_NOT = r"(?P<not> ?not|n['’]t)"
_NAMES = rf"(?:both )?(?:{NAME}+(?:(?:, {NAME}+)*,? (?:and|or) {NAME}+)?|{THING})"
_BELOW = r"(?:of|in|from|with|on|to)"
_WHO = rf"(?P<who>{_NAMES}(?: {_BELOW} {_NAMES})?)"
_CONTRAST = r"(?:[,;]? (?:but|while|whereas|(?:even )?though|although|and|yet|however,?)"
_TOO = r"(?P<too> too| so| likewise| as well| either)"
#: In the order they are tried: "C does (not)", "so does C", "nor does C".
_WAYS = (
    re.compile(rf"{_CONTRAST}|;) {_WHO} {_AUX}(?:{_NOT})?{_TOO}?[.!]?$"),
    re.compile(rf"[,;]? (?:(?:(?:and|but) )?(?:so|neither)|as|nor|and nor) {_AUX} {_WHO}[.!]?$"),
)
#: What stands in front is said first: "although A lowers B, C does not".
_FRONT = re.compile(
    rf"^(?:although|(?:even )?though|while|whereas) (?P<said>[^;]+), "
    rf"(?P<rest>{_WHO} {_AUX}(?:{_NOT})?{_TOO}?[.!]?)$",
    re.I,
)
#: A sentence that says nothing but that: "C does not.", "Nor does C."
_ALONE = re.compile(
    rf"^(?:{_WHO} {_AUX}{_NOT}?{_TOO}?|(?P<joint>so|neither|nor) {_AUX.replace('<aux>', '<turned>')} {_NAMES})[.!]?$",
    re.I,
)
_NAMED = re.compile(_NAMES, re.I)
_DENYING = re.compile(r"\b(?:not|never|cannot)\b|n['’]t\b", re.I)
#: The auxiliaries by what they stand for: one of a class never stands for what has one of another.
_CLASSES = {
    **dict.fromkeys(("is", "are", "was", "were"), "be"),
    **dict.fromkeys(("has", "have"), "have"),
    **dict.fromkeys(("do", "does", "did"), "do"),
    **dict.fromkeys(("can", "cannot", "could", "may", "might", "must", "should", "will", "would"), "modal"),
}
_ONE, _MANY = frozenset({"does", "is", "was", "has"}), frozenset({"do", "are", "were", "have"})


def elliptic(told: Shown) -> Iterator[list[Part]]:
    """What is said of the first thing, and the same, or its denial, of the other.

    "Does too", "so does" and "nor does" say the same of the other; "does" and "does not" say it as they stand.
    """
    if front := _FRONT.match(told.seen):
        yield [(capital(f"{told.words(front, 'said')}, but {told.words(front, 'rest')}"), False)]
    found = next(filter(None, (way.search(told.seen) for way in _WAYS)), None)
    if found is None:
        return
    lead = LEAD.match(told.text)
    start = lead.end() if lead else 0
    verb = predicate(told, start, found.start())
    first = _NAMED.match(told.seen, start, verb) if verb else None
    if verb is None or first is None:
        return
    said = told.text[verb : found.start()]
    if not _stands_for(found["aux"], said):
        return
    groups = found.groupdict()
    denied = _DENYING.search(said) is not None
    same = "not" not in groups or groups["too"] or denied == bool(groups["not"])
    other = f"{told.words(found, 'who')}{_shared(told, first, found, verb)}"
    if (
        found["aux"] in _ONE | _MANY and " and " not in other and " or " not in other
    ):  # names in a list are told apart later
        said = agreeing(said, one=found["aux"] in _ONE)
    words = whole(f"{told.text[:start]}{other if lead else capital(other)} {said}")
    yield [(whole(told.text[: found.start()]), False), (words, not same)]


def incomplete(told: Shown) -> bool:
    """Whether a sentence only says that the one before holds, or not, of another thing: "C does not."."""
    return _ALONE.match(told.seen) is not None


def carried(before: str, told: Shown) -> str:
    """A sentence that leans on the one before, as the end of that: "A lowers B, but C does not."."""
    found, text = _ALONE.match(told.seen), told.text
    turned = bool(found and found["joint"])
    joint = "" if text.lower().startswith("nor ") else "and " if turned else "but "
    small = turned or re.match(r"[A-Z][a-z]+ ", text)
    return f"{before.rstrip(' .!')}, {joint}{text[0].lower() if small else text[0]}{text[1:]}"


def _stands_for(aux: str, said: str) -> bool:
    """Whether an auxiliary may stand for what was said: "does" for "lowers B", not for "is a drug"."""
    found = SAID.match(said)
    verb = found["verb"] if found else ""
    if verb in {"has", "have"} and _CLASSES[aux] == "do":  # "A has a receptor, but B does not"
        return True
    own = _CLASSES.get(verb, "do")
    return own == _CLASSES[aux] and (own != "modal" or verb.startswith(aux))


def _shared(told: Shown, first: re.Match[str], found: re.Match[str], verb: int) -> str:
    """What hangs from the first thing and is of the other as well: " of A", where both are the same noun."""
    below = told.text[first.end() : verb].strip()
    own = re.search(rf" {_BELOW} ", told.words(found, "who"))
    nouns = {_noun(told, end) for end in (first.end(), found.end("who"))}
    return f" {below}" if below and not own and len(nouns) == 1 and "" not in nouns else ""


def _noun(told: Shown, end: int) -> str:
    """The stem of the plain noun that ends at a place; empty for a name."""
    noun = re.search(r"[a-z]{3,}$", told.text[:end])
    return "" if noun is None or told.seen[end - 1] == NAME else re.sub(r"(?:ies|s|y)$", "", noun[0])
