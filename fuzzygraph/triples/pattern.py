"""The paper's rule for triples (paper B, section 5): grammatical subject, verb, object.

Strict: the subject (nsubj) and the object (dobj, attr or acomp) both depend on the root of the sentence. Relaxed: the
first nsubj and the first dobj, attr or acomp of the sentence, whether or not they depend on the root. Two of the
paper's own examples need one extension each. A verb without any of these objects takes the object of its preposition
("suffers from fatigue"). If "of" follows an object, the noun after "of" becomes the object ("symptoms of pneumonia").
"""

from collections.abc import Iterator

from fuzzygraph.triples.predicates import predicate_of
from fuzzygraph.triples.triple import Triple, end_of
from groundwork.reading.tree import Tree, Word

_OBJECTS = frozenset({"dobj", "attr", "acomp"})


def strict(tree: Tree) -> list[Triple]:
    """Return the triples whose subject and object both depend on the root."""
    roots = [word for word in tree.words if word.head == word.index]
    return [
        _triple(tree, subject, root, path, "strict")
        for root in roots
        for subject in tree.children(root, "nsubj")
        for path in _objects(tree, root)
    ]


def relaxed(tree: Tree) -> list[Triple]:
    """Return the triple of the first subject, its governor, and the first object; empty if one of them is missing."""
    subject = next((word for word in tree.words if word.dep == "nsubj"), None)
    target = next((word for word in tree.words if word.dep in _OBJECTS), None)
    if subject is None or target is None:
        return []
    return [_triple(tree, subject, tree.words[subject.head], [target], "fallback")]


def _objects(tree: Tree, verb: Word) -> Iterator[list[Word]]:
    """Yield for each object of a verb a list: the preposition that leads to the object, if any, and the object."""
    direct = [[word] for word in tree.children(verb, *_OBJECTS)]
    prepositional = ([word, end] for word in tree.children(verb, "prep") for end in tree.children(word, "pobj"))
    yield from direct or prepositional


def _triple(tree: Tree, subject: Word, verb: Word, path: list[Word], rule: str) -> Triple:
    """Return the triple of a subject, a verb and a path: the words that lead from the verb to the object.

    The last word of the path is the object. If "of" follows this word, the noun after "of" becomes the object. An
    attribute (`attr` or `acomp`) belongs to the predicate: in "is a symptom of B", the predicate is "is symptom of".
    """
    of = (child for child in tree.children(path[-1], "prep") if child.lemma == "of")
    inner = [each for word in of for each in (word, *tree.children(word, "pobj"))][:2]
    words = [verb, *path, *inner[:1]] if path[-1].dep in {"attr", "acomp"} else [verb, *path[:-1]]
    said = " ".join(word.text for word in words)
    first, second = end_of(tree, subject), end_of(tree, (path + inner)[-1])
    meaning = predicate_of([verb, *path, *inner])
    flags = (rule, "generic_subject") if first.generic else (rule,)
    return Triple(first, said, meaning.relation, second, bool(tree.children(verb, "neg")), meaning.sign, flags)
