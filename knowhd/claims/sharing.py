"""Complete a separated clause with the words that it shared with the clause above it."""

from dataclasses import replace

from groundwork.reading.tree import Word
from knowhd.claims.clause import HELPING, RELATIVE, Clause, subtree
from knowhd.claims.verbs import plural, third

#: Dependency labels of complements that a verb can share with a verb joined to it.
_OBJECTS = frozenset({"dobj", "prep", "agent", "acomp", "attr", "xcomp", "ccomp", "dative", "oprd"})


def completed(own: Clause, kind: str, both: Clause, other: Clause) -> Clause:
    """Return a separated clause, completed with the words that it shared with the clause above it.

    Args:
        own: The separated clause.
        kind: How it depended on the clause above: joined, relative, apposition, participle or adverbial.
        both: The clause above, including the separated clause.
        other: The clause above, without the separated clause.
    """
    if kind == "joined":
        return _joined(both, other, own)
    if kind == "relative":
        return _relative(both, own)
    if kind == "apposition":
        return _apposition(both, own)
    return _participle(other, own) if kind == "participle" else own


def _joined(both: Clause, other: Clause, own: Clause) -> Clause:
    """Complete a coordinated verb with the words that it shares: "A lowers B and raises C".

    If the coordinated verb has its own subject, it shares only the adverbial clauses in front of the first verb.
    """
    children = other.children()
    if own.subject is not None:
        front = [subtree(own.tree, each) for each in children if each.dep == "advcl" and each.index < other.head.index]
        commas = (max(each) + 1 for each in front if own.tree.words[max(each) + 1].text == ",")
        return replace(own, words=own.words.union(*front, commas))
    helping = [child for child in children if child.dep in HELPING | {"neg"}]
    takes = _takes(own, helping)
    gone = set() if takes else {child.index for child in helping}
    if other.subject is not None:
        gone |= {each.index for each in children if each.dep == "advmod" and each.index > other.subject.index}
    shared = {index for index in other.words if index < other.head.index} - gone
    shared |= {other.head.index} if takes and other.head.lemma == "be" and own.head.tag != "VB" else set()
    finite = other.finite if other.finite and other.finite.index in shared else own.finite
    words = replace(own, words=own.words | shared, told=other.told, subject=other.subject, finite=finite)
    return with_object(words, both, other.head)


def _takes(own: Clause, helping: list[Word]) -> bool:
    """Return whether the auxiliaries of the first verb also apply to a clause: "is lowered and raised"."""
    passive = any(child.dep == "auxpass" for child in helping) and not any(c.dep == "dobj" for c in own.children())
    if any(child.dep in HELPING for child in own.children()):
        return False
    if own.head.tag not in {"VB", "VBN", "VBG"}:
        return own.head.tag == "VBD" and passive  # "was amplified and subcloned"
    modal = any(child.tag == "MD" or child.lemma == "do" for child in helping)
    return own.head.tag != "VB" or modal or not helping


def with_object(clause: Clause, both: Clause, other: Word) -> Clause:
    """Complete a clause whose verb has no object with the object of the verb joined to it: "A binds and inhibits B"."""
    behind = [child for child in both.children(clause.head) if child.dep not in {"conj", "cc", "punct"}]
    if any(child.index > clause.head.index for child in behind):
        return clause
    last = max(clause.head.index, other.index)
    after = (child for child in both.children(other) if child.index > last)
    # The parser often labels the name of a concept after a comma as an adverbial noun, although it is an object.
    objects = (each for each in after if each.dep in _OBJECTS or (each.dep == "npadvmod" and each.mention is not None))
    return replace(clause, words=clause.words.union(*(subtree(both.tree, child) for child in objects)))


def _relative(both: Clause, own: Clause) -> Clause:
    """Replace "which" by its noun: "B, which lowers C" becomes "B lowers C"."""
    noun = own.tree.words[own.head.head]
    pronoun = next(word for word in own.below(own.subject) if word.tag in RELATIVE)
    named = both.phrase(word for word in both.below(noun) if word.index < min(own.words) - 1)
    told = own.tell({pronoun.index: named})
    return replace(told, subject=noun) if own.subject == pronoun else told


def _apposition(both: Clause, own: Clause) -> Clause:
    """Turn an apposition into a sentence: "A, a drug" becomes "A is a drug".

    A is the concept before the comma. If no concept is there, A is the noun on which "drug" depends in the parse.
    """
    comma = min(own.words) - 1
    before = own.tree.words[comma - 1]
    noun = before if before.mention is not None else own.tree.words[own.head.head]
    words = own.words | {comma, *(word.index for word in both.below(noun) if word.index < comma)}
    return replace(own, subject=noun, finite=own.head, words=words, told={comma: "are" if plural(noun) else "is"})


def _participle(other: Clause, own: Clause) -> Clause:
    """Turn a participle into a verb: "A lowers B, raising C" becomes "A raises C"."""
    verb = own.head
    said = verb.lemma if other.subject is not None and plural(other.subject) else third(verb.lemma)
    gone = {child.index for child in other.children() if child.dep == "advmod"}
    front = {index for index in other.words if index < other.head.index} - gone
    told = {**other.told, verb.index: said}
    return replace(own, subject=other.subject, finite=verb, words=own.words | front, told=told)
