"""What the reader looks at between two mentions of a sentence, as named features.

A feature is a name and the words it was seen on; the words are shown to people when the feature decides. The mention
that comes first in the sentence is `A`, the other one `B`, and a third is written by its type.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundwork.reading.cues import SIGNED, TURNING, category, product
from groundwork.reading.tree import Tree, Word
from groundwork.records import split_key
from groundwork.vocabulary import VARIANTS

Feature = tuple[str, tuple[int, ...]]

#: Longest stretch between two mentions, in words, whose words are features.
NEAR = 12
#: Words on each side of the two mentions that are features.
BESIDE = 3
_SILENT = frozenset({"punct", "det", "cc"})
#: Labels of words that say something of the word they hang on.
_TELLING = frozenset(
    "amod neg advmod compound nmod aux prep nsubj dobj nsubjpass acomp attr npadvmod agent".split()  # noqa: SIM905
)
_DESCRIBING = frozenset({"amod", "compound", "nmod", "neg", "prep"})


def family(key: str | None) -> str:
    """Return the type that a concept counts as here: Chemical, Disease, Gene, Variant, or Other.

    PubTator's types and BioRED's ("GeneOrGeneProduct") are both known.
    """
    kind = split_key(key)[0] if key else ""
    if kind in VARIANTS or kind == "SequenceVariant":
        return "Variant"
    return next((each for each in ("Chemical", "Disease", "Gene") if kind.startswith(each)), "Other")


@dataclass(frozen=True)
class PairView:
    """Two mentions of a parsed sentence.

    Args:
        tree: The sentence.
        first: Index of the mention that comes first.
        second: Index of the other.
        hidden: Indexes of words that are not looked at, such as a negation.
    """

    tree: Tree
    first: int
    second: int
    hidden: frozenset[int] = frozenset()

    def lemma(self, index: int) -> str:
        """Return how a word is written in a feature."""
        word = self.tree.words[index]
        if word.mention is None:
            return word.lemma
        if word.mention == self.first:
            return "A"
        return "B" if word.mention == self.second else "M_" + family(self.tree.mentions[word.mention].key)

    @cached_property
    def ends(self) -> tuple[Word, Word]:
        """The words of the two mentions."""
        return self.tree.places[self.first], self.tree.places[self.second]

    @cached_property
    def types(self) -> str:
        """The types of the two, in the order of the sentence."""
        return ">".join(family(self.tree.mentions[each].key) for each in (self.first, self.second))

    @cached_property
    def path(self) -> tuple[list[Word], Word, list[Word]] | None:
        """The dependency path between them."""
        return self.tree.path(*self.ends)

    @cached_property
    def stating(self) -> Word | None:
        """The word that states the relation: where the path turns, or of verbs side by side the second one's own."""
        if self.path is None:
            return None
        _, top, down = self.path
        return next((word for word in down if word.dep == "conj" and word.tag.startswith("VB")), top)

    @cached_property
    def turned(self) -> bool:
        """Whether the sentence speaks of less of exactly one of the two: "inhibition of A", "A-deficient"."""
        return sum(self.lessening(end) is not None for end in self.ends) == 1

    def lessening(self, end: Word) -> Word | None:
        """Return the noun or adjective on which a mention hangs and that says that there is less of it, or none."""
        head = self.tree.words[end.head]
        if head.dep == "prep" and head.lemma in {"of", "against"}:
            head = self.tree.words[head.head]
        elif end.dep not in _DESCRIBING | {"npadvmod"}:
            return None
        less = head.mention is None and head.tag.startswith(("NN", "JJ", "VBG")) and category(head.lemma) in TURNING
        return head if less else None

    @cached_property
    def inner(self) -> list[Word]:
        """The words on the path without the two ends, from the first to the second."""
        if self.path is None:
            return []
        up, top, down = self.path
        turning = [] if top.index in {end.index for end in self.ends} else [top]
        return [*up[1:], *turning, *reversed(down[1:])]

    @cached_property
    def beside(self) -> list[Word]:
        """Words that hang on the path and are neither on it nor a mention."""
        if self.path is None:
            return []
        up, top, down = self.path
        path = {word.index: word for word in (*up, top, *down)}
        return [
            child
            for word in path.values()
            for child in self.tree.children(word)
            if child.index not in path and child.mention is None and child.index not in self.hidden
        ]


def features(view: PairView) -> Iterator[Feature]:
    """Yield the features of a pair; a name may come more than once.

    Where the sentence speaks of less of one of the two ("A knockdown reduced B"), what it says of them is turned
    round, so all but the words beside the two are features of their own, written with `~`.
    """
    turned = "~" if view.turned else ""
    yield f"types:{view.types}", ()
    for part in (_path, _beside, _between, _signs):
        yield from ((turned + name, words) for name, words in part(view))
    yield from _heads(view)
    yield from _around(view)


