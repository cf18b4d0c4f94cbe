"""A second look at a sentence whose verb the parser took for a noun: "A impairs B" with "kills" for "impairs".

A small parser knows few verbs of biomedicine and takes a rare one between two names for a noun. So it is shown a verb
that it knows, as it is shown a first name for a concept.
"""

from dataclasses import replace

from groundwork.reading.cues import category
from groundwork.reading.tree import Tree, Word, parse
from knowhd.claims.clause import NOUNS, TENSED

#: Tags of words after which stands a noun, and words that follow a noun such as "increase".
_BEFORE_NOUN = frozenset({"DT", "JJ", "JJR", "IN", "PRP$", "VBG", "HYPH"})
_BEHIND_NOUN = frozenset({"of", "in", "on", "-"})


def reparsed(tree: Tree) -> Tree:
    """Parse a sentence again, each word that may be its verb shown as "kills" or "kill"."""
    text = tree.text
    inner = zip(tree.words, tree.words[1:], tree.words[2:], strict=False)
    acting = {word.start: word for before, word, after in inner if _may_act(before, word, after)}
    for word in acting.values():
        shown = "kills" if word.text.endswith("s") and not category(word.text) else "kill"
        text = text[: word.start] + shown.ljust(len(word.text)) + text[word.end :]
    words = list(parse(text, tree.mentions).words)
    for new in tuple(words):
        if old := acting.get(new.start):
            words[new.index] = replace(new, text=old.text, end=old.end, lemma=_base(old.text))
    return Tree(tree.text, tree.mentions, words)


def mended(tree: Tree) -> Tree:
    """Hang a verb that is joined to a noun, and the nouns behind it, on the verb before: "lowers A and raises B"."""
    words = list(tree.words)
    for verb in tree.words:
        noun = tree.words[verb.head]
        if verb.dep == "nsubj" and verb.tag in NOUNS and noun.tag in TENSED and verb.index > noun.index:
            words[verb.index] = replace(verb, dep="dobj")
        above = next((word for word in tree.above(noun) if word.tag in TENSED), None)
        if verb.tag in TENSED and verb.dep == "conj" and noun.tag in NOUNS and above is not None:
            words[verb.index] = replace(verb, head=above.index)
            for other in tree.children(noun):
                if other.dep == "conj" and other.index > verb.index:
                    words[other.index] = replace(other, head=verb.index, dep="dobj")
    return Tree(tree.text, tree.mentions, words)


def _may_act(before: Word, word: Word, after: Word) -> bool:
    """Whether a word that is no verb by its tag may be one: it stands between concepts, or is a cue behind a noun."""
    if (
        word.mention is not None
        or word.tag in TENSED | {"MD"}
        or not word.text.islower()
        or len(word.text) < len("kills")
    ):
        return False
    if before.mention is not None and after.mention is not None:
        return word.tag[:2] in {"NN", "JJ"}
    known = category(_base(word.text)) is not None
    return known and before.tag not in _BEFORE_NOUN and after.text.lower() not in _BEHIND_NOUN


def _base(word: str) -> str:
    """The base form of a regular verb if it is a cue, else the word."""
    return next((form for form in (word, word[:-1], word[:-2]) if category(form)), word)
