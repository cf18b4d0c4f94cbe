"""What a claim is about, and whether an article names it: for a claim that is held against wording alone.

Words that two texts share say nothing of who did it: "bananas cured krell fever" shares all but its subject with
"zorbafen cured krell fever". So an article decides such a claim only if it names its subject, or in the passive its
agent, by the head or by what goes with the head ("banana pills", "consequences of lockdown"). Of an article of which
many sentences are shown, which speak of "these patients" and "the cells", any telling word of the subject is enough,
or the subjects of most clauses.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from knowhd.claims.claims import Claim
from knowhd.claims.frames import unframed
from knowhd.evidence.pieces import Passage
from knowhd.rules.alignment import likeness, weight
from knowhd.rules.assertion import meanings
from knowhd.rules.decision import use_of
from knowhd.rules.everyday import PHRASES
from knowhd.rules.features import Features
from knowhd.rules.framing import bare
from knowhd.rules.heads import ANYBODY, CONTENT, NOUNS, clause_heads, content, head_of, says, telling

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_POINTING = re.compile(r"\s*(?:the )?(former|latter)\b\s*", re.I)
#: A short form in capitals, perhaps plural.
_CAPITALS = re.compile(r"\b([A-Z]{3,8})s?\b")
_WORD = re.compile(r"[^\W\d_]+")
#: Share of a claim's content from which a text says nearly the same.
_NEARLY = 0.6
#: How a sentence is joined to the one before it.
_JOINED = re.compile(r"[A-Z][a-z]+ly, |(?:However|Moreover|Indeed|Also|In fact), ")
#: What somebody who is not named here says.
_THEY_SAY = re.compile(r"(?:they|he|she|who|which|this|these) (?:\w+ ){1,3}that ", re.I)


@dataclass(frozen=True, slots=True)
class Part:
    """One of the things that a claim is about.

    Attributes:
        ways: By what it is named, as words meet in `alignment`: all words of any way.
        meant: The concepts that it may mean.
        phrase: How the claim writes it.
    """

    ways: tuple[frozenset[str], ...]
    meant: frozenset[str]
    phrase: str


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a claim.

    Attributes:
        text: What is to be named, as the claim writes it; empty where nothing is demanded.
        parts: The things that are to be named.
        clauses: The words of its subject and of those of its other clauses.
        others: The other things that the claim names.
        rest: The words of what it says of it: its nouns, or where it has none all that tell something.
        words: All words of the claim.
        open: It is a pronoun, or "the former": the claim does not say what it is about.
    """

    text: str
    parts: tuple[Part, ...] = ()
    clauses: tuple[frozenset[str], ...] = ()
    others: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    open: bool = False

    def named_by(self, passages: Iterable[Passage]) -> bool:
        """Whether the shown sentences of an article, or its title, name it."""
        if self.open:
            return False
        shown = tuple(passages)
        texts = {text for passage in shown for text in (passage.title, passage.sentence) if text}
        there = frozenset(key for text in texts for key in _keys(text))
        concepts = frozenset(key for passage in shown for mention in passage.mentions for key in meanings(mention))
        if use_of(len(shown)) == "passages" and self._spoken_of(there):
            return True
        return all(
            part.meant & concepts
            or any(way <= there for way in part.ways)
            or any(_spelled(part.phrase, text) or _spelled(text, part.phrase) for text in texts)
            for part in self.parts
        )

    def told_of_by(self, passages: Sequence[Passage]) -> bool:
        """Whether the few sentences shown of an article, or its title, name any of what is said of it.

        "Cells were washed" names the subject of "cells need glucose", and says nothing of whether that is so.
        """
        if not self.words or use_of(len(passages)) == "passages":
            return True
        return any(not self.rest.isdisjoint(_keys(text)) for p in passages for text in (p.title, p.sentence) if text)

    def swapped_by(self, passages: Sequence[Passage], found: Features) -> bool:
        """Whether the few sentences shown say nearly what the claim says, with another thing in one's stead.

        Args:
            passages: The sentences of an article.
            found: Their features beside the claim.
        """
        if use_of(len(passages)) == "passages" or found.values["share"] < _NEARLY:
            return False
        there = {key for passage in passages for text in (passage.title, passage.sentence) for key in _keys(text)}
        said = {likeness(token) for token in parse(passages[found.closest].sentence) if says(token)}
        return not self.others <= there and not said <= self.words

    def _spoken_of(self, there: Collection[str]) -> bool:
        """Whether there are words of the subject, or of those of most clauses."""
        met = [not words.isdisjoint(there) for words in self.clauses]
        return any(met[:1]) or 2 * sum(met) > len(met)


