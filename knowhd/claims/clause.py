"""A clause: the words of a parsed sentence that make one claim, some of them written otherwise."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from groundwork.reading.tree import Tree, Word

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
HELPING = frozenset({"aux", "auxpass"})
RELATIVE = frozenset({"WDT", "WP"})
#: Tags of verbs that have a tense, and so a subject.
TENSED = frozenset({"VBZ", "VBP", "VBD"})
_CLOSING = re.compile(r"[,.;:!?)\]]")
_LEFT_OVER = re.compile(r"^(?:[\s,;:.]|[-\u2013\u2014](?=\s))+")
_DOUBLED = re.compile(r"\s*,(?=\s*[,.;])|,(?=\s*$)")
_ORDINARY = re.compile(r"[a-z]+(?:[\s,-]|$)")


@dataclass(frozen=True)
class Clause:
    """A clause of a parsed sentence.

    Args:
        tree: The sentence.
        head: Its verb.
        subject: The word that its subject is, which it may share with another clause; None if it has none.
        finite: The word of the verb that agrees with the subject, which it may share too; None if it has none.
        words: Indexes of the words that it keeps.
        told: Words that are written otherwise, by index; an empty string leaves one out.
    """

    tree: Tree
    head: Word
    subject: Word | None
    finite: Word | None
    words: frozenset[int]
    told: Mapping[int, str] = field(default_factory=dict)

    def without(self, indexes: Iterable[int]) -> "Clause":
        """Leave words out."""
        return replace(self, words=self.words - frozenset(indexes))

    def tell(self, told: Mapping[int, str]) -> "Clause":
        """Write words otherwise."""
        return replace(self, told={**self.told, **told})

    def children(self, word: Word | None = None) -> list[Word]:
        """Return the words that a word governs, the verb if none is given, as far as the clause keeps them."""
        return [child for child in self.tree.children(word or self.head) if child.index in self.words]

    def below(self, word: Word | None) -> list[Word]:
        """Return a word and all below it that the clause keeps, in order; nothing for None."""
        found = subtree(self.tree, word) & self.words if word else ()
        return [self.tree.words[index] for index in sorted(found)]

    @property
    def text(self) -> str:
        """The clause as a sentence."""
        return sentence(self.phrase(self.tree.words[index] for index in self.words))

    def phrase(self, words: Iterable[Word]) -> str:
        """Write some words of the clause in the order of the sentence, spaced as there."""
        written, last = "", -1
        for word in sorted(words, key=lambda word: word.index):
            if said := self.told.get(word.index, word.text):
                beside = last == word.index - 1 >= 0 and word.index not in self.told
                apart = self.tree.words[last].end < word.start if beside else not _CLOSING.match(said)
                written += " " + said if written and apart else said
                last = word.index
        return " ".join(written.split())


def sentence(words: str) -> str:
    """Write words as a sentence: one full stop last, and a capital letter first if no name such as mTOR is first."""
    words = _DOUBLED.sub("", _LEFT_OVER.sub("", words)).strip(" ,;:").rstrip(" .!") + "."
    return words[:1].upper() + words[1:] if _ORDINARY.match(words) else words


def subtree(tree: Tree, word: Word) -> frozenset[int]:
    """Return the indexes of a word and of all words below it, without punctuation and conjunctions in front of them."""
    found = sorted(each.index for each in tree.subtree(word))
    while len(found) > 1 and tree.words[found[0]].dep in {"punct", "cc"}:
        found.pop(0)
    return frozenset(found)


def clause_of(tree: Tree, head: Word, words: frozenset[int]) -> Clause:
    """Return the clause of a verb with its own subject and its own finite word.

    A noun that the parser takes for a part of the verb is its subject too: "Aspirin downregulates B".
    """
    children = tree.children(head)
    nouns = [child for child in children if child.index < head.index and child.tag in NOUNS and head.tag in TENSED]
    subject = next((child for child in children if child.dep in SUBJECTS), nouns[-1] if nouns else None)
    helping = [child for child in children if child.dep in HELPING and child.index in words]
    finite = helping[0] if helping else head if head.tag in TENSED | {"MD", "VB"} else None
    return Clause(tree, head, subject, finite, words)
