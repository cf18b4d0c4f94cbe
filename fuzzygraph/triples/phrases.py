"""Noun phrases: which words one end of a claim covers, and which concept it is about.

"Symptoms of pneumonia" is about pneumonia, "TP53 mutations" about TP53, "loss of PTEN" and "reduced PTEN" about PTEN
turned round, "ACE inhibition by captopril", as what does something, about captopril.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from fuzzygraph.triples.predicates import predicates
from fuzzygraph.triples.syntax import Tree, Word
from groundwork.polarity import Sign

#: Branches that belong to the sentence or to a neighbour and not to the noun phrase itself.
_OUTSIDE = frozenset(
    {"conj", "cc", "relcl", "acl", "appos", "case", "preconj", "advcl", "neg", "mark", "aux", "auxpass", "advmod"}
    | {"nsubj", "nsubjpass", "parataxis", "ccomp", "xcomp"}
)
#: Prepositions that lead from a phrase's head to what it is about, the surest first.
_INWARDS = ("of", "such as", "like", "including", "with", "for", "in", "to", "against", "on", "from", "by")
_HYPHENS = frozenset({"-", "‐", "‑", "–"})
_MODIFIERS = ("compound", "amod", "nmod", "poss", "npadvmod", "nummod")


@dataclass(frozen=True, slots=True)
class End:
    """One end of a claim.

    Attributes:
        text: The noun phrase.
        start: Offset of its first character in the sentence.
        end: Offset after its last.
        word: The word it is about: a concept's name where there is one.
        sign: -1 if the phrase turns its concept round ("loss of").
        generic: It stands for somebody or something unsaid ("the patient", "she").
        directed: It says more or less of its concept ("reduced risk of").
    """

    text: str
    start: int
    end: int
    word: Word
    sign: Sign = 1
    generic: bool = False
    directed: bool = False


def ends(tree: Tree, word: Word, *, doing: bool = False) -> list[End]:
    """What a subject or object is about, each member of a coordination apart.

    Args:
        tree: The sentence.
        word: The head of the subject or object.
        doing: It is what does something: of "inhibition of A by B", B.
    """
    found: dict[int, End] = {}
    for member in tree.conjuncts(word):
        agent = _agent(tree, member) if doing else None
        about, shown, sign, directed = _about(tree, agent or member)
        for each in tree.conjuncts(about) if about != member else [about]:
            start, end = _extent(tree, each if about != shown or each != about else shown)
            generic = not each.named and predicates().knows("somebody", each.lemma)
            found.setdefault(each.index, End(tree.text[start:end], start, end, each, sign, generic, directed))
    return list(found.values())


def bare(tree: Tree, word: Word) -> End:
    """A noun phrase as it stands, about its own head: what the paper's rule takes for an end."""
    start, end = _extent(tree, word)
    return End(tree.text[start:end], start, end, word, 1, predicates().knows("somebody", word.lemma))


def _agent(tree: Tree, word: Word) -> Word | None:
    """Who does what a noun tells of: captopril in "ACE inhibition by captopril"."""
    if word.lemma not in predicates().words["doing"]:
        return None
    return next(
        (child for child in tree.children(word, "obl") if child.case == "by" and _holds_name(tree, child)), None
    )


def _about(tree: Tree, word: Word) -> tuple[Word, Word, Sign, bool]:
    """The word a phrase is about, the head of the phrase to show, the sign picked up on the way, and if it is said.

    Towards a named concept the way leads through modifiers, then prepositions. Without one it leads only through
    words that stand for what they are a measure of ("symptoms of").
    """
    sign, directed = 1, False
    shown = word
    for _ in range(len(tree.words)):
        said = directions(tree, word)
        sign, directed = sign * prod(said), directed or bool(said)
        if word.named:
            break
        below, prepositional = _next(tree, word)
        if below is None:
            break
        if word.lemma in predicates().words["reversing"]:
            sign = -sign
        word = below
        shown = below if prepositional else shown
    return word, shown, 1 if sign > 0 else -1, directed


def directions(tree: Tree, word: Word) -> list[Sign]:
    """What a phrase's head and the words before it say of more and less: "increase in", "reduced", "lower".

    A dose says nothing of the kind (a lower dose of X is X), nor does "lower" of a place ("lower limb").
    """
    table = predicates().words
    if word.lemma in table["dosing"]:
        return []
    before = [child for child in tree.children(word, "amod", "nmod", "compound") if child.index < word.index]
    before = [child for child in before if tree.words[child.index + 1].text not in _HYPHENS]
    said = [child.text.lower() for child in before if tree.words[child.index + 1].lemma not in table["location"]]
    said += [word.lemma] if word.lemma in table["less"] | table["more"] and not word.named else []
    return [-1 if text in table["less"] else 1 for text in said if text in table["less"] | table["more"]]


def _next(tree: Tree, word: Word) -> tuple[Word | None, bool]:
    """One step inwards from a phrase's head, and whether over a preposition."""
    modifiers = [child for child in tree.children(word, *_MODIFIERS) if child.index < word.index]
    named = next((child for child in modifiers if _holds_name(tree, child)), None)
    if named is not None:
        return named, False
    appositions = [child for child in tree.children(word, "appos") if child.named]
    obliques = [child for preposition in _INWARDS for child in tree.children(word, "obl") if child.case == preposition]
    named = next((child for child in [*appositions, *obliques] if _holds_name(tree, child)), None)
    if named is not None:
        return named, True
    if predicates().knows("measure", word.lemma) or predicates().knows("reversing", word.lemma):
        return next((child for child in obliques if child.case == "of"), None), True
    return None, False


def _holds_name(tree: Tree, word: Word) -> bool:
    outside = frozenset({"relcl", "acl", "advcl"})
    return any(below.named for below in tree.subtree(word, outside))


def _extent(tree: Tree, word: Word) -> tuple[int, int]:
    """Where the noun phrase of a word starts and ends: the unbroken stretch around it, "of" phrases included."""
    inside = {below.index for below in _phrase(tree, word)}
    first = last = word.index
    # "Dyskinesia" alone in "levodopa-induced dyskinesia": what stands before the participle is the other end.
    while first - 1 in inside and not predicates().knows("participle", tree.words[first - 1].text.lower()):
        first -= 1
    while last + 1 in inside:
        last += 1
    return tree.words[first].start, tree.words[last].end


def _phrase(tree: Tree, word: Word) -> Iterator[Word]:
    yield word
    for child in tree.children(word):
        joined = child.tag == "HYPH" or (child.dep != "punct" and child.dep not in _OUTSIDE)
        joined = joined and child.text.lower() not in {"neither", "either", "both"}
        if child.dep == "obl" and child.case == "of":
            yield from tree.children(child, "case")
        elif child.dep == "obl":
            joined = False
        if joined:
            yield from _phrase(tree, child)
