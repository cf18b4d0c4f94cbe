"""The paper's rule for triples (paper B, section 5), beside the better one of triple.py.

Strict: s -nsubj-> p, o -dobj|attr|acomp-> p, p is the ROOT. Relaxed: any nsubj and any dobj|attr|acomp of the
sentence, without the ROOT. Ends are the words found there: of "The patient exhibits symptoms of pneumonia" the rule
gives "symptoms of pneumonia", not the paper's own example's "pneumonia".
"""

from fuzzygraph.triples.phrases import bare
from fuzzygraph.triples.predicates import predicates, sign_of
from fuzzygraph.triples.syntax import Tree, Word
from fuzzygraph.triples.triple import Triple

_OBJECTS = ("dobj", "attr", "acomp")


def strict(tree: Tree) -> list[Triple]:
    """Triples whose subject and object both hang on the root."""
    return [
        _triple(tree, subject, root, target, "strict")
        for root in tree.words
        if root.head == root.index
        for subject in tree.children(root, "nsubj")
        for target in tree.children(root, *_OBJECTS)
    ]


def relaxed(tree: Tree) -> list[Triple]:
    """The fallback: the first subject and the first object anywhere; the subject's governor is the predicate."""
    subject = next((word for word in tree.words if word.dep == "nsubj"), None)
    target = next((word for word in tree.words if word.dep in _OBJECTS), None)
    if subject is None or target is None:
        return []
    return [_triple(tree, subject, tree.head(subject), target, "fallback")]


def _triple(tree: Tree, subject: Word, verb: Word, target: Word, rule: str) -> Triple:
    meaning = predicates().meaning("verb", verb.lemma)
    relation = meaning.relation if meaning is not None else None
    negated = bool(tree.children(verb, "neg"))
    first, second = bare(tree, subject), bare(tree, target)
    flags = (rule, "generic_subject") if first.generic else (rule,)
    return Triple(first, verb.text, relation, second, negated, sign_of(verb.lemma, relation), flags)
