"""Words by which a clause, or one that it hangs from, denies what is said in it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token

_NEGATIONS = frozenset({"neg", "det", "advmod", "aux", "cc", "preconj"})
_LIFTING = frozenset({"xcomp", "ccomp", "acl", "pcomp", "oprd"})
#: What is not found or shown is denied; of what is "the" one, which is known, no more is denied than where it was seen.
_SHOWING = lexicon.words(
    """confirm demonstrate detect establish find identify indicate note obtain observe offer prove provide reveal see
    show support uncover yield"""
)
_THERE = lexicon.words("exist lack miss")
_CONTENT = frozenset({"acl", "ccomp", "relcl"})
_SHOWN = frozenset({"attr", "dobj", "nsubj", "nsubjpass"})
_PROOF = lexicon.words("evidence hint indication proof sign signal support trace")
_KNOWN = frozenset({"the", "this", "these", "that", "those"})
#: They grant what they speak of, denied or not: "it is not surprising that".
_GRANTING = frozenset({"astonishing", "new", "odd", "remarkable", "strange", "surprising", "unexpected", "unusual"})
#: Who is not able to show what is so denies it.
_ABLE = frozenset({"able", "apparent", "capable", "evident", "possible"})


def lifted(top: "Token") -> list["Token"]:
    """The verbs and nouns that a clause hangs from: "fails to", "no evidence that", "did not see a reduction of"."""
    over = []
    while (higher := _over(top)) is not None:
        top = higher
        over.append(top)
    return over


def _over(token: "Token") -> "Token | None":
    """The word that what is said in a clause, or by a noun, hangs from; None where it stands by itself."""
    head = token.head
    if head == token:
        return None
    content = token.dep_ == "relcl" and any(c.dep_ == "mark" and c.lower_ == "that" for c in token.children)
    if token.dep_ == "ccomp" and any(c.dep_ == "acomp" and c.lower_ in _GRANTING for c in head.children):
        return None
    if token.dep_ in _LIFTING or content or (token.dep_ == "acomp" and token.lower_ in _ABLE):
        return head
    known = any(c.lower_ in _KNOWN or c.dep_ == "poss" for c in token.children)
    if token.pos_ != "NOUN" or (known and not any(c.dep_ in _CONTENT for c in token.children)):
        return None
    if lexicon.base(head.lemma_, _THERE if token.dep_ == "nsubj" else _SHOWING) and token.dep_ in _SHOWN:
        return head
    of_it = token.dep_ == "pobj" and head.lower_ in {"of", "for"} and lexicon.base(head.head.lemma_, _PROOF)
    return head.head if of_it else None


def clause_of(way: Sequence["Token"], top: "Token") -> "Token":
    """The verb whose clause says what a way says: of two that are joined, the second if it is inflected by itself.

    "Does not raise A and trigger B" denies both, "does not raise A and does trigger B" the first alone.
    """
    joined = [t for t in way if t.dep_ == "conj" and t.pos_ in {"VERB", "AUX"} and top.is_ancestor(t)]
    own = [
        t
        for t in joined
        if any(child.dep_ in {"aux", "auxpass", "neg"} for child in t.children)
        or (top.tag_ == "VB" and t.tag_ in {"VBZ", "VBD"})
    ]
    return own[-1] if own else top


def denials(cues: Sequence["Token"], top: "Token", clause: "Token") -> list["Token"]:
    """Words that deny what the cues say, or what the clause around them says; see `clause_of`."""
    around = [clause, *lifted(top)]
    children = [c for token in [*cues, *around] for c in token.children if c.dep_ in _NEGATIONS]
    # "No patient with A benefits from B"; the parser may hang the verb below the patient
    subjects = [c for token in (top, *around) for c in token.children if c.dep_ in SUBJECTS]
    subjects += [t for t in top.ancestors if t.pos_ in {"NOUN", "PROPN"} and t.dep_ == "ROOT"]
    children += [c for token in subjects for c in token.children if c.dep_ == "det"]
    # "It is unlikely that", "little evidence that"
    children += [c for token in lifted(top) for c in token.children if c.dep_ in {"acomp", "amod"}]
    denying = [t for t in [*cues, *around, *children] if lexicon.base(t.lemma_, lexicon.DENYING)]
    return [t for t in dict.fromkeys(denying) if not (lexicon.sign_of(t.lemma_) and t in cues)]
