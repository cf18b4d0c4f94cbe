"""Clauses of a sentence that each state something.

A clause that hangs on another one is cut off if it is stated by itself. All other clauses, such as conditions, stay
where they are. `sharing` writes what two clauses share in both.
"""

from collections.abc import Iterator

from groundwork.reading.tree import Tree, Word
from knowhd.claims.clause import HELPING, TENSED, Clause, clause_of, subtree
from knowhd.claims.sharing import RELATIVE, alone, says_of_subject, with_object
from knowhd.claims.verbs import raised
from knowhd.claims.words import listed

VERBS = TENSED | {"VB", "VBN", "VBG", "MD"}
#: Labels below which no clause is looked for.
_CLOSED = frozenset({"advcl", "ccomp", "conj", "csubj", "pcomp", "relcl", "acl"})
_AND = frozenset({"and", "but", "yet", ","})
_JOINTS = _AND | {"or", "so"}


def clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence that each state something, in order."""
    root = next((word for word in tree.words if word.head == word.index), None)
    if root is None:
        return []
    whole = clause_of(tree, root, frozenset(range(len(tree.words))))
    return sorted(_parted(whole), key=lambda clause: clause.head.index)


def _parted(clause: Clause) -> Iterator[Clause]:
    """A clause without those that hang on it, and each of those."""
    tree = clause.tree
    apart = list(_apart(clause))
    own = clause.without(index for word, _ in apart for index in subtree(tree, word) | _joint(tree, word))
    joined = [word for word, kind in apart if kind == "joined" and clause_of(tree, word, own.words).subject is None]
    yield raised(with_object(own, clause, joined[0]) if joined else own)
    for word, kind in apart:
        yield from _parted(alone(clause, own, word, kind))


def _apart(clause: Clause) -> Iterator[tuple[Word, str]]:
    """Heads of the clauses that hang on a clause and are stated by themselves, and how each hangs on it."""
    waiting = clause.children()
    while waiting:
        word = waiting.pop(0)
        if kind := _kind(clause, word):
            yield word, kind
        elif word.dep not in _CLOSED:
            waiting += clause.children(word)


def _kind(clause: Clause, word: Word) -> str:
    """How a word's clause hangs on another; empty if it heads none that is stated by itself."""
    tree, head = clause.tree, clause.head
    own = clause_of(tree, word, clause.words)
    first = min(subtree(tree, word))
    comma = tree.words[first - 1].text == ","
    if word.dep == "appos":
        article = tree.words[first].text.lower() in {"a", "an", "the"}
        return "apposition" if comma and article and _behind(tree, word) else ""
    if word.lemma == "do":
        return ""  # "whereas C does not": what it does stands in the other clause
    if word.dep == "relcl":
        asking = [each for each in own.below(word) if each.tag in RELATIVE | {"WRB"}]
        pronoun = own.subject and [each.tag in RELATIVE for each in asking] == [True]
        pronoun = pronoun and own.subject in tree.above(asking[0]) and not _goes_on(tree, word)
        known = (comma and _behind(tree, word)) or says_of_subject(clause, word)
        return "relative" if pronoun and known else ""
    if word.dep == "conj":
        verbal = word.tag in VERBS and word.head == head.index and (own.finite or own.subject is None)
        return "joined" if verbal and _joins(clause, own) else ""
    if word.tag == "VBG" and own.subject is None:
        return "participle" if comma and _participle(clause, word) else ""
    if word.dep == "advcl" and word.head == head.index and own.subject and own.finite:
        return "adverbial" if _asserted(clause, word, set_off=comma or word.index < head.index) else ""
    return ""


def _asserted(clause: Clause, word: Word, *, set_off: bool) -> bool:
    """Whether an adverbial clause is stated too: "although A", or "because A" of what is not denied or conditional."""
    children = clause.children(word)
    mark = next((child for child in children if child.dep == "mark"), None)
    said = mark.text.lower() if mark else ""
    weighed = any(child.dep in {"advmod", "neg"} and mark and child.index < mark.index for child in children)
    if weighed or said not in listed("assertive") | (listed("assertive,") if set_off else frozenset()):
        return False
    rest = clause.words - subtree(clause.tree, word)
    words = {clause.tree.words[index].text.lower() for index in rest}
    reason = said in {"because", "since", "as"}
    return not (reason and (words & listed("condition") or (not set_off and words & listed("denying"))))


def _goes_on(tree: Tree, word: Word) -> bool:
    """Whether what stands behind the comma of a relative clause may belong to it: ", which was seen in A, in B"."""
    last = max(subtree(tree, word))
    rest = tree.words[last + 1 : last + 3]
    return len(rest) == 2 and rest[0].text == "," and rest[1].tag in {"IN", "TO"}


def _behind(tree: Tree, word: Word) -> bool:
    """Whether a relative clause or an apposition stands behind its noun and a comma; a concept there is its noun."""
    before = min(subtree(tree, word)) - 2
    named = word.dep == "appos" and tree.words[before].mention is not None
    return named or before in subtree(tree, tree.words[word.head])


def _participle(clause: Clause, word: Word) -> bool:
    """Whether a participle behind a verb is stated as the verb is, without doubt or denial."""
    plain = clause.head.tag in TENSED and not any(child.dep in HELPING | {"neg"} for child in clause.children())
    marked = any(child.dep == "mark" for child in clause.children(word))
    return plain and not marked and word.index > clause.head.index and word.dep in {"acl", "advcl"}


def _joins(clause: Clause, own: Clause) -> bool:
    """Whether a verb is joined to another by "and"; by "or" only if both are denied by one "not"."""
    tree, first = clause.tree, min(subtree(clause.tree, own.head))
    joints = [tree.words[index].text.lower() for index in sorted(_joint(tree, own.head)) if index < first]
    said = next((each for each in joints if each != ","), joints[0] if joints else "")
    return said in _AND or (said == "or" and not own.subject and any(each.dep == "neg" for each in clause.children()))


def _joint(tree: Tree, word: Word) -> set[int]:
    """The words that join a clause to the one that it hangs on: "and", and the commas around it."""
    whole, governor = subtree(tree, word), tree.words[word.head]
    first, last = min(whole), max(whole)
    found = {each.index for each in tree.children(governor) if each.dep == "cc" and governor.index < each.index < first}
    while first and tree.words[first - 1].text.lower() in _JOINTS:
        first -= 1
        found.add(first)
    if found and last + 1 < len(tree.words) and tree.words[last + 1].text == ",":
        found.add(last + 1)
    return found
