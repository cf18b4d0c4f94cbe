"""Claims of a sentence: subject, predicate, object, whether they are denied, and how sure they sound."""

from collections.abc import Iterator
from dataclasses import dataclass

from fuzzygraph.triples.clauses import Reading, readings
from fuzzygraph.triples.denial import denied, hedged
from fuzzygraph.triples.phrases import End, ends
from fuzzygraph.triples.predicates import predicates, sign_of
from fuzzygraph.triples.syntax import Tree
from groundwork.polarity import Sign

#: Relations that are also kinds of words in the table: those which give an association that direction.
_CORRELATIONS = ("positive_correlate", "negative_correlate")


@dataclass(frozen=True, slots=True)
class Triple:
    """One claim of a sentence.

    Attributes:
        subject: Who does it, whatever the voice.
        predicate: The words that say what, as written.
        relation: The PubTator3 relation they stand for, None if none.
        object: To whom it is done.
        negated: Whether the sentence denies it.
        sign: The claim's sign before negation: the predicate's, turned round by each end that is ("loss of PTEN").
        flags: `passive`, `hedged`, `reversed`, `generic_subject`, `nominal`, `compound`, `path`, `strict`, `fallback`.
    """

    subject: End
    predicate: str
    relation: str | None
    object: End
    negated: bool
    sign: Sign
    flags: tuple[str, ...] = ()


def triples(tree: Tree) -> list[Triple]:
    """All claims of a sentence, the surest readings first.

    Each pair of ends once, but for verbs side by side, which say each something of it ("treats and prevents").
    """
    found: list[Triple] = []
    anchors: dict[frozenset[int], set[int]] = {}
    for reading in readings(tree):
        beside = {verb.index for verb in tree.coordinated(reading.anchor)} if reading.noun is None else set()
        for triple in claims(tree, reading):
            pair = frozenset((triple.subject.word.index, triple.object.word.index))
            said = anchors.setdefault(pair, set())
            if len(pair) > 1 and said <= beside - {reading.anchor.index}:
                said.add(reading.anchor.index)
                found.append(triple)
    return found


def claims(tree: Tree, reading: Reading) -> Iterator[Triple]:
    """A reading spelled out: one claim for each subject and each object."""
    meaning = reading.meaning
    first, second = reading.subject, reading.object
    if meaning is not None and meaning.turned:
        first, second = second, first
    relation = _directed(tree, reading, meaning.relation) if meaning is not None else None
    for subject in ends(tree, first, doing=True):
        for target in ends(tree, second):
            told = _sided(reading, relation, subject, target)
            turned = subject.sign * target.sign if told == relation else 1
            sign = sign_of(reading.word, told) * turned
            flags = [*reading.flags]
            flags += ["hedged"] if hedged(tree, reading) else []
            flags += ["reversed"] if subject.sign * target.sign < 0 else []
            flags += ["generic_subject"] if subject.generic else []
            negated = denied(tree, reading) != (meaning is not None and meaning.denied)
            signed: Sign = 1 if sign > 0 else -1 if sign < 0 else 0
            yield Triple(subject, reading.text, told, target, negated, signed, tuple(flags))


def _directed(tree: Tree, reading: Reading, relation: str) -> str:
    """The relation, or the correlation that an adverb or adjective makes of it ("inversely associated")."""
    if relation != "associate":
        return relation
    around = [*tree.children(reading.anchor, "advmod")]
    around += tree.children(reading.noun, "amod", "advmod") if reading.noun else []
    said = predicates().words
    turns = [correlation for correlation in _CORRELATIONS for word in around if word.lemma in said[correlation]]
    return turns[0] if len(turns) == 1 else relation


def _sided(reading: Reading, relation: str | None, subject: End, target: End) -> str | None:
    """The relation, or the correlation that more or less of its object makes of it ("associated with reduced ...")."""
    if relation != "associate" or not target.directed or reading.word not in predicates().words["coupling"]:
        return relation
    return _CORRELATIONS[0] if subject.sign * target.sign > 0 else _CORRELATIONS[1]
