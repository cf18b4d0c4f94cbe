"""Turn and deny a claim, to test whether its reading depends on its verb.

A reading that stays the same when the verb is exchanged for its opposite, or is denied, does not come from the verb.
Such a claim is unread: otherwise one sentence could support a claim and its opposite.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from groundwork.opposites import opposite
from groundwork.reading.marking import Spans, moved
from groundwork.reading.tree import Tree, Word
from knowhd.claims.clauses import past, third

_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}
_AUXILIARIES = frozenset({"be", "can", "could", "may", "might", "must", "shall", "should", "will", "would"})


@dataclass(frozen=True, slots=True)
class Change:
    """A text with other words at one place.

    Attributes:
        text: The changed text.
        at: Offset of the place in the original text.
        by: Number of characters that the text grew.
    """

    text: str
    at: int
    by: int

    def moved(self, spans: Spans) -> Spans:
        """Return where places of the original text are in the changed text."""
        return moved(spans, self.at, self.by)


def turned(tree: Tree) -> Change | None:
    """Return a sentence with its main verb or predicate exchanged for an opposite; None if no opposite is listed."""
    for verb in _verbs(tree):
        # The parser does not know all lemmas ("overexpresse"), and tags some participles as adjectives.
        found = opposite(verb.text) or opposite(verb.lemma)
        if found is not None:
            lemma, other = found
            is_past = verb.tag in {"VBD", "VBN"} or verb.text.lower() == past(lemma)
            return _changed(tree, verb, third(other) if verb.tag == "VBZ" else past(other) if is_past else other)
    return None


def denied(tree: Tree) -> Change | None:
    """Return a sentence with its main verb denied; None if it has no finite verb or is negated already."""
    verb = next((word for word in _verbs(tree) if word.tag in _DO or word.tag == "MD"), None)
    if verb is None or is_denied(tree):
        return None
    if verb.lemma in _AUXILIARIES or verb.tag == "MD":
        return _changed(tree, verb, f"{verb.text} not")
    return _changed(tree, verb, f"{_DO[verb.tag]} not {verb.lemma}")


def is_denied(tree: Tree) -> bool:
    """Return whether the parse shows a negation of the main verb."""
    return tree.root is not None and bool(tree.children(tree.root, "neg"))


def _verbs(tree: Tree) -> Iterator[Word]:
    """Yield the finite auxiliary of the main verb, the main verb, and what it governs ("helps to lower", "is high")."""
    if tree.root is None:
        return
    yield from (child for child in tree.children(tree.root, "aux", "auxpass") if child.tag in {*_DO, "MD"})
    yield tree.root
    yield from (child for child in tree.children(tree.root, "xcomp", "acomp") if child.tag in {"VB", "VBN", "JJ"})


def _changed(tree: Tree, verb: Word, words: str) -> Change:
    text = tree.text[: verb.start] + words + tree.text[verb.end :]
    return Change(text, verb.end, len(words) - (verb.end - verb.start))
