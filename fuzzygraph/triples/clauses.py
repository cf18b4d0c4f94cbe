"""Predicates of a sentence, read off its dependencies, with the words at their ends.

Four kinds, the surest first: verbs (active, passive, with prepositions, in relative and infinitive clauses),
predicates that a light verb carries ("is an inhibitor of", "plays a role in", "is effective against"), nouns that
hold both their ends ("association between X and Y", "inhibition of Y by X"), and compounds ("X-induced Y").
"""

from collections.abc import Iterator
from dataclasses import dataclass

from fuzzygraph.triples.predicates import DIRECT, Meaning, predicates
from fuzzygraph.triples.syntax import Tree, Word

_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
_CLAUSES = frozenset({"relcl", "acl", "advcl"})
_RELATIVE = frozenset({"which", "that", "who", "whose", "whom"})


@dataclass(frozen=True, slots=True)
class Reading:
    """A predicate with both its ends still as words.

    Attributes:
        subject: Head of the subject.
        object: Head of the object.
        anchor: The word whose negations and hedges are the claim's.
        text: The predicate as written.
        word: The word whose sign counts.
        meaning: What the table says of it.
        flags: How it was read.
        noun: A noun within the predicate, which may be denied itself ("no effect on").
    """

    subject: Word
    object: Word
    anchor: Word
    text: str
    word: str
    meaning: Meaning | None
    flags: tuple[str, ...] = ()
    noun: Word | None = None


def readings(tree: Tree) -> Iterator[Reading]:
    """Every predicate of a sentence with the words at its ends."""
    for word in tree.words:
        if word.is_verb and word.dep not in {"aux", "auxpass", "amod"}:
            yield from _verbal(tree, word)
    for word in tree.words:
        if not word.named and noun_name(tree, word):
            yield from _nominal(tree, word)
    yield from _compounds(tree)


def _verbal(tree: Tree, verb: Word) -> Iterator[Reading]:
    """Readings of a verb: what it does to its objects, and what is done to its subjects."""
    subjects = subjects_of(tree, verb)
    if is_passive(tree, verb):
        for subject in subjects:
            yield from _passive(tree, verb, subject)
        return
    objects = [_meant(tree, verb, word) for word in _shared(tree, verb, "dobj", "dative")] or _gerunds(tree, verb)
    if verb.dep == "relcl" and not objects and not _is_relative(tree, verb):
        objects = [tree.head(verb)]  # "the kinase imatinib inhibits"
    for subject in subjects:
        for target in objects:
            # "exhibits symptoms of Y" exhibits Y; "has an effect on Y" affects it.
            carriers = [] if predicates().knows("measure", target.lemma) else [target]
            carried = list(_carried(tree, verb, subject, carriers))
            yield from carried or [Reading(subject, target, verb, verb.text, verb.lemma, _verb(verb))]
        yield from _carried(tree, verb, subject, tree.children(verb, "attr", "acomp", "oprd"))
        yield from _prepositional(tree, verb, subject)
    for target in objects:
        yield from (r for r in _prepositional(tree, verb, target) if r.meaning is not None and r.meaning.turned)


def _shared(tree: Tree, verb: Word, *deps: str) -> list[Word]:
    """What a verb governs; of one that stands beside another and has nothing of its own, what that governs.

    "Prevents and treats stroke" prevents it too, and "caused or worsened by aspirin" is caused by aspirin.
    """
    own = tree.children(verb, *deps)
    if own or _verb(verb) is None or tree.children(verb, "obl", "xcomp", "ccomp", "attr", "acomp"):
        return own
    beside = [child for child in tree.children(verb, "conj") if child.tag == verb.tag]
    between = tree.words[verb.index + 1 : beside[0].index] if beside else ()
    adjacent = all(word.dep in {"cc", "advmod", "punct", "preconj"} for word in between)
    return tree.children(beside[0], *deps) if beside and adjacent else []


def _gerunds(tree: Tree, verb: Word) -> list[Word]:
    """Nouns in -ing that a transitive verb was given as a verb of its own: "aspirin causes bleeding"."""
    if _verb(verb) is None:
        return []
    return [word for word in tree.children(verb, "xcomp") if word.tag == "VBG" and not tree.children(word)]


def _prepositional(tree: Tree, verb: Word, subject: Word) -> Iterator[Reading]:
    """Verbs with prepositions: "leads to", "suffers from"; those the table lacks only where there is no object."""
    complete = bool(tree.children(verb, "dobj", "attr", "acomp", "xcomp", "ccomp"))
    for oblique in tree.children(verb, "obl"):
        meaning = _verb(verb, oblique.case)
        if meaning is not None or not complete:
            yield Reading(subject, oblique, verb, f"{verb.text} {oblique.case}", verb.lemma, meaning)


def _passive(tree: Tree, verb: Word, subject: Word) -> Iterator[Reading]:
    """What is done to a passive subject, and by whom; other prepositions as the table has them."""
    obliques = _shared(tree, verb, "obl")
    mutual = _verb(verb, "with")
    if mutual is not None and not mutual.turned and not obliques:  # "A and B are correlated"
        yield from (Reading(subject, b, verb, verb.text, verb.lemma, mutual) for b in tree.conjuncts(subject)[1:])
    yield from _carried(tree, verb, subject, obliques)
    for oblique in obliques:
        meaning = _verb(verb, oblique.case)
        if oblique.case == "by" and meaning is None:
            yield Reading(oblique, subject, verb, verb.text, verb.lemma, _verb(verb), ("passive",))
        elif meaning is not None:
            flags = ("passive",) if meaning.turned else ()
            yield Reading(subject, oblique, verb, f"{verb.text} {oblique.case}", verb.lemma, meaning, flags)


