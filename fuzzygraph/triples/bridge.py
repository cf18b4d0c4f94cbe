"""Claims between two named concepts: their names are known first, then the way between them is read.

The shortest way through the dependency tree from one name to the other climbs to a common word and down again. If
that way passes a word of the predicate table, the word is the predicate; if not, and a verb joins the two, the verb
is. A way through nothing but "and" says nothing.
"""

from itertools import combinations

from fuzzygraph.triples.clauses import Reading, is_passive, noun_name
from fuzzygraph.triples.predicates import Meaning, predicates
from fuzzygraph.triples.syntax import Tree, Word
from fuzzygraph.triples.triple import Triple, claims

#: Names of one sentence that are joined by twos; a real one seldom has twenty.
_NAMES = 40


def bridges(tree: Tree) -> list[Triple]:
    """One claim for each two names that a predicate joins, flagged `path`; nearer names first."""
    names = [word for word in tree.words if word.named][:_NAMES]
    pairs = sorted(combinations(names, 2), key=lambda pair: (len(way(tree, *pair)), pair[0].index, pair[1].index))
    found = (_bridge(tree, first, second) for first, second in pairs)
    return [triple for triple in found if triple is not None]


def way(tree: Tree, first: Word, second: Word) -> list[Word]:
    """The words from one word to another through the tree, both included."""
    up, down = list(tree.above(first)), list(tree.above(second))
    common = next(word for word in up if word in down)
    return [*up[: up.index(common) + 1], *reversed(down[: down.index(common)])]


def _bridge(tree: Tree, first: Word, second: Word) -> Triple | None:
    """The claim on the way between two names, None if nothing on it says one."""
    between = [word for word in way(tree, first, second)[1:-1] if not word.named]
    senses = [(word, _sense(tree, word)) for word in between]
    word, meaning = next(((w, m) for w, m in senses if m is not None), (None, None))
    if word is None:
        word = next((w for w in between if w.is_verb and w.lemma not in {"be", "have"}), None)
    if word is None:
        return None
    passive = is_passive(tree, word)
    subject, target = (second, first) if passive and second.case == "by" else (first, second)
    reading = Reading(subject, target, word, word.text, word.lemma, meaning, ("path",))
    return next((c for c in claims(tree, reading) if (c.subject.word, c.object.word) == (subject, target)), None)


def _sense(tree: Tree, word: Word) -> Meaning | None:
    """What the table says of a word on the way, with whatever preposition."""
    kind = "verb" if word.is_verb else "adjective" if word.tag.startswith("JJ") else "noun"
    name = noun_name(tree, word) if kind == "noun" else word.lemma
    senses = predicates().meanings[kind].get(name or "", {})
    return next((meaning for meaning in senses.values() if not meaning.turned), None)
