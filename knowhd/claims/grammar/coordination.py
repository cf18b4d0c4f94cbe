"""Coordinations of nouns in a parsed sentence: "headache, nausea and bleeding", and which of them may be told apart."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Dependency labels of subjects.
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})

_SLOTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "oprd"})
_TOGETHER = lexicon.words(
    """association balance between combination comparison correlation difference interaction interplay link mixture
    ratio relation relationship synergy"""
)
_RECIPROCAL = lexicon.words("associate bind combine compare correlate differ interact synergize")


def coordinations(tokens: Iterable["Token"], predicate: "Token") -> list[list["Token"]]:
    """Coordinations of nouns that may be told one by one."""
    kept = list(tokens)
    return [[t, *_conjuncts(t, kept)] for t in kept if t.dep_ in _SLOTS and _separable(t, kept, predicate)]


def _conjuncts(token: "Token", kept: list["Token"]) -> list["Token"]:
    found = [c for c in token.children if c.dep_ == "conj" and c.pos_ in {"NOUN", "PROPN"} and c in kept]
    return found + [deeper for c in found for deeper in _conjuncts(c, kept)]


def _separable(token: "Token", kept: list["Token"], predicate: "Token") -> bool:
    members = [token, *_conjuncts(token, kept)]
    if len(members) == 1 or token.pos_ not in {"NOUN", "PROPN"}:
        return False
    if any(c.dep_ == "conj" and c.tag_ in {"VBZ", "VBP"} for m in members for c in m.children):
        return False  # a verb that the parser took for one more noun
    joint = next((c for m in members for c in m.children if c.dep_ == "cc"), None)
    if len(members) == 2 and joint is not None and joint.nbor(-1).text == ",":
        return False  # ", and" joins two clauses more often than two nouns, whatever the parser says
    denied = any(c.dep_ == "neg" or c.lower_ in {"no", "without"} for c in predicate.children)
    joints = {c.lower_ for m in members for c in m.children if c.dep_ in {"cc", "preconj"}}
    if not joints <= ({"and", "both", "or"} if denied else {"and", "both"}):
        return False
    if token.dep_ == "pobj" and {token.head.lemma_, token.head.head.lemma_} & _TOGETHER:
        return False
    alone = not any(c.dep_ in {"dobj", "prep"} for c in predicate.children)
    return not (token.dep_ in SUBJECTS and predicate.lemma_ in _RECIPROCAL and alone)


def others(group: list["Token"], kept: "Token") -> Iterator["Token"]:
    """The tokens of a coordination without the member that is kept."""
    members = set(group)
    for member in group:
        for token in member.subtree:
            owner = next(t for t in [token, *token.ancestors] if t in members)
            joint = token.head in members and token.dep_ in {"cc", "punct", "preconj"}
            if owner != kept or joint:
                yield token
