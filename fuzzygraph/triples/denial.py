"""Whether a sentence denies a claim, and whether it only supposes it."""

from fuzzygraph.triples.clauses import Reading
from fuzzygraph.triples.predicates import predicates
from fuzzygraph.triples.syntax import Tree, Word

_DENYING = frozenset({"no", "neither", "nor", "without"})
#: Nouns whose "no ... of" or "no ... that" denies what they stand over.
_PROOF = frozenset({"evidence", "proof", "indication", "sign", "suggestion", "case", "instance"})


def denied(tree: Tree, reading: Reading) -> bool:
    """Whether the sentence denies the claim: not, no, neither, nor, fails to, without, lack of. Two make none."""
    failing = predicates().words["failing"]
    chain = _governors(tree, reading.anchor)
    denials = sum(any(_negated(tree, verb) for verb in _level(tree, word)) for word in chain)
    over = _supporting(tree, chain)
    denials += sum(word.lemma in failing for word in [*chain, *over]) + (reading.anchor.case == "without")
    denials += any(_none(tree, word) for word in over)
    nouns = {word.index: word for word in (reading.subject, reading.object, reading.noun) if word is not None}
    for noun in nouns.values():
        small = [child.text.lower() for child in tree.children(noun, "det", "preconj", "cc", "case", "neg", "advmod")]
        denials += any(word in _DENYING for word in small)
        denials += noun.case == "without"
        denials += noun == reading.noun and _denied_above(tree, noun)
    return denials % 2 == 1


def hedged(tree: Tree, reading: Reading) -> bool:
    """Whether the sentence only supposes the claim: may, might, suggest, possibly, potential."""
    chain = _governors(tree, reading.anchor)
    around = [child for word in chain for child in tree.children(word, "aux", "advmod", "acomp")] + chain
    around += [child for noun in (reading.noun, reading.object) if noun for child in tree.children(noun, "amod")]
    around += _supporting(tree, chain)
    return any(word.lemma in predicates().words["hedging"] for word in around)


def _governors(tree: Tree, anchor: Word) -> list[Word]:
    """The predicate and what it is a complement of ("failed to prevent", "suggest that it prevents")."""
    chain = [anchor]
    while True:
        top = _level(tree, chain[-1])[-1]
        above = tree.head(top)
        if top.dep == "relcl" and above.dep == "attr":  # "is not a drug that lowers"
            above = tree.head(above)
        elif top.dep not in {"xcomp", "ccomp", "acomp"}:
            return chain
        if above in chain:
            return chain
        chain.append(above)


def _level(tree: Tree, verb: Word) -> list[Word]:
    """The verb and those before it with which it shares what denies them: "did not treat gout or prevent it"."""
    level = [verb]
    while level[-1].dep == "conj" and level[-1].tag in {"VB", "VBN", "VBG"}:
        last, first = level[-1], tree.head(level[-1])
        own = [child for child in tree.children(last, "aux", "auxpass", "nsubj", "nsubjpass") if child.lemma != "to"]
        joints = [child.text.lower() for child in tree.children(first, "cc") if child.index < last.index]
        if own or not first.is_verb or joints[-1:] == ["but"] or first in level:
            break
        level.append(first)
    return level


def _negated(tree: Tree, verb: Word) -> bool:
    """Whether "not", "neither" or "nor" stands at the verb itself."""
    small = tree.children(verb, "cc", "preconj", "det", "advmod")
    before = [child for child in small if child.index < verb.index]
    joints = [child for child in tree.children(tree.head(verb), "cc") if child.index < verb.index]
    nor = verb.dep == "conj" and [joint.text.lower() for joint in joints][-1:] == ["nor"]
    return bool(tree.children(verb, "neg")) or nor or any(child.text.lower() in {"neither", "nor"} for child in before)


def _supporting(tree: Tree, chain: list[Word]) -> list[Word]:
    """What stands over a whole claim: "evidence" of "no evidence that it prevents", "unlikely" of "it is unlikely"."""
    last = chain[-1]
    that = any(child.lemma == "that" for child in tree.children(last, "mark"))
    nouns = [tree.head(last)] if last.dep == "acl" and that else []
    judged = [word for governor in chain[1:] for word in tree.children(governor, "acomp") if word not in chain]
    return [*nouns, *judged]


def _denied_above(tree: Tree, noun: Word) -> bool:
    """Whether a relational noun stands below one that denies it: "lack of", "no evidence of an association"."""
    above = tree.head(noun)
    proof = noun.case == "of" and above.lemma in _PROOF
    return above.lemma in {"lack", "absence"} or (proof and _none(tree, above))


def _none(tree: Tree, noun: Word) -> bool:
    """Whether there is none of what a noun names, or next to none: "no evidence", "little evidence"."""
    return any(child.text.lower() in {"no", "little"} for child in tree.children(noun, "det", "amod"))
