"""Claims of a sentence: subject, predicate, object, whether they are denied, and how sure they sound."""

from collections.abc import Iterator
from dataclasses import dataclass

from fuzzygraph.clauses import Reading, readings
from fuzzygraph.phrases import End, ends
from fuzzygraph.predicates import predicates, sign_of
from fuzzygraph.syntax import Tree, Word
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
    """All claims of a sentence, the surest readings first; each pair of ends once."""
    found: dict[tuple[int, int], Triple] = {}
    for reading in readings(tree):
        for triple in claims(tree, reading):
            pair = (triple.subject.word.index, triple.object.word.index)
            if pair[0] != pair[1] and pair not in found and pair[::-1] not in found:
                found[pair] = triple
    return list(found.values())


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
            flags += ["hedged"] if _hedged(tree, reading) else []
            flags += ["reversed"] if subject.sign * target.sign < 0 else []
            flags += ["generic_subject"] if subject.generic else []
            negated = _denied(tree, reading) != (meaning is not None and meaning.denied)
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


def _governors(tree: Tree, anchor: Word) -> list[Word]:
    """The predicate and what it is a complement of ("failed to prevent", "suggest that it prevents")."""
    chain = [anchor]
    for word in tree.above(anchor):
        if word.dep not in {"xcomp", "ccomp", "acomp"}:
            break
        chain.append(tree.head(word))
    return chain


def _supporting(tree: Tree, chain: list[Word]) -> list[Word]:
    """What stands over a whole claim: "evidence" of "no evidence that it prevents", "unlikely" of "it is unlikely"."""
    last = chain[-1]
    that = any(child.lemma == "that" for child in tree.children(last, "mark"))
    nouns = [tree.head(last)] if last.dep == "acl" and that else []
    judged = [word for governor in chain[1:] for word in tree.children(governor, "acomp") if word not in chain]
    return [*nouns, *judged]


def _denied(tree: Tree, reading: Reading) -> bool:
    """Whether the sentence denies the claim: not, no, neither, nor, fails to, without, lack of. Two make none."""
    failing = predicates().words["failing"]
    chain = _governors(tree, reading.anchor)
    denials = sum(bool(tree.children(word, "neg")) + (word.lemma in failing) for word in chain)
    over = _supporting(tree, chain)
    denials += sum(word.lemma in failing for word in over) + (reading.anchor.case == "without")
    denials += any(
        child.text.lower() in {"no", "little"} for word in over for child in tree.children(word, "det", "amod")
    )
    nouns = {word.index: word for word in (reading.subject, reading.object, reading.noun) if word is not None}
    for noun in nouns.values():
        small = [child.text.lower() for child in tree.children(noun, "det", "preconj", "cc", "case", "neg", "advmod")]
        denials += any(word in {"no", "neither", "nor", "without"} for word in small)
        denials += noun.case == "without"
        denials += tree.head(noun).lemma in {"lack", "absence"} and noun == reading.noun
    return denials % 2 == 1


def _hedged(tree: Tree, reading: Reading) -> bool:
    """Whether the sentence only supposes the claim: may, might, suggest, possibly, potential."""
    chain = _governors(tree, reading.anchor)
    around = [child for word in chain for child in tree.children(word, "aux", "advmod", "acomp")] + chain
    around += [child for noun in (reading.noun, reading.object) if noun for child in tree.children(noun, "amod")]
    return any(word.lemma in predicates().words["hedging"] for word in around)
