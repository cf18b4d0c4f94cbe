"""A clause: words of a parsed sentence that form one claim, some of them replaced by other words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from groundwork.reading.tree import Tree, Word

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
HELPING = frozenset({"aux", "auxpass"})
RELATIVE = frozenset({"WDT", "WP"})
#: Tags of finite verbs.
TENSED = frozenset({"VBZ", "VBP", "VBD"})
_CLOSING = re.compile(r"[,.;:!?)\]]")
_LEFT_OVER = re.compile(r"^(?:[\s,;:.]|[-\u2013\u2014](?=\s))+")
_DOUBLED = re.compile(r"\s*,(?=\s*[,.;])|,(?=\s*$)")
_ORDINARY = re.compile(r"[a-z]+(?:[\s,-]|$)")


@dataclass(frozen=True)
class Clause:
    """A clause of a parsed sentence. Another clause of the sentence may share its subject and its finite word.

    Args:
        tree: The sentence.
        head: The verb of the clause.
        subject: Head word of the subject; None if there is no subject.
        finite: The word that agrees with the subject, such as "does" in "does not lower"; None if there is none.
        words: Indexes of the words of the clause.
        told: Replacements by word index; an empty string removes the word.
    """

    tree: Tree
    head: Word
    subject: Word | None
    finite: Word | None
    words: frozenset[int]
    told: Mapping[int, str] = field(default_factory=dict)

    def without(self, indexes: Iterable[int]) -> "Clause":
        """Return the clause without some words."""
        return replace(self, words=self.words - frozenset(indexes))

    def tell(self, told: Mapping[int, str]) -> "Clause":
        """Return the clause with some words replaced."""
        return replace(self, told={**self.told, **told})

    def children(self, word: Word | None = None) -> list[Word]:
        """Return the words of the clause that `word`, by default the verb of the clause, governs in the parse."""
        return [child for child in self.tree.children(word or self.head) if child.index in self.words]

    def below(self, word: Word | None) -> list[Word]:
        """Return a word and all words of the clause below it in the parse, in order; an empty list for None."""
        found = subtree(self.tree, word) & self.words if word else ()
        return [self.tree.words[index] for index in sorted(found)]

    @property
    def text(self) -> str:
        """The clause as a sentence."""
        return sentence(self.phrase(self.tree.words[index] for index in self.words))

    def phrase(self, words: Iterable[Word]) -> str:
        """Return some words of the clause as text, in the order and with the spaces of the sentence."""
        written, last = "", -1
        for word in sorted(words, key=lambda word: word.index):
            if said := self.told.get(word.index, word.text):
                beside = last == word.index - 1 >= 0 and word.index not in self.told
                apart = self.tree.words[last].end < word.start if beside else not _CLOSING.match(said)
                written += " " + said if written and apart else said
                last = word.index
        return " ".join(written.split())


def sentence(words: str) -> str:
    """Return words as a sentence: with a full stop, and a capital letter unless a name such as mTOR is first."""
    words = _DOUBLED.sub("", _LEFT_OVER.sub("", words)).strip(" ,;:").rstrip(" .!") + "."
    return words[:1].upper() + words[1:] if _ORDINARY.match(words) else words


def subtree(tree: Tree, word: Word) -> frozenset[int]:
    """Return the indexes of a word and of all words below it, without leading punctuation and conjunctions."""
    found = sorted(each.index for each in tree.subtree(word))
    while len(found) > 1 and tree.words[found[0]].dep in {"punct", "cc"}:
        found.pop(0)
    return frozenset(found)


def clause_of(tree: Tree, head: Word, words: frozenset[int]) -> Clause:
    """Return the clause of a verb, with the subject and the finite word that the parser attaches to the verb.

    If the parser labels no word as the subject of a finite verb, the last noun that depends on the verb and stands
    before it counts as the subject, as in "Aspirin downregulates B".
    """
    children = tree.children(head)
    nouns = [child for child in children if child.index < head.index and child.tag in NOUNS and head.tag in TENSED]
    subject = next((child for child in children if child.dep in SUBJECTS), nouns[-1] if nouns else None)
    helping = [child for child in children if child.dep in HELPING and child.index in words]
    finite = helping[0] if helping else head if head.tag in TENSED | {"MD", "VB"} else None
    return Clause(tree, head, subject, finite, words)