def subject_of(claim: Claim) -> Subject:
    """The subject of a claim; one that demands nothing where nothing is named."""
    moved, plain = claimed(claim.text)
    parsed = parse(plain)
    if (pointing := _POINTING.match(plain)) and not any(
        token.idx == pointing.end() and token.pos_ in NOUNS for token in parsed
    ):
        return Subject(pointing[1], open=True)
    head, clauses = head_of(parsed), clause_heads(parsed)
    if head is None:
        return Subject("")
    if head.pos_ == "PRON" and head.lower_ not in ANYBODY:
        # It may stand for the subject of an earlier clause.
        before = next((each for each in clauses if each.i < head.i), None)
        if before is None:
            return Subject(head.text, open=True)
        head = before
    heads = [(each, telling(each)) for each in (head, *head.conjuncts)]
    kept = [(each, words) for each, words in heads if words]
    return Subject(
        " and ".join(claim.text[(at := words[0].idx + moved) : at + len(words[0])] for _, words in kept),
        tuple(_part(each, words, claim, moved) for each, words in kept),
        tuple(_words(each) for each in dict.fromkeys((head, *clauses))),
        frozenset(likeness(t) for t in parsed if says(t) and weight(t) >= 1 and not any(t in w for _, w in kept)),
        _rest(parsed, frozenset().union(*(way for _, words in kept for way in map(_way, words)), _words(head))),
        frozenset(_keys(claim.text)),
    )


def _rest(parsed: "Doc", own: frozenset[str]) -> frozenset[str]:
    """The words of a claim beside those of its subject, its nouns before others."""
    nouns = frozenset(likeness(token) for token in parsed if says(token)) - own
    return nouns or frozenset(likeness(token) for token in parsed if says(token, CONTENT)) - own


def claimed(text: str) -> tuple[int, str]:
    """A claim without what frames it, joins it to another, or says who says so, and where that begins in it."""
    plain = _JOINED.sub("", bare(text)[0], count=1)
    while framed := unframed(plain, lambda _: True):
        plain = framed.inner
    said = _THEY_SAY.match(plain)
    plain = plain[said.end() :] if said else plain
    return max(0, text.lower().find(plain.rstrip(".").lower())), plain


def _part(head: "Token", words: Sequence["Token"], claim: Claim, moved: int) -> Part:
    """What a head and its telling words name; `moved` is how far on the claim has them."""
    phrase = " ".join(token.text for token in head.subtree)
    ways = (*map(_way, words), *(frozenset({name}) for name in _phrases(phrase)))
    return Part(tuple(dict.fromkeys(ways)), _meant([token.idx + moved for token in words], claim.mentions), phrase)


def _words(head: "Token") -> frozenset[str]:
    return frozenset(map(likeness, content(head))).union(*map(_way, telling(head)))


def _way(token: "Token") -> frozenset[str]:
    """What names a thing by one of its words: "vitamin D" by both."""
    beside = [token, *(t for t in (token.head, *token.children) if t.pos_ in NOUNS and abs(t.i - token.i) == 1)]
    return frozenset(map(likeness, beside if any(len(t) == 1 for t in beside) else [token]))


def _keys(text: str) -> set[str]:
    """What the words of a text and its everyday phrases are compared by."""
    return {likeness(token) for token in parse(text)} | _phrases(text)


def _phrases(text: str) -> set[str]:
    return {name for phrase, name in PHRASES.items() if phrase in text.lower()}


def _spelled(long: str, text: str) -> bool:
    """Whether a text has a short form in capitals of the first letters of words that stand together in another."""
    letters = "".join(word[0].lower() for word in _WORD.findall(long))
    return any(short.lower() in letters for short in _CAPITALS.findall(text))


def _meant(places: Sequence[int], mentions: Iterable[Mention]) -> frozenset[str]:
    """The concepts that stand at some places."""
    found: set[str] = set()
    for mention in mentions:
        if any(mention.start <= place < mention.end for place in places):
            found |= meanings(mention)
    return frozenset(found)
