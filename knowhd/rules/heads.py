"""Who or what a sentence is about: heads of subjects, and the words by which each is named.

A head may tell nothing by itself ("use of masks", "patients who took zorbafen"): then what goes with it does. Who only
studies or says something is nobody that an article on it would name, so a claim of that is about what was studied.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from groundwork.polarity import VERB_SIGNS
from knowhd import lexicon
from knowhd.claims.frames import STUDIES
from knowhd.claims.grammar.coordination import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "acl", "csubj"})
_VERBS = frozenset({"VERB", "AUX"})
NOUNS = frozenset({"NOUN", "PROPN"})
CONTENT = NOUNS | {"ADJ", "VERB", "X"}
#: Heads that tell nothing: the claim is about what goes with them, or about the rest of its clause.
_EMPTY = lexicon.VAGUE | lexicon.words(
    """advance baseline cause contribution expert fact factor half idea indicator lot majority minority none question
    reason variable"""
)
#: Heads that hand on to what goes with them, and are meant themselves where nothing does.
LIGHT = _EMPTY | lexicon.words(
    """administration adult amount capsule concentration consumption copy course cycle diet dose drug exposure extract
    form formulation injection intake kind lack level medication medicine molecule oil part participant pill presence
    product share subject supplement supplementation tablet therapy type usage user variety"""
)
WHO = re.compile(rf"(?:{STUDIES}|experts?|doctors?|officials?|al\.?)", re.I)
#: What only people do.
_STUDYING = lexicon.words(
    "analyse analyze assess conduct describe design evaluate examine explore identify investigate measure perform "
    "review study survey test"
)
#: Pronouns of anybody: the claim is about the rest of its clause.
ANYBODY = frozenset({"we", "you", "i", "one", "anyone", "everyone", "people"})


def head_of(sentence: "Doc") -> "Token | None":
    """The head of a sentence's subject, or in the passive of its agent; None where nothing is named."""
    root = next((token for token in sentence if token.dep_ == "ROOT"), None)
    if root is None:
        return None
    found = None if root.pos_ in NOUNS else _head(root)
    if found is not None and found.lower_.removesuffix("s") in VERB_SIGNS:
        found = next((child for child in found.children if child.dep_ == "compound"), None)
    # Advice ("wear a mask"), or a subject that the parser lost ("zinc cures colds"): the first thing that is named.
    return found or next((token for token in root.subtree if says(token)), None)


def clause_heads(sentence: "Doc") -> list["Token"]:
    """The nouns that are heads of the subjects or agents of its clauses, in order, each once."""
    found = (_head(token) for token in sentence if token.pos_ in _VERBS)
    return list(dict.fromkeys(head for head in found if head is not None and head.pos_ in NOUNS))


def telling(head: "Token") -> list["Token"]:
    """The words by any of which a subject is named; of one that tells nothing by itself, those that go with it."""
    below = [token for token in _with(head) if says(token)]
    below = below or [token for token in head.subtree if says(token)]
    if below or head.pos_ == "VERB":
        return below or [head]
    if head.lower_ in ANYBODY or _among(head, _EMPTY):
        return [
            token for child in head.head.children if child.i > head.head.i for token in child.subtree if says(token)
        ]
    return [head] if head.pos_ in NOUNS else []


def content(head: "Token") -> list["Token"]:
    """All words of a subject that tell something, wherever in it they stand."""
    return [token for token in head.subtree if says(token, CONTENT)]


def says(token: "Token", kinds: frozenset[str] = NOUNS) -> bool:
    """Whether a word tells something by itself."""
    return token.pos_ in kinds and not token.is_stop and not _among(token, LIGHT)


def _among(token: "Token", table: frozenset[str]) -> bool:
    """Whether a table has a word, as it is written or by its lemma ("data", "studies")."""
    return any(lexicon.base(word, table) is not None for word in (token.lower_, token.lemma_))


def _head(verb: "Token") -> "Token | None":
    """The head of a verb's subject, or its agent; of "it is said that" and "there is", of what follows."""
    agents = [c for by in verb.children if by.dep_ == "agent" for c in by.children if c.dep_ == "pobj"]
    subjects = agents or [c for c in verb.children if c.dep_ in SUBJECTS or c.dep_ in {"expl", "csubj"}]
    if not subjects:
        return None
    first = subjects[0]
    if first.pos_ != "NOUN" and verb.lemma_ in _STUDYING and not agents:
        return next((token for token in verb.subtree if token.i > verb.i and says(token)), first)
    inner = [c for c in verb.subtree if c.dep_ in _CLAUSES and c.pos_ in _VERBS and c != verb and c.head != first]
    holds = first.dep_ == "expl" or (first.lower_ == "it" and any(_holds_place(c) for c in inner))
    if not holds:
        said = first.pos_ == "PRON" or WHO.fullmatch(first.text)
        inner = [c for c in verb.children if c.dep_ == "ccomp"] if said else []
    found = next((head for c in inner if (head := _head(c)) is not None and head.lower_ != "it"), None)
    return found or next((c for c in verb.children if holds and c.dep_ == "attr"), None if holds else first)


def _holds_place(clause: "Token") -> bool:
    """Whether a clause may be what "it" holds the place of: one with "that", "whether" or "to"."""
    return any(c.lower_ in {"that", "whether", "to", "if"} for c in clause.children)


def _with(head: "Token") -> Iterator["Token"]:
    """A head, the nouns that stand before it, another name for it, and what it is of."""
    yield head
    for child in head.children:
        if child.dep_ in {"compound", "nmod", "appos"}:
            yield from _with(child)
        elif child.dep_ == "prep" and child.lower_ == "of":
            yield from (token for inner in child.children if inner.dep_ == "pobj" for token in _with(inner))
