"""Coordinations in a parsed sentence: "headache, nausea and bleeding", and which of them may be told apart."""

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING

from knowhd import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Dependency labels of subjects.
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})

_NOUNS = frozenset({"NOUN", "PROPN"})
_SLOTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "oprd"})
TOGETHER = lexicon.words(
    """association balance between combination comparison correlation difference interaction interplay link mixture
    ratio relation relationship synergy"""
)
#: Verbs of which each object is a part: "combining A and B".
_COMBINING = lexicon.words("combine combining compare comparing mix mixing pair pairing")
_RECIPROCAL = lexicon.words(
    """associate bind coexist colocalize combine compare compete converge cooperate correlate differ dimerize
    heterodimerize interact overlap synergise synergize"""
)
#: What several form, each is a part of: "A and B form a complex".
_FORMED = lexicon.words("complex dimer heterodimer pair pathway loop")
_NO_NOUNS = frozenset({"VBZ", "VBP", "JJR"})


def coordinations(tokens: Iterable["Token"], predicate: "Token") -> list[list["Token"]]:
    """Coordinations of nouns, and of a preposition with itself, that may be told one by one."""
    kept = list(tokens)
    nouns = [[t, *_conjuncts(t, kept, _NOUNS)] for t in kept if t.dep_ in _SLOTS and _separable(t, kept, predicate)]
    places = [[t, *_conjuncts(t, kept, {"ADP"})] for t in kept if t.dep_ == "prep"]
    return [*nouns, *filter(_repeated, places)]


def _repeated(members: list["Token"]) -> bool:
    """Whether a preposition is joined with itself, all of it, and nothing is denied of it: "in mice and in humans"."""
    below = [child for member in members for child in member.children]
    joints = {child.lower_ for child in below if child.dep_ in {"cc", "preconj"}}
    alike = len(members) > 1 and len({member.lower_ for member in members}) == 1
    first = members[0].i == 0 or members[0].nbor(-1).text != ","
    return first and alike and joints <= {"and", "both"} and all(child.dep_ != "neg" for child in below)


def together(token: "Token") -> bool:
    """Whether a noun names what is meant together: "the combination of A and B", "combining A and B"."""
    while token.dep_ == "pobj" and token.head.lower_ in {"as", "including", "like"}:  # "between drugs such as A and B"
        token = token.head.head
    if token.dep_ == "dobj":
        return token.head.lemma_.lower() in _COMBINING
    return token.dep_ == "pobj" and not {token.head.lemma_, token.head.head.lemma_}.isdisjoint(TOGETHER)


def _conjuncts(token: "Token", kept: list["Token"], kinds: Set[str]) -> list["Token"]:
    found = [c for c in token.children if c.dep_ == "conj" and c.pos_ in kinds and c in kept]
    return found + [deeper for c in found for deeper in _conjuncts(c, kept, kinds)]


def _separable(token: "Token", kept: list["Token"], predicate: "Token") -> bool:
    members = [token, *_conjuncts(token, kept, _NOUNS)]
    if len(members) == 1 or token.pos_ not in _NOUNS:
        return False
    if any(c.dep_ == "conj" and c.tag_ in _NO_NOUNS for m in members for c in m.children):
        return False  # a verb that the parser took for one more thing, or "lower" that qualifies the next
    if token.head.lower_ == "of" and any(c.lower_ == "of" for m in members for c in m.children):
        return False  # "loss of A and gain of B": the gain is joined with the loss
    joint = next((c for m in members for c in m.children if c.dep_ == "cc"), None)
    if len(members) == 2 and joint is not None and joint.nbor(-1).text == ",":
        return False  # ", and" joins two clauses more often than two nouns, whatever the parser says
    denied = any(c.dep_ == "neg" or c.lower_ in {"no", "without"} for c in predicate.children)
    joints = {c.lower_ for m in members for c in m.children if c.dep_ in {"cc", "preconj"}}
    if not joints <= ({"and", "both", "or"} if denied else {"and", "both"}):
        return False
    if together(token):
        return False
    formed = predicate.lemma_ in {"form", "constitute"} and any(
        c.dep_ == "dobj" and c.lemma_.lower() in _FORMED for c in predicate.children
    )
    if token.dep_ in SUBJECTS and formed:
        return False
    alone = not any(c.dep_ in {"dobj", "prep"} for c in predicate.children)
    counted = any(c.dep_ == "attr" and any(t.dep_ == "nummod" for t in c.children) for c in predicate.children)
    if token.dep_ in SUBJECTS and counted:
        return False  # "A and B are two drugs"
    return not (token.dep_ in SUBJECTS and predicate.lemma_ in _RECIPROCAL and alone)


def others(group: list["Token"]) -> dict["Token", set["Token"]]:
    """For each member of a coordination the tokens of it without that member: what joins them, and all of the others.

    A circumstance behind all of them is of each.
    """
    members = set(group)
    behind = {t for member in group[:-1] for c in member.children if _of_all(c, group) for t in c.subtree}
    owners = {
        token: next(t for t in [token, *token.ancestors] if t in members)
        for token in {t for member in group if not members & set(member.ancestors) for t in member.subtree}
        if token not in behind
    }
    joints = {t for t in owners if t.head in members and t.dep_ in {"cc", "punct", "preconj"}}
    return {kept: joints | {t for t, owner in owners.items() if owner != kept} for kept in group}


def _of_all(token: "Token", group: list["Token"]) -> bool:
    """Whether a circumstance that hangs from an earlier member stands behind the last: "A, B and C in cells"."""
    return bool(token.dep_ == "prep" and token.i > group[-1].i)
