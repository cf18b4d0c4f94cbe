"""Split a parsed sentence into its claims."""

import re
from itertools import pairwise

from groundwork.reading.tree import Tree, Word
from knowhd.claims.anaphora import Context, after, resolved
from knowhd.claims.clause import NOUNS, TENSED, Clause, sentence, subtree
from knowhd.claims.clauses import VERBS, clauses
from knowhd.claims.lists import told_apart
from knowhd.claims.verbs import plural
from knowhd.claims.words import listed

_JOINING = frozenset({"advmod", "prep", "cc", "advcl", "intj", "npadvmod", "mark", "preconj"})
#: Signs of a wrong split: a single comma between a subject and its verb, or empty brackets.
_BROKEN = re.compile(r"^[^,]+, (?:is|are|was|were|has|have|does|do|did|can|may|might|could|will|would)\b|[(\[]\W*[)\]]")


def split(tree: Tree, before: Context) -> tuple[list[str], Context]:
    """Return the claims of a sentence, in order, and the context for the next sentence.

    If the sentence cannot be split safely, it is returned whole as one claim. `before` is the context before it.
    """
    made: list[Clause] = []
    for clause in map(_plain, clauses(tree)):
        meant = resolved(clause, before)
        told = [each for one in meant for each in told_apart(one)]
        before = after(meant[0], told, before) if len(meant) == 1 else before
        made += told
    texts = [clause.text for clause in made]
    said = " ".join(texts).lower()
    if all(map(_sound, made)) and all(mention.text.lower() in said for mention in tree.mentions):
        return texts, before
    return [sentence(tree.text)], before


def stated(tree: Tree) -> bool:
    """Return whether each clause of a parsed text has a subject followed by a finite verb."""
    return all(map(_states, clauses(tree)))


def _states(clause: Clause) -> bool:
    """Return whether a clause has a subject followed by a finite verb."""
    who, verb = clause.subject, clause.finite
    return who is not None and verb is not None and (who.dep == "expl" or who.index <= verb.index)


def _sound(clause: Clause) -> bool:
    """Return whether a claim is well formed.

    It makes a statement, its brackets are balanced, its verb agrees with its subject, and no two nouns or verbs are
    adjacent that were apart in the sentence.
    """
    words, text = clause.tree.words, clause.text
    closed = all(text.count(a) == text.count(b) for a, b in ("()", "[]")) and not _BROKEN.search(text)
    kept = [words[index] for index in sorted(clause.words)]
    glued = any(
        other.index > one.index + 1
        and ({one.tag, other.tag} <= NOUNS or {one.tag, other.tag} <= TENSED)
        and clause.told.keys().isdisjoint((one.index, other.index))
        for one, other in pairwise(kept)
    )
    return _states(clause) and closed and _agrees(clause) and not glued


def _agrees(clause: Clause) -> bool:
    """Return whether a verb agrees in number with a subject that it shares with another verb.

    If it does not, as in "B indicate C", the split gave the verb a wrong subject.
    """
    who, verb = clause.subject, clause.finite
    if who is None or verb is None or who.head == clause.head.index or verb.index in clause.told:
        return True
    many = plural(who) or any(word.dep == "conj" for word in clause.below(who))
    return verb.tag not in {"VBP", "VBZ"} or many == (verb.tag == "VBP")


def _plain(clause: Clause) -> Clause:
    """Return a clause without connectives and their commas: "However,", "therefore"."""
    words, gone = clause.tree.words, set[int]()
    for index in clause.words:
        if _joins(clause, words[index]):
            said = subtree(clause.tree, words[index])
            around = (each for each in (min(said) - 1, max(said) + 1) if 0 <= each < len(words))
            gone |= said | {each for each in around if words[each].text == ","}
    return clause.without(gone)


def _joins(clause: Clause, word: Word) -> bool:
    """Return whether a word and the words below it only connect a clause to another one."""
    words = clause.tree.words
    inner = (word.dep == "cc" or word.text.lower() in {"so", "together"}) and word.index > min(clause.words)
    said = " ".join(words[each].text.lower() for each in sorted(subtree(clause.tree, word)))
    return word.dep in _JOINING and not inner and words[word.head].tag in VERBS and said in listed("connective")
