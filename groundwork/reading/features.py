"""Features of two mentions in a sentence, for the linear model of the reader.

A feature is a name and the words on which it was found; the words are shown to users when the feature decides. In the
names, `A` is the mention that comes first in the sentence, and `B` is the other one of the two. The type of the concept
stands for any further mention.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundwork.reading.cues import SIGNED, TURNING, category, product
from groundwork.reading.tree import SUBJECTS, Tree, Word
from groundwork.records import split_key
from groundwork.vocabulary import VARIANTS

Feature = tuple[str, tuple[int, ...]]

#: The words between two mentions are features only if there are at most this many.
NEAR = 12
#: Number of words before the first and after the second mention that are features.
BESIDE = 3
_SILENT = frozenset({"punct", "det", "cc"})
#: Dependency labels of words that say something about their governor: modifiers, subjects, objects and complements.
_TELLING = frozenset(
    "amod neg advmod compound nmod aux prep nsubj dobj nsubjpass acomp attr npadvmod agent".split()  # noqa: SIM905
)
_DESCRIBING = frozenset({"amod", "compound", "nmod", "neg", "prep"})


def family(key: str | None) -> str:
    """Return the type of a concept for the features: Chemical, Disease, Gene, Variant, or Other.

    The type names of PubTator and of BioRED ("GeneOrGeneProduct") are both accepted.
    """
    kind = split_key(key)[0] if key else ""
    if kind in VARIANTS or kind == "SequenceVariant":
        return "Variant"
    return next((each for each in ("Chemical", "Disease", "Gene") if kind.startswith(each)), "Other")


def _is_joined_verb(word: Word) -> bool:
    """Return whether a verb shares the subject of another: in "lowers B and raises C" and "lowers B, raising C"."""
    return (word.dep == "conj" and word.tag.startswith("VB")) or (word.dep == "advcl" and word.tag == "VBG")


def has_subject(tree: Tree, verb: Word) -> bool:
    """Return whether a verb has a subject of its own other than a pronoun."""
    return any(word.dep in SUBJECTS and word.tag != "PRP" for word in tree.children(verb))


@dataclass(frozen=True)
class PairView:
    """Two mentions of a parsed sentence.

    Args:
        tree: The sentence.
        first: Index of the mention that comes first.
        second: Index of the other mention.
        hidden: Indexes of words to ignore, such as the words of a negation.
    """

    tree: Tree
    first: int
    second: int
    hidden: frozenset[int] = frozenset()

    def lemma(self, index: int) -> str:
        """Return the form in which a word appears in feature names."""
        word = self.tree.words[index]
        if word.mention is None:
            return word.lemma
        for name, (start, end) in zip("AB", self.lists, strict=True):
            if start <= index < end:
                return name
        return "M_" + family(self.tree.mentions[word.mention].key)

    @cached_property
    def ends(self) -> tuple[Word, Word]:
        """The two mentions (called ends) as words of the tree."""
        return self.tree.places[self.first], self.tree.places[self.second]

    @cached_property
    def lists(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """For each of the two mentions, the word indexes (first, after the last) of the list that contains it.

        A statement about a list holds for every member: "A lowers B, C and D". If a mention stands alone, or both
        mentions are in the same list, the indexes are those of the mention alone.
        """
        first, second = (self.tree.listed(end) for end in self.ends)
        if first != second:
            return first, second
        return (self.ends[0].index, self.ends[0].index + 1), (self.ends[1].index, self.ends[1].index + 1)

    @cached_property
    def heads(self) -> tuple[Word, Word]:
        """For each of the two mentions, the mention in its list that depends on a word outside the list."""
        first, second = (self._head(end, *inside) for end, inside in zip(self.ends, self.lists, strict=True))
        return first, second

    def _head(self, end: Word, start: int, stop: int) -> Word:
        members = (self.tree.words[index] for index in range(start, stop))
        return next((w for w in members if w.mention is not None and not start <= w.head < stop), end)

    @cached_property
    def types(self) -> str:
        """The types of the two mentions, in the order of the sentence."""
        return ">".join(family(self.tree.mentions[each].key) for each in (self.first, self.second))

    @cached_property
    def path(self) -> tuple[list[Word], Word, list[Word]] | None:
        """The dependency path between the two mentions (more exactly, their `heads`); see `Tree.path`.

        A subject that several verbs share belongs to each of them: in "A lowers B but raises C" and "A lowers B,
        thereby raising C", the path from A to C does not contain "lowers" (as in the enhanced dependencies of Universal
        Dependencies).
        """
        found = self.tree.path(*self.heads)
        if found is None:
            return None
        up, _, down = found
        place = next((n for n, word in enumerate(down) if _is_joined_verb(word)), 0)
        if place and up and up[-1].dep in SUBJECTS and not has_subject(self.tree, down[place]):
            return up, down[place], down[:place]
        return found

    @cached_property
    def stating(self) -> Word | None:
        """The word that states the relation: the top of the path, or the second of two verbs that share a subject."""
        if self.path is None:
            return None
        _, top, down = self.path
        return next((word for word in down if _is_joined_verb(word)), top)

    @cached_property
    def turned(self) -> bool:
        """Whether the sentence says that there is less of exactly one mention: "inhibition of A", "A-deficient"."""
        return sum(self.lessening(end) is not None for end in self.heads) == 1

    def lessening(self, end: Word) -> Word | None:
        """Return the noun or adjective that governs a mention and says that there is less of it, or None."""
        head = self.tree.words[end.head]
        if head.dep == "prep" and head.lemma in {"of", "against"}:
            head = self.tree.words[head.head]
        elif end.dep not in _DESCRIBING | {"npadvmod"}:
            return None
        less = head.mention is None and head.tag.startswith(("NN", "JJ", "VBG")) and category(head.lemma) in TURNING
        return head if less else None

    @cached_property
    def inner(self) -> list[Word]:
        """The words on the path from the first mention to the second, without the two mentions."""
        if self.path is None:
            return []
        up, top, down = self.path
        turning = [] if top.index in {end.index for end in self.heads} else [top]
        return [*up[1:], *turning, *reversed(down[1:])]

    @cached_property
    def beside(self) -> list[Word]:
        """The words that a word of the path governs, except words on the path, mentions and hidden words."""
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
    """Yield the features of a pair; the same feature may be yielded more than once.

    If the sentence says that there is less of one mention ("A knockdown reduced B"), the sign of the statement is
    reversed. The names of all features then begin with `~`, except the features of the types, of the governors and
    modifiers of the mentions, and of the words around the mentions.
    """
    turned = "~" if view.turned else ""
    yield f"types:{view.types}", ()
    for part in (_path, _beside, _between, _signs):
        yield from ((turned + name, words) for name, words in part(view))
    yield from _heads(view)
    yield from _around(view)


def _path(view: PairView) -> Iterator[Feature]:
    """Yield features of the words and labels on the dependency path."""
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
    """Yield features of the words that are governed by a word of the path."""
    for word in view.beside:
        if word.dep not in _SILENT:
            yield f"c:{word.lemma}", (word.index,)
            if word.dep in _TELLING:
                yield f"c:{word.dep}:{word.lemma}", (word.index,)


def _heads(view: PairView) -> Iterator[Feature]:
    """Yield features of the governors and the modifiers of the two mentions."""
    for end, name in zip(view.heads, "AB", strict=True):
        yield f"h{name}:{view.lemma(end.head)}:{end.dep}", (end.head,)
        for child in view.tree.children(end):
            if child.mention is None and child.dep in _DESCRIBING and child.index not in view.hidden:
                yield f"m{name}:{child.lemma}", (child.index,)


def _between(view: PairView) -> Iterator[Feature]:
    """Yield features of the words between the two mentions."""
    (_, begins), (ends, _) = view.lists
    between = [index for index in range(begins, ends) if index not in view.hidden]
    yield f"distance:{min(len(between) // 3, 8)}", ()
    yield f"same list:{view.tree.listed(view.ends[0]) == view.tree.listed(view.ends[1])}", ()
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
    """Yield features of the words before the first mention, after the second mention, and next to each mention."""
    (first, _), (_, last) = view.lists
    count = len(view.tree.words)
    for index in range(max(0, first - BESIDE), first):
        yield f"l:{view.lemma(index)}", (index,)
    for index in range(last, min(count, last + BESIDE)):
        yield f"r:{view.lemma(index)}", (index,)
    for (start, after), name in zip(view.lists, "AB", strict=True):
        before = start - 1
        if before >= 0:
            yield f"{name}-1:{view.lemma(before)}", (before,)
        if before >= 1:
            yield f"{name}-2:{view.lemma(before - 1)}_{view.lemma(before)}", (before - 1, before)
        if after < count:
            yield f"{name}+1:{view.lemma(after)}", (after,)
        if after + 1 < count:
            yield f"{name}+2:{view.lemma(after)}_{view.lemma(after + 1)}", (after, after + 1)


def _signs(view: PairView) -> Iterator[Feature]:
    """Yield features of the cue words on and beside the path, with the product of their signs."""
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
    """Yield a feature for each pair of neighbours in this sequence: A, the words at `indexes`, B."""
    lemmas = ["A", *map(view.lemma, indexes), "B"]
    for place in range(len(lemmas) - 1):
        at = tuple(indexes[max(0, place - 1) : place + 1])
        yield f"{name}:{lemmas[place]}_{lemmas[place + 1]}", at
