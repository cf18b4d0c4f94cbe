"""What a claim is about, and whether an article names it: for a claim that is held against wording alone.

Words that two texts share say nothing of who did it: "bananas cured krell fever" shares all but its subject with
"zorbafen cured krell fever". So an article decides such a claim only if it names the head of its subject, or in the
passive its agent; of a head that stands for nothing by itself ("use of masks") what goes with it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.claims.grammar.coordination import SUBJECTS
from knowhd.evidence.pieces import Passage
from knowhd.rules.alignment import likeness
from knowhd.rules.assertion import meanings
from knowhd.rules.framing import bare

if TYPE_CHECKING:
    from spacy.tokens import Token

_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "acl", "csubj"})
_NOUNS = frozenset({"NOUN", "PROPN"})
#: Heads that hand on to what they are of.
_LIGHT = lexicon.VAGUE | lexicon.words(
    """administration amount consumption diet dose exposure extract form injection intake kind lack level oil part
    presence product supplement supplementation tablet therapy type usage variety"""
)
_POINTING = re.compile(r"\s*(?:the )?(former|latter)\b\s*", re.I)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a claim.

    Attributes:
        text: Its head, or what stands for it, as the claim writes it; empty where nothing is demanded.
        heads: For each head that is to be named: the words by any of which it is, as words meet in `alignment`.
        meant: For each head, the concepts that it may mean.
        open: It is a pronoun, or "the former": the claim does not say what it is about.
    """

    text: str
    heads: tuple[frozenset[str], ...] = ()
    meant: tuple[frozenset[str], ...] = ()
    open: bool = False

    def named_by(self, passages: Iterable[Passage]) -> bool:
        """Whether the shown sentences of an article, or its title, name it."""
        if self.open:
            return False
        shown = tuple(passages)
        texts = {text for passage in shown for text in (passage.title, passage.sentence) if text}
        there = {likeness(token) for text in texts for token in parse(text)}
        keys = {key for passage in shown for mention in passage.mentions for key in meanings(mention)}
        return all(words & there or meant & keys for words, meant in zip(self.heads, self.meant, strict=True))


def subject_of(claim: Claim) -> Subject:
    """The subject of a claim; one that demands nothing where none is found ("wear a mask")."""
    plain, _ = bare(claim.text)
    moved, parsed = max(0, claim.text.lower().find(plain.rstrip(".").lower())), parse(plain)
    if (pointing := _POINTING.match(plain)) and not any(
        token.idx == pointing.end() and token.pos_ in _NOUNS for token in parsed
    ):
        return Subject(pointing[1], open=True)
    root = next((token for token in parsed if token.dep_ == "ROOT"), None)
    head = _head(root) if root is not None else None
    if head is None:
        return Subject("")
    if head.pos_ == "PRON":
        return Subject(head.text, open=True)
    heads = [(token, _telling(token)) for token in (head, *head.conjuncts)]
    kept = [(token, words) for token, words in heads if words]
    return Subject(
        " and ".join(words[0].text for _, words in kept),
        tuple(frozenset(map(likeness, words)) for _, words in kept),
        tuple(_meant([token.idx + moved for token in words], claim.mentions) for _, words in kept),
    )


def _head(verb: "Token") -> "Token | None":
    """The head of a verb's subject, or its agent; of "it is said that" and "there is", of what follows."""
    agents = [c for by in verb.children if by.dep_ == "agent" for c in by.children if c.dep_ == "pobj"]
    if verb.pos_ in _NOUNS:
        # No clause, or one whose verb was read as a noun ("zinc cures colds"): what it begins with.
        return next((t for t in verb.subtree if _telling(t) == [t]), None)
    subjects = agents or [c for c in verb.children if c.dep_ in SUBJECTS or c.dep_ in {"expl", "csubj"}]
    if not subjects:
        return None
    first = subjects[0]
    inner = [c for c in verb.subtree if c.dep_ in _CLAUSES and c.pos_ in {"VERB", "AUX"} and c.head != first]
    if first.dep_ == "expl" or (first.lower_ == "it" and any(_holds_place(c) for c in inner)):
        found = [head for c in inner if (head := _head(c)) is not None]
        return found[0] if found else next((c for c in verb.children if c.dep_ == "attr"), None)
    return first


def _holds_place(clause: "Token") -> bool:
    """Whether a clause may be what "it" holds the place of: one with "that", "whether" or "to"."""
    return any(c.lower_ in {"that", "whether", "to", "if"} for c in clause.children)


def _telling(head: "Token") -> list["Token"]:
    """The head of a subject, or the words by which one that tells nothing by itself is told."""
    if head.pos_ in _NOUNS and lexicon.base(head.lemma_, _LIGHT) is None:
        return [head]
    below = [t for t in head.subtree if t.pos_ in _NOUNS and lexicon.base(t.lemma_, _LIGHT) is None]
    return below or ([head] if head.pos_ == "VERB" else [])


def _meant(places: Sequence[int], mentions: Iterable[Mention]) -> frozenset[str]:
    """The concepts that stand at some places."""
    found: set[str] = set()
    for mention in mentions:
        if any(mention.start <= place < mention.end for place in places):
            found |= meanings(mention)
    return frozenset(found)
