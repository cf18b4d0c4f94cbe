"""What "this phosphorylation" means: that of B by A, where "A phosphorylates B" stands before it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.meant.instead import Instead
from knowhd.claims.meant.told import Told, told

if TYPE_CHECKING:
    from spacy.tokens import Token

#: What makes a noun of a verb: "phosphorylation", "impairment", "cleavage".
_SUFFIXES = ("ation", "ition", "tion", "ion", "ment", "age", "al", "ance", "ence", "ing", "")
#: The shortest stem of a verb: "cut" of "cutting".
_STEM = 3
_POINTING = lexicon.words("this the such that")
_BESIDE = frozenset({"det", "predet", "amod", "punct", "cc", "conj"})


def doings(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """What each "this inhibition" is of, and by whom, from the only verb of its root that stands before it."""
    for noun in parsed.doc:
        first = _pointing(parsed, noun)
        if first is None:
            continue
        start, end = parsed.offsets(first)[0], parsed.offsets(noun)[1]
        own = [each for each in told(parsed, start) if _names(noun, each)]
        found = own or [each for each in (told(before) if before else ()) if _names(noun, each)]
        if len(found) == 1 and (words := _of(found[0])):
            ahead = [t for t in parsed.doc[first.i + 1 : noun.i] if t.lower_ not in {"a", "an"}]
            kind = parsed.original([*ahead, noun])
            yield Instead(start, end, f"the {kind}{words}", (f"{kind}{words}",))


def _pointing(parsed: Masked, noun: "Token") -> "Token | None":
    """The word by which a noun points back, if nothing but qualities stands beside it."""
    if noun.tag_ != "NN" or parsed.hides(noun) or any(child.dep_ not in _BESIDE for child in noun.children):
        return None
    first = noun.left_edge
    following = noun.nbor() if noun.i + 1 < len(noun.doc) else noun
    points = first.lower_ in _POINTING and (first.lower_ != "the" or first.i == noun.i - 1)
    return first if points and following.lower_ != "of" else None


def _names(noun: "Token", each: Told) -> bool:
    """Whether a noun names what a verb says: "inhibition" of "inhibit", "increase" of "increase"."""
    word = noun.lemma_.lower()
    stems = {word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)}
    verbs = {each.verb, each.verb.removesuffix("e")}
    return not each.denied and any(len(stem) >= _STEM for stem in stems & verbs)


def _of(each: Told) -> str:
    """What was done is of what it was done to, and by who did it; what happens is of what it happens to."""
    if each.object is None:
        return f" of {each.doer.words}" if each.doer else ""
    return f" of {each.object.words}{f' by {each.doer.words}' if each.doer else ''}"