def _path(view: PairView) -> Iterator[Feature]:
    """The words and labels on the dependency path."""
    if view.path is None:
        yield "path:none", ()
        return
    up, top, down = view.path
    yield f"length:{min(len(up) + len(down), 8)}", ()
    for word in view.inner:
        lemma = view.lemma(word.index)
        yield f"p:{lemma}", (word.index,)
        yield f"p:{lemma}:{word.dep}", (word.index,)
        yield f"pt:{view.types}:{lemma}", (word.index,)
    yield "deps:" + "/".join([*(word.dep for word in up), "^", *(word.dep for word in reversed(down))]), ()
    lemma, first, last = view.lemma(top.index), up[-1].dep if up else "-", down[-1].dep if down else "-"
    yield f"top:{lemma}", (top.index,)
    yield f"top:{lemma}:{first}:{last}", (top.index,)
    indexes = [word.index for word in view.inner]
    if len(indexes) <= 4:
        yield "seq:" + "/".join(map(view.lemma, indexes)), tuple(indexes)
    yield from _pairs("pb", view, indexes)


def _beside(view: PairView) -> Iterator[Feature]:
    """The words that hang on the path."""
    for word in view.beside:
        if word.dep not in _SILENT:
            yield f"c:{word.lemma}", (word.index,)
            if word.dep in _TELLING:
                yield f"c:{word.dep}:{word.lemma}", (word.index,)


def _heads(view: PairView) -> Iterator[Feature]:
    """What the two mentions hang on, and what describes them."""
    for end, name in zip(view.ends, "AB", strict=True):
        yield f"h{name}:{view.lemma(end.head)}:{end.dep}", (end.head,)
        for child in view.tree.children(end):
            if child.mention is None and child.dep in _DESCRIBING and child.index not in view.hidden:
                yield f"m{name}:{child.lemma}", (child.index,)


def _between(view: PairView) -> Iterator[Feature]:
    """The words between the two mentions."""
    first, second = view.ends
    between = [index for index in range(first.index + 1, second.index) if index not in view.hidden]
    yield f"distance:{min(len(between) // 3, 8)}", ()
    if len(between) <= NEAR:
        for index in between:
            yield f"b:{view.lemma(index)}", (index,)
        yield from _pairs("bb", view, between)
        if len(between) <= 4:
            yield "bs:" + " ".join(map(view.lemma, between)), tuple(between)
    others = sum(view.tree.words[index].mention is not None for index in between)
    yield f"others:{min(others, 4)}", ()
    said = {found for index in between if (found := category(view.tree.words[index].lemma))}
    yield "cues between:" + ",".join(sorted(said)), ()


def _around(view: PairView) -> Iterator[Feature]:
    """The words before the first, after the second, and right beside each."""
    first, second = view.ends
    count = len(view.tree.words)
    for index in range(max(0, first.index - BESIDE), first.index):
        yield f"l:{view.lemma(index)}", (index,)
    for index in range(second.index + 1, min(count, second.index + 1 + BESIDE)):
        yield f"r:{view.lemma(index)}", (index,)
    for end, name in zip(view.ends, "AB", strict=True):
        before, after = end.index - 1, end.index + 1
        if before >= 0:
            yield f"{name}-1:{view.lemma(before)}", (before,)
        if before >= 1:
            yield f"{name}-2:{view.lemma(before - 1)}_{view.lemma(before)}", (before - 1, before)
        if after < count:
            yield f"{name}+1:{view.lemma(after)}", (after,)
        if after + 1 < count:
            yield f"{name}+2:{view.lemma(after)}_{view.lemma(after + 1)}", (after, after + 1)


def _signs(view: PairView) -> Iterator[Feature]:
    """What the cue words on and beside the path come to."""
    told = [word for word in view.beside if word.dep in _TELLING]
    found = [(said, word.index) for word in (*view.inner, *told) if (said := category(word.lemma))]
    words = tuple(index for _, index in found)
    kinds = ",".join(sorted({said for said, _ in found}))
    sign = product(said for said, _ in found)
    yield f"cues:{kinds}", words
    yield f"cues:{kinds}:{view.types}", words
    yield f"sign:{sign}:{min(sum(said in SIGNED for said, _ in found), 2)}", words
    yield f"sign:{sign}:{view.types}", words


def _pairs(name: str, view: PairView, indexes: list[int]) -> Iterator[Feature]:
    """Neighbouring words of a sequence that begins with A and ends with B."""
    lemmas = ["A", *map(view.lemma, indexes), "B"]
    for place in range(len(lemmas) - 1):
        at = tuple(indexes[max(0, place - 1) : place + 1])
        yield f"{name}:{lemmas[place]}_{lemmas[place + 1]}", at
