"""Correct parse trees in which the parser took the verb for a noun.

A small parser knows few biomedical verbs and takes a rare verb between two names for a noun. Therefore "A impairs B" is
parsed again with "kills" in place of "impairs". For a similar reason, `groundwork.reading.tree` replaces the names of
concepts by first names.
"""

from collections.abc import Sequence
from dataclasses import replace

from groundwork.linking import Mention
from groundwork.reading.cues import category
from groundwork.reading.tree import Tree, Word, parse

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
_TENSED = frozenset({"VBZ", "VBP", "VBD"})
#: A cue word such as "increase" is a noun, not a verb, if the tag of the word before it is in the first set, or if the
#: word after it is in the second set.
_BEFORE_NOUN = frozenset({"DT", "JJ", "JJR", "IN", "PRP$", "VBG", "HYPH"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "-"})


def parse_mended(text: str, mentions: Sequence[Mention] = ()) -> Tree:
    """Parse a sentence and correct its tree. If the tree has no finite verb, use the tree of `reparsed` instead."""
    tree = mended(parse(text, mentions))
    return tree if any(word.tag in _TENSED | {"MD"} for word in tree.words) else mended(reparsed(tree))


def reparsed(tree: Tree) -> Tree:
    """Parse a sentence again, with "kills" or "kill" in place of each word that may be its verb."""
    text = tree.text
    inner = zip(tree.words, tree.words[1:], tree.words[2:], strict=False)
    acting = {word.start: word for before, word, after in inner if _may_act(before, word, after)}
    for word in acting.values():
        shown = "kills" if word.text.endswith("s") and not category(word.text) else "kill"
        text = text[: word.start] + shown.ljust(len(word.text)) + text[word.end :]
    words = [
        replace(new, text=old.text, end=old.end, lemma=_base(old.text)) if (old := acting.get(new.start)) else new
        for new in parse(text, tree.mentions).words
    ]
    return Tree(tree.text, tree.mentions, words)


def mended(tree: Tree) -> Tree:
    """Return a tree in which frequent errors of the parser are corrected.

    A noun after its verb is the object of the verb, not the subject. A verb that the parser attached to a noun is
    attached to the verb above this noun: in "lowers A, raises C", "raises" belongs to "lowers", not to A. If the parser
    took the object of one verb for the subject of the next verb, `_part_clauses` separates the two clauses.
    """
    words = list(tree.words)
    for verb in tree.words:
        noun = tree.words[verb.head]
        if verb.dep == "nsubj" and verb.tag in _NOUNS and noun.tag in _TENSED and verb.index > noun.index:
            words[verb.index] = replace(verb, dep="dobj")
        above = next((word for word in tree.above(noun) if word.tag in _TENSED), None)
        if verb.tag in _TENSED and verb.dep == "conj" and noun.tag in _NOUNS and above is not None:
            words[verb.index] = replace(verb, head=above.index)
            for other in tree.children(noun):
                if other.dep == "conj" and other.index > verb.index:
                    words[other.index] = replace(other, head=verb.index, dep="dobj")
        if verb.dep == "ccomp" and verb.tag in _TENSED and noun.tag in _TENSED and noun.index < verb.index:
            _part_clauses(tree, verb, words)
    return Tree(tree.text, tree.mentions, words)


def _part_clauses(tree: Tree, verb: Word, words: list[Word]) -> None:
    """Make the first of two coordinated subjects the object of the preceding verb: B in "A lowers B and C raises D"."""
    above = tree.words[verb.head]
    subject = next((child for child in tree.children(verb) if child.dep == "nsubj" and child.index > above.index), None)
    second = next((child for child in tree.children(subject) if child.dep == "conj"), None) if subject else None
    whole = any(child.dep == "dobj" for child in tree.children(above)) or any(
        child.dep == "mark" for child in tree.children(verb)
    )
    if subject and second and not whole:
        words[subject.index] = replace(subject, head=above.index, dep="dobj")
        words[second.index] = replace(second, head=verb.index, dep="nsubj")
        words[verb.index] = replace(verb, dep="conj")


def _may_act(before: Word, word: Word, after: Word) -> bool:
    """Return whether a word that is not tagged as a verb may be a verb.

    This is so if it is a noun or adjective between two concepts, or a cue word in a place where a verb may stand.
    """
    if (
        word.mention is not None
        or word.tag in _TENSED | {"MD"}
        or not word.text.islower()
        or len(word.text) < len("kills")
    ):
        return False
    if before.mention is not None and after.mention is not None:
        return word.tag[:2] in {"NN", "JJ"}
    known = category(_base(word.text)) is not None
    return known and before.tag not in _BEFORE_NOUN and after.text.lower() not in _BEHIND_NOUN


def _base(word: str) -> str:
    """Return the base form of a regular verb if it is a cue word, else the word itself."""
    return next((form for form in (word, word[:-1], word[:-2]) if category(form)), word)
