"""A sentence as a tree of words, the same whichever labels the parser speaks; folding.py makes it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a concept's whole name, in its sentence.

    Attributes:
        index: Place in the sentence.
        text: As written.
        lemma: Its base form, lower case.
        tag: Penn part of speech.
        dep: Its relation to `head`, in folded ClearNLP labels.
        head: Index of its governor; its own at the root.
        start: Offset of its first character.
        end: Offset after its last.
        case: The preposition that was folded into it, lower case; else empty.
        named: Whether it is a concept's name.
    """

    index: int
    text: str
    lemma: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    case: str = ""
    named: bool = False

    @property
    def is_verb(self) -> bool:
        """Whether it is tagged as a verb (auxiliaries too)."""
        return self.tag.startswith("VB")

    @property
    def is_noun(self) -> bool:
        """Whether it is tagged as a noun or name."""
        return self.tag.startswith("NN")


class Tree:
    """A sentence's words and who governs whom.

    Args:
        text: The sentence.
        words: Its words in order, folded.
    """

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = tuple(words)
        self._below: dict[int, list[Word]] = {}
        for word in words:
            if word.head != word.index:
                self._below.setdefault(word.head, []).append(word)

    def children(self, word: Word, *deps: str) -> list[Word]:
        """What the word governs, in order; only those relations if any are named."""
        below = self._below.get(word.index, [])
        return [child for child in below if child.dep in deps] if deps else below

    def head(self, word: Word) -> Word:
        """The word's governor, itself at the root."""
        return self.words[word.head]

    def subtree(self, word: Word, without: frozenset[str] = frozenset()) -> Iterator[Word]:
        """The word and everything below it, leaving out branches of the named relations."""
        yield word
        for child in self.children(word):
            if child.dep not in without:
                yield from self.subtree(child, without)

    def above(self, word: Word) -> Iterator[Word]:
        """The word, its governor, and so on up to the root."""
        while True:
            yield word
            if word.head == word.index:
                return
            word = self.head(word)

    def coordinated(self, word: Word) -> list[Word]:
        """All members of the coordination that the word belongs to, itself among them."""
        first = word
        while first.dep == "conj" and first.head != first.index:
            first = self.head(first)
        return self.conjuncts(first)

    def conjuncts(self, word: Word) -> list[Word]:
        """The word and all that is coordinated with it: "aspirin, ibuprofen and naproxen"."""
        found = [word]
        for member in found:
            found += [c for c in self.children(member, "conj") if c not in found]
        return found
