"""In whom a claim says something, and whether evidence speaks of others: mice for humans, ER-positive for ER-negative.

A claim need not say in whom, nor a sentence: most evidence would be lost if it had to (see `claims.conditions`). But
what was seen in others than the claim names neither bears it out nor refutes it. An edge is of nobody in particular.
"""

import re
from functools import lru_cache

from groundwork.language import parse
from groundwork.opposites import opposed
from knowhd import lexicon
from knowhd.evidence.pieces import Passage, Piece

#: Those a study may be of, by words that tell.
_KINDS = {
    "people": r"humans?|patients?|men|wom[ae]n|people|persons?|adults?|child(?:ren)?|infants?|neonates?|adolescents?|"
    r"volunteers?|participants?|individuals|boys|girls|veterans|inpatients|outpatients|smokers|the elderly",
    "animals": r"mice|mouse|rats?|murine|rodents?|rabbits?|dogs?|pigs?|piglets?|monkeys?|macaques?|primates?|zebrafish|"
    r"drosophila|sheep|hamsters?|animals?|xenografts?",
    "cells": r"in vitro|cell lines?|cultured|organoids?|cultures?",
}
#: People by sex and by age, where a text names them so.
_SEXES = {"male": r"m[ae]n|males?|boys?", "female": r"wom[ae]n|females?|girls?|pregnan\w+|mothers?|maternal"}
_AGES = {
    "young": r"child(?:ren)?|infants?|neonates?|newborns?|toddlers?|adolescents?|teenagers?|boys|girls|pa?ediatric",
    "grown": r"adults?|elderly|older people|m[ae]n|wom[ae]n",
}
_SCALES = tuple(
    re.compile("|".join(rf"\b(?P<{kind}>{words})\b" for kind, words in kinds.items()), re.I)
    for kinds in (_KINDS, _SEXES, _AGES)
)
#: What else people fall into, and the words for what they fall into by sex and by age.
_GROUPS = re.compile(r"\b(?:groups?|arms?|cohorts?|carriers?|those|subjects?)\b", re.I)
_RANGES = {"sex": _SCALES[1], "gender": _SCALES[1], "age": _SCALES[2]}
_ANYBODY = re.compile(_KINDS["people"], re.I)
#: "Non-steroidal" is one word, as "nonsteroidal" is.
_HYPHEN = re.compile(r"\b(non|anti|pre|post|un)-", re.I)
#: A claim says in whom behind one of these; elsewhere its people and animals are what it is about.
_IN = re.compile(r"\b(?:in|among|for|of|by|protects?)\s+(?:[\w-]+\s+){0,3}$", re.I)


def others(text: str, piece: Piece) -> bool:
    """Whether a piece of evidence speaks of others than a claim does, as far as both say of whom.

    Args:
        text: The claim.
        piece: A sentence, whose title may name them as well; an edge and a chain speak of nobody.
    """
    if not isinstance(piece, Passage):
        return False
    for scale in _SCALES:
        named, seen = _kinds(scale, text, _IN), _kinds(scale, piece.sentence)
        if named and seen and not named & (seen | _kinds(scale, piece.title)):
            return True
    told, there = _described(text), _described(piece.sentence)
    contrary = {(noun, word) for noun, word in told for other, its in there if other == noun and opposed(word, its)}
    return bool(contrary - there)


def group_of(word: str) -> str:
    """Which sex, which of the young, or which animals or cells a word is of; empty for people and all other words."""
    found = (match.lastgroup for scale in reversed(_SCALES) if (match := scale.fullmatch(word)))
    return next((group for group in found if group and group not in {"grown", "people"}), "")


def is_of(group: str, text: str) -> bool:
    """Whether a text speaks of a group that `group_of` tells."""
    return any(group in _kinds(scale, text) for scale in _SCALES)


def ranges_over(words: frozenset[str], text: str) -> bool:
    """Whether a text speaks of several of what each of some words ranges over: "sex" over men and women."""
    return bool(words) and all(len(_kinds(_RANGES[word], text)) > 1 if word in _RANGES else False for word in words)


def is_of_range(words: frozenset[str], text: str) -> bool:
    """Whether a text speaks of any of what some words range over, or has one of them."""
    return any(word in text.lower() or (word in _RANGES and bool(_kinds(_RANGES[word], text))) for word in words)


def of_some(text: str) -> bool:
    """Whether a text speaks of anybody: those of a sex or an age, patients, groups."""
    return _GROUPS.search(text) is not None or any(scale.search(text) for scale in _SCALES)


def of_groups(text: str) -> bool:
    """Whether a text speaks of groups, or of what people fall into groups by."""
    return _GROUPS.search(text) is not None or any(word in re.findall(r"\w+", text.lower()) for word in _RANGES)


def told(elsewhere: int) -> str:
    """What the reason says of so many pieces with a stance that are of others than the claim; empty for none."""
    if not elsewhere:
        return ""
    counted = "1 piece of evidence is" if elsewhere == 1 else f"{elsewhere} pieces of evidence are"
    return f" {counted} of others than it names, and not counted."


def _kinds(scale: re.Pattern[str], text: str, behind: re.Pattern[str] = re.compile("")) -> frozenset[str]:
    """The kinds of a scale that a text speaks of, where what stands before them ends as it should."""
    found = (found for found in scale.finditer(text) if behind.search(text[: found.start()]))
    return frozenset(each.lastgroup for each in found if each.lastgroup)


@lru_cache(maxsize=1024)
def _described(text: str) -> frozenset[tuple[str, str]]:
    """Nouns of a text with words that describe them ("cancer", "negative"), but for those of more and less.

    Whether women or adults are pregnant, it is said of people.
    """
    return frozenset(
        ("people" if _ANYBODY.fullmatch(token.head.text) else token.head.lemma_.lower(), token.lower_)
        for token in parse(_HYPHEN.sub(r"\1", text))
        if token.dep_ == "amod" and not lexicon.sign_of(token.lemma_) and token.lower_ not in lexicon.COUNTING
        if lexicon.base(token.head.lemma_, lexicon.RELATING) is None
    )
