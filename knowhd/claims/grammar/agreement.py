"""Verbs that agree with one thing where they agreed with many: "lower" as "lowers", "are" as "is"."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

_IRREGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "'re": "is", "'ve": "has"}
_PLURALS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_UNCHANGED = frozenset({"can", "could", "may", "might", "must", "should", "will", "would", "did", "had", "is", "was"})


def misread(token: "Token") -> bool:
    """Whether a parser took a verb for an adjective: "A and B lower C"."""
    below = {child.dep_ for child in token.children}
    return bool(token.lower_ == "lower" and token.tag_ in {"JJR", "RBR"} and {"nsubj", "dobj"} <= below)


def singular(verb: "Token") -> str:
    """A finite verb as it is said of one thing; a past form is what it is, and none ends in -en."""
    word = str(verb.text)
    if word.lower() in _IRREGULAR or (verb.tag_ == "VBD" and not word.endswith("en")):
        return _IRREGULAR.get(word.lower(), word)
    return third(word)


def third(word: str) -> str:
    """The form of a regular verb, given as it is listed, that is said of one thing."""
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", word) else "s")


def alone(word: str) -> str:
    """A finite verb, seen without a parse, as it is said of one thing; a past form and "may" are what they are."""
    if word in _UNCHANGED or re.search(r"(?:[^s]s|ed)$", word):
        return word
    return _IRREGULAR.get(word) or third(word)


def plural_noun(noun: "Token") -> bool:
    """Whether a noun is many by its form as well: a parser takes names that it does not know for plurals."""
    return noun.tag_ in {"NNS", "NNPS"} and (noun.lower_ != noun.lemma_.lower() or noun.lower_ in {"people", "data"})


def many(word: str) -> str:
    """A finite verb, seen without a parse, as it is said of several things; the reverse of `alone`."""
    if word in _PLURALS or not re.search(r"[^s]s$", word):
        return _PLURALS.get(word, word)
    if re.search(r"[^aeiou]ies$", word):
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(?:ss|x|z|ch|sh|[^aeiou]o)es$", word) else word[:-1]
