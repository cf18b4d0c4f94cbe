"""A claim as subject, predicate and object."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from groundwork.linking import Mention
from groundwork.polarity import Sign
from groundwork.reading.phrases import NAMELESS
from groundwork.reading.tree import Tree, Word

#: Dependency labels of words that belong to the noun phrase of their head.
_WITHIN = frozenset({"det", "amod", "compound", "nmod", "nummod", "poss", "prep", "pobj", "advmod", "npadvmod"})
#: Part-of-speech tags of words that refer to something outside the sentence: "she", "this", "there".
_POINTING = frozenset({"PRP", "DT", "EX", "WP"})


@dataclass(frozen=True, slots=True)
class End:
    """The subject or the object of a claim.

    Attributes:
        text: The noun phrase.
        mention: The concept in the noun phrase, or the phrase itself if it is read as a concept; None if neither.
        generic: Whether the noun phrase refers to somebody or something unnamed ("the patient", "she").
    """

    text: str
    mention: Mention | None = None
    generic: bool = False


@dataclass(frozen=True, slots=True)
class Triple:
    """One claim of a sentence.

    Attributes:
        subject: The actor, in active or passive voice.
        predicate: The words that state the relation, as written.
        relation: The PubTator3 relation of the predicate; None if there is none.
        object: The thing acted on.
        negated: Whether the sentence denies the claim.
        sign: Sign before negation, reversed if the sentence is about a lack of subject or object ("loss of PTEN").
        flags: `hedged`, `reversed` (the sign), `generic_subject`; `strict` or `fallback` if read by the paper's rule.
    """

    subject: End
    predicate: str
    relation: str | None
    object: End
    negated: bool
    sign: Sign
    flags: tuple[str, ...] = ()


def end_of(tree: Tree, word: Word) -> End:
    """Return the end (subject or object) of a claim, given the head word of its noun phrase."""
    mention = tree.mentions[word.mention] if word.mention is not None else None
    inside = {below.index for below in _phrase(tree, word)}
    first = next(index for index in range(word.index, -1, -1) if index - 1 not in inside)
    last = next(index for index in count(word.index) if index + 1 not in inside)
    generic = mention is None and (word.tag in _POINTING or word.lemma in NAMELESS)
    return End(tree.text[tree.words[first].start : tree.words[last].end], mention, generic)


def _phrase(tree: Tree, word: Word) -> Iterator[Word]:
    """Yield a noun and the words of its phrase, without branches that name another concept."""
    yield word
    for child in tree.children(word):
        branch = list(tree.subtree(child))
        if all(each.mention is None and (each.dep in _WITHIN or each.tag == "HYPH") for each in branch):
            yield from branch
