"""A statement in words: its subject, what it shares with the verb before it, its verb agreeing with one or many."""

import re
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.agreement import misread, singular
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.claims.grammar.masked import Masked

if TYPE_CHECKING:
    from spacy.tokens import Token

_LOOSE_END = re.compile(r"(?:[\s,;]+(?:and|or|but|nor|as well as)\b|[\s,;])+$", re.I)
#: Qualities that only several have.
_MANY = lexicon.words("different many more other several such various")


def worded(
    parsed: Masked, words: str, about: list["Token"], rest: list["Token"], predicate: "Token", alone: bool
) -> str:
    """A statement in words: the subject where it stood or, when it is borrowed, in front; the verb agreeing with it."""
    first = about[0].i if about and about[0] in list(predicate.subtree) else -1
    ahead, behind = [t for t in rest if t.i < first], [t for t in rest if t.i >= first]
    finite = next((t for t in rest if t.dep_ in {"aux", "auxpass"} and t.head == predicate), predicate)
    lent = _lent(parsed, rest, predicate, alone)
    plain = finite.tag_ == "VB" and finite == predicate and not lent  # what the parser takes "inhibit" for after "and"
    if alone and (plain or misread(finite) or finite.tag_ in {"VBP", "VBD"}) and finite in behind:
        at = behind.index(finite)
        said = [parsed.original(behind[:at]), singular(finite), _one_kind(parsed, behind[at + 1 :])]
    else:
        said = [parsed.original(behind)]
    text = " ".join(filter(None, [_fronted(parsed, predicate), parsed.original(ahead), words, lent, *said]))
    text = text.strip(" ,;:")
    # A parser may hang the "and" that joins two predicates anywhere below the first.
    text = _LOOSE_END.sub("", re.sub(r"\s+([,.;:)])", r"\1", text).rstrip(". "))
    return text[:1].upper() + text[1:] + "." if text else ""


def _one_kind(parsed: Masked, said: list["Token"]) -> str:
    """What several things are said to be, "kinases of cells", as one of them is: "a kinase of cells"."""
    noun = next((t for t in said if "attr" in {t.dep_, t.head.dep_ if t.dep_ == "conj" else ""}), None)
    if noun is None or noun.tag_ != "NNS" or parsed.hides(noun) or noun.left_edge not in said[:1]:
        return parsed.original(said)
    if any(child.dep_ in {"det", "predet", "nummod", "poss"} or child.lower_ in _MANY for child in noun.children):
        return parsed.original(said)
    before, behind = [t for t in said if t.i < noun.i], [t for t in said if t.i > noun.i]
    words = " ".join(filter(None, [parsed.original(before), noun.lemma_, parsed.original(behind)]))
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _fronted(parsed: Masked, predicate: "Token") -> str:
    """The circumstances in front of the first verb, which hold of the second as well: "In mice," and the like."""
    verb = predicate
    while verb.dep_ == "conj":
        verb = verb.head
    subject = next((c for c in verb.children if c.dep_ in SUBJECTS), None)
    if verb == predicate or subject is None or any(c.dep_ in SUBJECTS for c in predicate.children):
        return ""
    first = subject.left_edge
    front = [t for c in verb.children if c.dep_ == "prep" and c.i < first.i for t in c.subtree]
    return f"{parsed.original(front)}," if front and first.nbor(-1).text == "," else ""


def _lent(parsed: Masked, rest: list["Token"], predicate: "Token", alone: bool) -> str:
    """What the second verb shares with the first: "is" in "A is caused by B and treated by C", "may not" and the like.

    What is possible or denied of the first is so of the second.
    """
    verb, own = predicate, {c.dep_ for c in predicate.children}
    while verb.dep_ == "conj":
        verb = verb.head
    if verb == predicate or own & {"aux", "auxpass"} or predicate.tag_ not in {"VBN", "VBG", "VB"}:
        return ""
    kinds = {"aux", "auxpass"} if predicate.tag_ == "VBN" else {"aux", "neg"}
    shared = [c for c in verb.children if c.dep_ in kinds and c not in rest]
    passive = any(c.dep_ == "auxpass" for c in shared)
    if verb.tag_ != predicate.tag_ and not passive:
        return ""
    return " ".join(singular(c) if alone and c.tag_ in {"VBP", "VBD"} else parsed.original([c]) for c in shared)
