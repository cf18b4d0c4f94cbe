"""Find the words in the scope of a negation, hedge, question or condition: the ConText method on a parsed sentence.

A modifier is a row of context.tsv. Its scope extends forward or backward from its phrase to the next phrase of the
category `stop`, or else to the start or end of the sentence. If the parser marks a word as the negation of a verb, the
scope is limited to the clause of this verb: "did not raise A but lowered B" negates only the first verb. If a negation
stands directly before a mention, its scope is this mention and the mentions coordinated with it: "A, but not B, lowers
C".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from groundwork.reading.tree import Tree, Word
from groundwork.word_lists import rows

Category = Literal["negation", "hedge", "question", "condition", "population"]
Direction = Literal["forward", "backward", "both"]

_STOP = "stop"
#: Dependency labels of clauses below a negated verb that are outside the scope of its negation.
_OTHER_CLAUSES = frozenset({"conj", "advcl", "relcl", "parataxis"})
_NOT = frozenset({"n't", "never", "not"})
_AUXILIARIES = frozenset({"be", "do", "have"})
_COMPLEMENTS = ("acomp", "attr", "ccomp", "dobj", "oprd", "prep", "xcomp")


@dataclass(frozen=True, slots=True)
class Scope:
    """A modifier found in a sentence.

    Attributes:
        category: The kind of modifier.
        phrase: Indexes of the words of the modifier.
        reach: Indexes of the words in its scope, without the words of the modifier.
    """

    category: Category
    phrase: frozenset[int]
    reach: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Modifier:
    words: tuple[str, ...]
    category: str
    direction: Direction


@lru_cache(maxsize=1)
def _modifiers() -> Mapping[str, tuple[_Modifier, ...]]:
    """Return the rows of context.tsv by their first word, the longest phrase first."""
    found: dict[str, list[_Modifier]] = {}
    for phrase, category, direction in rows("groundwork.reading", "context.tsv"):
        words = tuple(phrase.replace("-", " - ").split())
        found.setdefault(words[0], []).append(_Modifier(words, category, cast(Direction, direction)))
    return {first: tuple(sorted(rows, key=lambda row: -len(row.words))) for first, rows in found.items()}


def scopes(tree: Tree) -> tuple[Scope, ...]:
    """Return the modifiers of a sentence with their scopes, in order."""
    matches = list(_matches([word.text.lower() for word in tree.words]))
    stops = [start for start, _, modifier in matches if modifier.category == _STOP]
    return tuple(_scope(tree, stops, *match) for match in matches if match[2].category != _STOP)


def _scope(tree: Tree, stops: Sequence[int], start: int, end: int, modifier: _Modifier) -> Scope:
    """Return a modifier with its scope.

    Args:
        tree: The sentence.
        stops: Indexes of the words at which scopes end.
        start: Index of the first word of the modifier.
        end: Index after its last word.
        modifier: The row of context.tsv.
    """
    reach: set[int] = set()
    if modifier.direction != "backward":
        reach.update(range(end, min((stop for stop in stops if stop >= end), default=len(tree.words))))
    if modifier.direction != "forward":
        reach.update(range(max((stop + 1 for stop in stops if stop < start), default=0), start))
    last, after = tree.words[end - 1], tree.words[end : end + 1]
    if modifier.category == "negation":
        if after and after[0].mention is not None:
            reach &= _coordinated(tree, after[0])
        elif modifier.direction != "forward":
            reach &= _clause_around(tree, last)
        elif end - start == 1:
            reach = _elided(tree, last) or reach & _clause(tree, last)
    elif modifier.category == "question":
        reach &= _studied(tree, last) if modifier.direction == "backward" else _purpose(tree, last)
    # "found" in "not found" is no part of the negation: the statement is read as if something was found.
    own = frozenset(range(start, start + 1 if modifier.words[0] in _NOT else end))
    return Scope(cast(Category, modifier.category), own, frozenset(reach - own))


def denying(found: Iterable[Scope]) -> frozenset[int]:
    """Return the indexes of the negating words. The relation reader ignores these words in the negated statement."""
    return frozenset(index for scope in found if scope.category == "negation" for index in scope.phrase)


def _matches(words: Sequence[str]) -> Iterator[tuple[int, int, _Modifier]]:
    """Yield (start, end, modifier) of each phrase of context.tsv in a sentence.

    If several phrases begin at the same word, only the longest is yielded.
    """
    at = 0
    while at < len(words):
        rows = _modifiers().get(words[at], ())
        row = next((row for row in rows if tuple(words[at : at + len(row.words)]) == row.words), None)
        if row is not None:
            yield at, at + len(row.words), row
        at += len(row.words) if row is not None else 1


def _clause(tree: Tree, word: Word) -> set[int]:
    """Return the word indexes of the clause or phrase that a word negates; of the whole sentence if none is found."""
    if word.dep not in {"neg", "det"}:
        return set(range(len(tree.words)))
    governor = tree.words[word.head]
    if word.dep == "det":  # "no increase was seen": the phrase and its verb are negated
        verb = tree.words[governor.head]
        return {each.index for each in _within(tree, verb)} | {each.index for each in tree.subtree(governor)}
    return {each.index for each in _within(tree, governor)}


def _clause_around(tree: Tree, word: Word) -> set[int]:
    """Return the word indexes of the clause that contains a word; of the whole sentence if there is no verb."""
    verb = next((each for each in tree.above(word) if each.tag.startswith("VB")), None)
    return set(range(len(tree.words))) if verb is None else {each.index for each in _within(tree, verb)}


def _elided(tree: Tree, word: Word) -> set[int]:
    """Return the indexes of the mentions in the subject of a negated verb without complement: B in "B did not"."""
    verb = tree.words[word.head]
    if word.dep != "neg" or verb.lemma not in _AUXILIARIES or tree.children(verb, *_COMPLEMENTS):
        return set()
    subjects = tree.children(verb, "nsubj", "nsubjpass")
    return {each.index for subject in subjects for each in tree.subtree(subject) if each.mention is not None}


def _studied(tree: Tree, verb: Word) -> set[int]:
    """Return the indexes of the noun for what was studied, and of its objects.

    Example: "association", A and B in "the association between A and B was studied". A statement within such a phrase
    is not in the scope: "A-induced B was studied" says that A induces B.
    """
    nouns = [noun for noun in tree.children(verb, "nsubjpass", "csubjpass") if noun.mention is None]
    objects = [end for noun in nouns for prep in tree.children(noun, "prep") for end in tree.children(prep, "pobj")]
    return {word.index for word in (*nouns, *objects)}


def _purpose(tree: Tree, word: Word) -> set[int]:
    """Return the word indexes of the adverbial clause around a word, or of the whole sentence if there is none.

    Example: "to test whether A" in "to test whether A, we showed B".
    """
    clause = next((each for each in tree.above(word) if each.dep == "advcl"), None)
    return {each.index for each in tree.subtree(clause)} if clause else set(range(len(tree.words)))


def _coordinated(tree: Tree, mention: Word) -> set[int]:
    """Return the indexes of a mention and of the mentions coordinated with it."""
    joined = (word for word in tree.children(mention) if word.dep == "conj" and word.mention is not None)
    return {mention.index, *(index for word in joined for index in _coordinated(tree, word))}


def _within(tree: Tree, governor: Word) -> Iterator[Word]:
    """Yield a verb and the words of its clause, including verbs that share its auxiliary: "did not raise or lower"."""
    yield governor
    for child in tree.children(governor):
        if child.dep not in _OTHER_CLAUSES or _shares_auxiliary(tree, child, governor):
            yield from tree.subtree(child)


def _shares_auxiliary(tree: Tree, verb: Word, first: Word) -> bool:
    """Return whether a coordinated verb shares the auxiliary of the first verb.

    This is so if both verbs have the same non-finite form, and the coordinated verb has no subject or auxiliary.
    """
    own = {child.dep for child in tree.children(verb)} & {"nsubj", "nsubjpass", "aux", "auxpass"}
    return verb.dep == "conj" and verb.tag == first.tag and verb.tag in {"VB", "VBN", "VBG"} and not own
