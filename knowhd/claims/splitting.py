"""A parsed sentence as the claims that it makes."""

from collections.abc import Iterator

from groundwork.reading.tree import Tree, Word
from knowhd.claims.clause import Clause, sentence, subtree
from knowhd.claims.clauses import VERBS, clauses
from knowhd.claims.lists import told_apart
from knowhd.claims.references import Context, after, resolved
from knowhd.claims.soundness import sound, states
from knowhd.claims.words import listed

_JOINING = frozenset({"advmod", "prep", "cc", "advcl", "intj", "npadvmod", "mark", "preconj"})


def split(tree: Tree, before: Context) -> tuple[list[str], Context]:
    """Split a sentence into claims.

    Args:
        tree: The sentence.
        before: What the clauses before it were about.

    Returns:
        The claims, in order; the sentence whole if it cannot be split safely. And what its clauses were about.
    """
    made: list[Clause] = []
    for clause in map(_plain, clauses(tree)):
        meant = resolved(clause, before)
        told = [each for one in meant for each in told_apart(one)]
        before = after(meant[0], told, before) if len(meant) == 1 else before
        made += told
    texts = [clause.text for clause in made]
    said = " ".join(texts).lower()
    if all(map(sound, made)) and all(mention.text.lower() in said for mention in tree.mentions):
        return texts, before
    return [sentence(tree.text)], before


def stated(tree: Tree) -> bool:
    """Whether each clause of a parsed text has a subject and a finite verb behind it."""
    return all(map(states, clauses(tree)))


def _plain(clause: Clause) -> Clause:
    """A clause without the words that only join it to others, and their commas: "However,", "therefore"."""
    words, gone = clause.tree.words, set[int]()
    for word in _connectives(clause):
        said = subtree(clause.tree, word)
        around = (index for index in (min(said) - 1, max(said) + 1) if 0 <= index < len(words))
        gone |= said | {index for index in around if words[index].text == ","}
    return clause.without(gone)


def _connectives(clause: Clause) -> Iterator[Word]:
    words = clause.tree.words
    for index in clause.words:
        word = words[index]
        inner = (word.dep == "cc" or word.text.lower() == "so") and index > min(clause.words)
        if word.dep in _JOINING and not inner and words[word.head].tag in VERBS:
            said = " ".join(words[each].text.lower() for each in sorted(subtree(clause.tree, word)))
            if said in listed("connective"):
                yield word
