"""Clauses that say each something by itself, beside each other in one sentence: "A inhibits B, and C inhibits D".

A small parser takes "B and C" for one object as soon as it doesn't know them. So the sentence is cut where words
join clauses, and a cut stands where the parser finds a verb with its own subject on both sides of it.
"""

import re
from collections.abc import Collection, Mapping
from itertools import cycle

from groundwork.language import parse

Stretch = tuple[int, int]

_JOINT = re.compile(r" and (?:also )?|(?<=,) but |,? whereas |,? while |; ")
#: Behind these a clause begins whatever stood before: "has A, B and C, but its D is normal" is not cut at the "and".
_SET_AGAINST = re.compile(r", but (?!not\b)|,? whereas |,? while |; ")
#: A name in front of what may be a verb.
_ACTS = re.compile(r"\s+[a-z]+s\b(?! of\b)")
_STAND_INS = ("Alpha", "Beta", "Gamma", "Delta")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_COMPLEMENTS = frozenset({"dobj", "attr", "acomp", "auxpass", "agent", "oprd", "xcomp"})
#: After these, what follows an "and" may hang from the same word.
_OPEN = re.compile(r"\b(?:if|whether|that|when|because|although|neither|nor|which|who)\b", re.I)


def clauses(text: str, names: Collection[Stretch], without: Collection[Stretch] = ()) -> tuple[Stretch, ...]:
    """Where the clauses of a sentence stand, in order: offsets of the first character and after the last.

    Args:
        text: One sentence.
        names: Where names of concepts stand in it; a clause holds one at least.
        without: Stretches that are not looked at, each within a clause.

    Returns:
        One stretch, of the whole sentence, where it is not several clauses joined.
    """
    found: list[Stretch] = []
    start, end = 0, len(text)
    for joint in _JOINT.finditer(text):
        first, last = joint.span()
        if any(a < last and first < b for a, b in [*names, *without]) or _OPEN.search(text[start:first]):
            continue
        against = _SET_AGAINST.search(text, last)
        sides = (start, first), (last, against.start() if against else end)
        if all(_is_clause(text, side, names, without) for side in sides):
            found.append(sides[0])
            start = last
    return *found, (start, end)


def outside(text: str, clause: Stretch) -> tuple[Stretch, ...]:
    """What of a sentence does not belong to a clause; the sentence's last stop belongs to each."""
    closing = len(text) - (text[-1:] in {".", "!"})
    around = (0, clause[0]), (clause[1], closing)
    return tuple((a, b) for a, b in around if a < b)


def _is_clause(text: str, side: Stretch, names: Collection[Stretch], without: Collection[Stretch]) -> bool:
    """Whether a part of a sentence says something by itself.

    Where the parser takes "Alpha lowers Beta" for a heap of nouns, it is asked again with "it" before the verb.
    """
    inside = sorted(name for name in names if side[0] <= name[0] and name[1] <= side[1])
    if not inside:
        return False
    plain = dict(zip(inside, cycle(_STAND_INS), strict=False))
    acting = {name: "it" for name in inside if _ACTS.match(text, name[1])}
    return any(
        _says(_written(text, side, {**shown, **dict.fromkeys(without, "")}))
        for shown in ([plain, {**plain, **acting}] if acting else [plain])
    )


def _written(text: str, side: Stretch, shown: Mapping[Stretch, str]) -> str:
    """A part of a sentence with other words in place of some of its stretches."""
    words, at = [], side[0]
    for (start, end), instead in sorted(shown.items()):
        if at <= start and end <= side[1]:
            words += [text[at:start], instead]
            at = end
    return "".join([*words, text[at : side[1]]]).strip(" ,.") + "."


def _says(part: str) -> bool:
    """Whether some words have a finite verb with its own subject and an object or the like."""
    root = next((token for token in parse(part) if token.dep_ == "ROOT"), None)
    if root is None or root.pos_ not in {"VERB", "AUX"}:
        return False
    finite = any(token.tag_ in _FINITE for token in [root, *root.children])
    below = {child.dep_ for child in root.children}
    return finite and bool(below & _SUBJECTS) and bool(below & _COMPLEMENTS)
