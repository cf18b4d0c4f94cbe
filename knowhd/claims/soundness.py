"""Whether a claim can be what its sentence says. A sentence with a claim that cannot be is left whole."""

import re
from itertools import pairwise

from knowhd.claims.clause import NOUNS, TENSED, Clause
from knowhd.claims.verbs import plural

#: A comma between a subject and its verb that sets nothing off, and brackets with nothing between them.
_BROKEN = re.compile(r"^[^,]+, (?:is|are|was|were|has|have|does|do|did|can|may|might|could|will|would)\b|[(\[]\W*[)\]]")


def states(clause: Clause) -> bool:
    """Whether a clause has a subject and behind it a finite verb."""
    who, verb = clause.subject, clause.finite
    return who is not None and verb is not None and (who.dep == "expl" or who.index <= verb.index)


def sound(clause: Clause) -> bool:
    """Whether a claim can be what its sentence says.

    It states something, its brackets close, its verb agrees with its subject, no two nouns or verbs stand together that
    did not, and nothing is denied of a noun instead of a verb.
    """
    words, text = clause.tree.words, clause.text
    closed = all(text.count(a) == text.count(b) for a, b in ("()", "[]")) and not _BROKEN.search(text)
    kept = [words[index] for index in sorted(clause.words)]
    contrast = any(word.dep == "neg" and words[word.head].tag in NOUNS for word in kept)
    glued = any(
        other.index > one.index + 1
        and ({one.tag, other.tag} <= NOUNS or {one.tag, other.tag} <= TENSED)
        and clause.told.keys().isdisjoint((one.index, other.index))
        for one, other in pairwise(kept)
    )
    return states(clause) and closed and _agrees(clause) and not glued and not contrast


def _agrees(clause: Clause) -> bool:
    """Whether a verb that shares the subject of another agrees with it: "B indicate C" belongs to another subject."""
    who, verb = clause.subject, clause.finite
    if who is None or verb is None or who.head == clause.head.index or verb.index in clause.told:
        return True
    many = plural(who) or any(word.dep == "conj" for word in clause.below(who))
    return verb.tag not in {"VBP", "VBZ"} or many == (verb.tag == "VBP")
