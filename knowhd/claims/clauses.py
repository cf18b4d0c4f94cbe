"""Find the clauses of a sentence that make a statement of their own.

A dependent clause is separated if it makes a statement of its own. Other clauses, such as conditions, stay where they
are. The module `sharing` completes a separated clause with the words that it shares with another clause.
"""

from collections.abc import Iterator

from groundwork.reading.cues import category
from groundwork.reading.tree import Tree, Word
from knowhd.claims.clause import HELPING, RELATIVE, TENSED, Clause, clause_of, subtree
from knowhd.claims.sharing import completed, with_object
from knowhd.claims.verbs import raised
from knowhd.claims.words import listed

VERBS = TENSED | {"VB", "VBN", "VBG", "MD"}
#: Dependency labels below which no clause is searched.
_CLOSED = frozenset({"advcl", "ccomp", "conj", "csubj", "pcomp", "relcl", "acl"})
_JOINTS = frozenset({"and", "but", "yet", ",", "or", "so"})
#: Categories of verbs after which "which" may refer to the action instead of the object.
_REMOVING = frozenset({"less", "worse", "absent", "remove", "remedy"})


def clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence that make a statement of their own, in order."""
    if tree.root is None:
        return []
    whole = clause_of(tree, tree.root, frozenset(range(len(tree.words))))
    return sorted(_parted(whole), key=lambda clause: clause.head.index)


def _parted(clause: Clause) -> Iterator[Clause]:
    """Yield a clause without the clauses inside it that make a statement of their own, and then those clauses."""
    tree = clause.tree
    apart = list(_apart(clause))
    if any(kind == "joined" for _, kind in apart):  # "both" belongs to both verbs: "A both lowers B and raises C"
        before = clause.head.index - 1
        clause = clause.without({before} if tree.words[before].text.lower() == "both" else ())
    own = clause.without(index for word, _ in apart for index in subtree(tree, word) | _joint(tree, word))
    joined = [word for word, kind in apart if kind == "joined" and clause_of(tree, word, own.words).subject is None]
    yield raised(with_object(own, clause, joined[0]) if joined else own)
    for word, kind in apart:
        cut = clause_of(tree, word, clause.words & subtree(tree, word))
        cut = cut.without(child.index for child in cut.children() if child.dep == "mark")
        cut = cut.without(_left_comma(cut, _joint(tree, word)))
        yield from _parted(completed(cut, kind, clause, own))


def _left_comma(clause: Clause, joint: set[int]) -> set[int]:
    """Return the index of the comma beside the verb if the other comma of the pair is in `joint`; else an empty set.

    An example is ", and may even prevent, B". `joint` is the result of `_joint` for the clause.
    """
    words, children = clause.tree.words, clause.children()
    commas = {child.index for child in children if child.text == ","}
    verb = {clause.head.index, *(child.index for child in children if child.dep in HELPING | {"neg", "advmod"})}
    paired = any(index < min(clause.words) and words[index].text == "," for index in joint)
    beside = any({comma - 1, comma + 1} & verb for comma in commas)
    return commas if paired and beside and len(commas) == 1 else set()


def _apart(clause: Clause) -> Iterator[tuple[Word, str]]:
    """Yield (head word, kind) of each clause inside `clause` that makes a statement of its own; see `_kind`."""
    waiting = clause.children()
    while waiting:
        word = waiting.pop(0)
        if kind := _kind(clause, word):
            yield word, kind
        elif word.dep not in _CLOSED:
            waiting += clause.children(word)


def _kind(clause: Clause, word: Word) -> str:
    """Return how a word's clause depends on `clause` ("relative"), or "" if it makes no statement of its own."""
    tree, head = clause.tree, clause.head
    own = clause_of(tree, word, clause.words)
    first = min(subtree(tree, word))
    comma = tree.words[first - 1].text == ","
    if word.dep == "appos":
        behind = first - 2 in subtree(tree, tree.words[word.head])
        return "apposition" if comma and behind and tree.words[first].text.lower() in {"a", "an", "the"} else ""
    if word.lemma == "do":
        return ""  # "whereas C does not": the action is in the other clause
    if word.dep == "relcl":
        asking = [each for each in own.below(word) if each.tag in RELATIVE | {"WRB"}]
        # Not "which is why", and not "where", which the parser sometimes puts below the subject.
        pronoun = len(asking) == 1 and asking[0].tag in RELATIVE and asking[0] in own.below(own.subject)
        removed = category(head.lemma) in _REMOVING and tree.words[word.head].dep == "dobj"
        return "relative" if comma and pronoun and not removed else ""
    if word.dep == "conj":
        verbal = word.tag in VERBS and word.head == head.index and (own.finite or own.subject is None)
        return "joined" if verbal and _joins(clause, word) else ""
    if word.tag == "VBG" and own.subject is None:
        hangs = word.dep in {"acl", "advcl"} and head.index < word.index
        plain = head.tag in TENSED and not any(child.dep in HELPING | {"neg"} for child in clause.children())
        return "participle" if comma and hangs and plain else ""
    if word.dep == "advcl" and word.head == head.index and own.subject and own.finite:
        return "adverbial" if _asserted(clause, word, set_off=comma or word.index < head.index) else ""
    return ""


def _asserted(clause: Clause, word: Word, *, set_off: bool) -> bool:
    """Return whether the sentence asserts the adverbial clause of a verb, such as "although A" or "because A".

    "Because A" is not asserted if the rest of the sentence states a condition, or if the rest denies something and the
    clause is not set off. A clause is set off (`set_off`) if it comes first or is separated by a comma.
    """
    children = (child for child in clause.children(word) if child.dep in {"mark", "advmod", "neg"})
    first = next(children, word).text.lower()
    if first not in listed("assertive") | (listed("assertive,") if set_off else frozenset()):
        return False
    rest = {clause.tree.words[index].text.lower() for index in clause.words - subtree(clause.tree, word)}
    denied = not set_off and rest & listed("denying")
    return first not in {"because", "since", "as"} or not (denied or rest & listed("condition"))


def _joins(clause: Clause, word: Word) -> bool:
    """Return whether a verb is joined to another verb by "and" or "but", or by "or" if one "not" denies both verbs."""
    said = {clause.tree.words[index].text.lower() for index in _joint(clause.tree, word)}
    denied = any(child.dep == "neg" for child in clause.children())
    either = "or" in said and (clause_of(clause.tree, word, clause.words).subject or not denied)
    return bool(said) and not either


def _joint(tree: Tree, word: Word) -> set[int]:
    """Return the indexes of the conjunctions ("and") and commas that join a word's clause to the clause above it."""
    whole, governor = subtree(tree, word), tree.words[word.head]
    first, last = min(whole), max(whole)
    found = {each.index for each in tree.children(governor) if each.dep == "cc" and governor.index < each.index < first}
    while first and tree.words[first - 1].text.lower() in _JOINTS:
        first -= 1
        found.add(first)
    if found and last + 1 < len(tree.words) and tree.words[last + 1].text == ",":
        found.add(last + 1)
    return found