def _carried(tree: Tree, verb: Word, subject: Word, carriers: list[Word]) -> Iterator[Reading]:
    """Predicates that a light verb carries: "is an inhibitor of", "has no effect on", "is used for treatment of"."""
    if not predicates().knows("light", verb.lemma):
        return
    for noun in carriers:
        kind = "adjective" if noun.dep == "acomp" or noun.tag.startswith("JJ") else "noun"
        name = noun.lemma if kind == "adjective" else noun_name(tree, noun)
        if noun.named or name is None:
            continue
        for target in [*tree.children(noun, "obl"), *tree.children(verb, "obl")]:
            meaning = predicates().meaning(kind, name, target.case)
            if meaning is not None and target != noun:
                text = f"{verb.text} {noun.text} {target.case}"
                yield Reading(subject, target, verb, text, noun.lemma, meaning, (), noun)
        meaning = predicates().meaning(kind, name, "of")
        for target in tree.children(noun, "compound", "amod", "nmod"):
            if target.named and meaning is not None:  # "is a COX-2 inhibitor"
                yield Reading(subject, target, verb, f"{verb.text} {noun.text}", noun.lemma, meaning, (), noun)


def _nominal(tree: Tree, noun: Word) -> Iterator[Reading]:
    """Nouns that hold both ends: "association between X and Y", "role of X in Y", "inhibition of Y by X"."""
    governor = tree.head(noun)
    carried = noun.dep in {"nsubj", "nsubjpass", "dobj", "attr"} and predicates().knows("light", governor.lemma)
    anchor = governor if carried else noun
    obliques = tree.children(noun, "obl") + (tree.children(governor, "obl") if carried else [])
    meaning = next(iter(predicates().meanings["noun"][noun_name(tree, noun) or ""].values()))
    for first, second, case in _held(tree, noun, obliques):
        yield Reading(first, second, anchor, f"{noun.text} {case}", noun.lemma, meaning, ("nominal",), noun)


def _held(tree: Tree, noun: Word, obliques: list[Word]) -> Iterator[tuple[Word, Word, str]]:
    """(subject, object, preposition) of the ends that a relational noun holds."""
    doing = noun.lemma in predicates().words["doing"]
    for first in obliques:
        if first.case == "between":
            yield from ((first, second, "between") for second in tree.conjuncts(first)[1:])
        for second in obliques if first.case == "of" else []:
            if doing and second.case in {"by", "with", "using"}:
                yield second, first, "of"
            elif not doing and second.case in {"in", "on", "with", "to", "for"}:
                yield first, second, second.case


def _compounds(tree: Tree) -> Iterator[Reading]:
    """Compounds with a participle: cisplatin-induced nephrotoxicity."""
    for word in tree.words[2:-1]:
        meaning = predicates().meaning("participle", word.text.lower(), "")
        name, hyphen = tree.words[word.index - 2], tree.words[word.index - 1]
        if meaning is not None and hyphen.text in {"-", "‐", "‑", "–"}:
            target = tree.head(word) if word.head > word.index else tree.words[word.index + 1]
            yield Reading(name, target, target, f"-{word.text}", word.text.lower(), meaning, ("compound",))


def noun_name(tree: Tree, noun: Word) -> str | None:
    """A relational noun as the table names it, compounds first ("risk factor"); None if it is none."""
    if not noun.is_noun:
        return None
    names = [f"{child.lemma} {noun.lemma}" for child in tree.children(noun, "compound", "amod")]
    return next((name for name in [*names, noun.lemma] if name in predicates().meanings["noun"]), None)


def is_passive(tree: Tree, verb: Word) -> bool:
    """Whether a verb's subject is what it is done to."""
    if tree.children(verb, "nsubjpass", "csubjpass", "auxpass"):
        return True
    if verb.tag != "VBN" or tree.children(verb, "aux", "dobj"):
        return False
    return verb.dep == "acl" or (verb.dep == "conj" and is_passive(tree, tree.head(verb)))


def subjects_of(tree: Tree, verb: Word) -> list[Word]:
    """A verb's subjects: its own, a relative pronoun's noun, or those of the verb that governs it."""
    own = tree.children(verb, *_SUBJECTS)
    if own:
        return [_meant(tree, verb, subject) for subject in own]
    if verb.dep in {"acl", "relcl"}:
        return _named_by(tree, tree.head(verb))
    if verb.dep in {"conj", "xcomp", "advcl", "acomp", "ccomp", "attr"} and verb.head != verb.index:
        return subjects_of(tree, tree.head(verb))
    return []


def _meant(tree: Tree, verb: Word, word: Word) -> Word:
    """The noun a relative pronoun stands for; any other word itself."""
    return _named_by(tree, tree.head(verb))[0] if verb.dep == "relcl" and word.lemma in _RELATIVE else word


def _named_by(tree: Tree, noun: Word) -> list[Word]:
    """The noun, or where it only says what something is, that: "nifedipine is a drug that lowers"."""
    be = tree.head(noun)
    subjects = tree.children(be, "nsubj") if noun.dep == "attr" and be.lemma == "be" else []
    return subjects if subjects and not any(word.named for word in tree.subtree(noun, _CLAUSES)) else [noun]


def _is_relative(tree: Tree, verb: Word) -> bool:
    """Whether the verb's own subject is the relative pronoun ("which damages DNA", not "that EGFR drives")."""
    return all(subject.lemma in _RELATIVE for subject in tree.children(verb, *_SUBJECTS))


def _verb(verb: Word, preposition: str = DIRECT) -> Meaning | None:
    return predicates().meaning("verb", verb.lemma, preposition)
