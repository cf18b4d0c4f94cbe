"""A second look at a sentence whose verb the parser took for a noun: "A impairs B" with "affects" for "impairs".

A small parser knows few verbs of biomedicine and takes a rare one between two names for a noun. So it is shown a verb
that it knows, as it is shown a first name for a concept.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from groundwork.linking import Mention
from groundwork.reading.cues import category
from groundwork.reading.tree import Tree, Word, parse_all
from knowhd.claims.clause import NOUNS, TENSED

#: Tags of words after which stands a noun, and words that follow a noun such as "increase".
_BEFORE_NOUN = frozenset({"DT", "JJ", "JJR", "IN", "PRP$", "VBG", "HYPH"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "-"})
_VERBAL = frozenset({"VBZ", "VBP", "VBD", "MD"})
_HEADS = frozenset({"ROOT", "conj", "ccomp", "advcl", "relcl"})


def mended(tree: Tree) -> Tree:
    """Hang a verb that the parser joined to a noun on the noun's verb: "lowers A and B and raises C".

    The nouns behind such a verb that are joined to the same noun are its objects, and so is a subject behind a verb.
    """
    words = list(tree.words)
    for verb in tree.words:
        noun = tree.words[verb.head]
        if verb.tag in TENSED and verb.dep == "conj" and noun.tag in NOUNS:
            above = next((word for word in tree.above(noun) if word.tag in TENSED), None)
            if above is None:
                continue
            words[verb.index] = replace(verb, head=above.index)
            for other in tree.children(noun):
                if other.dep == "conj" and other.index > verb.index and other.tag in NOUNS:
                    words[other.index] = replace(other, head=verb.index, dep="dobj")
            for joint in tree.children(noun):
                if joint.dep == "cc" and joint.index == verb.index - 1:
                    words[joint.index] = replace(joint, head=above.index)
        for child in tree.children(verb):
            if verb.tag in TENSED and child.dep == "nsubj" and child.index > verb.index and child.tag in NOUNS:
                words[child.index] = replace(child, dep="dobj")
    return Tree(tree.text, tree.mentions, words)


def reparsed(trees: Iterable[Tree]) -> Iterator[Tree]:
    """Parse sentences again, each word that may be their verb shown as "affects" or "affect".

    Yields:
        A tree a sentence; the old one if no such word came out as a verb.
    """
    old = list(trees)
    for tree, other in zip(old, parse_all(map(_shown, old)), strict=True):
        words = [
            replace(new, text=word.text, start=word.start, end=word.end, lemma=_base(word, new))
            for new, word in zip(other.words, tree.words, strict=False)
        ]
        shown = (word for new, word in zip(other.words, words, strict=False) if new.text != word.text)
        acts = any(word.tag in _VERBAL | {"VB"} and word.dep in _HEADS for word in shown)
        yield Tree(tree.text, tree.mentions, words) if acts and len(other.words) == len(tree.words) else tree


def _shown(tree: Tree) -> tuple[str, list[Mention]]:
    """The sentence as the parser is shown it, and its mentions where they stand there."""
    text, at, moved = "", 0, {}
    for number, word in enumerate(tree.words):
        text += tree.text[at : word.start]
        moved[word.start] = len(text)
        acts = 0 < number < len(tree.words) - 1 and _may_act(*tree.words[number - 1 : number + 2])
        plain = not word.text.endswith("s") or category(word.text)
        text += ("affect" if plain else "affects") if acts else word.text
        at = word.end
    mentions = [
        replace(each, start=moved[each.start], end=moved[each.start] + len(each.text)) for each in tree.mentions
    ]
    return text + tree.text[at:], mentions


def _may_act(before: Word, word: Word, after: Word) -> bool:
    """Whether a word that is no verb by its tag may be one: it stands between concepts, or is a cue behind a noun."""
    if word.mention is not None or word.tag in _VERBAL or not word.text.islower():
        return False
    if before.mention is not None and after.mention is not None:
        return word.tag[:2] in {"NN", "JJ"}
    known = any(category(word.text[:end]) for end in (None, -1, -2))
    return known and before.tag not in _BEFORE_NOUN and after.text.lower() not in _BEHIND_NOUN


def _base(word: Word, new: Word) -> str:
    """The lemma of a word that was shown to the parser as another."""
    forms = (word.text[:end] for end in (None, -1, -2)) if word.text != new.text else ()
    return next((form for form in forms if category(form)), new.lemma)
