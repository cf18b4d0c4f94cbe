"""Split a parsed sentence into its claims: one for each clause and for each member of a list.

"A and B lower C" becomes "A lowers C" and "B lowers C".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from groundwork.reading.tree import Tree, Word
from knowhd.claims.anaphora import Context, after, resolved
from knowhd.claims.clauses import (
    NOUNS,
    SUBJECTS,
    TENSED,
    VERBS,
    Clause,
    clauses,
    denied,
    plural,
    sentence,
    singular,
    subtree,
)
from knowhd.claims.phrases import listed

_JOINING = frozenset({"advmod", "prep", "cc", "advcl", "intj", "npadvmod", "mark", "preconj"})
#: Signs of a wrong split: a single comma between a subject and its verb, or empty brackets.
_BROKEN = re.compile(r"^[^,]+, (?:is|are|was|were|has|have|does|do|did|can|may|might|could|will|would)\b|[(\[]\W*[)\]]")
#: Maximum number of claims from the lists of one clause. A clause that would give more claims is not split.
MOST = 32
_SLOTS = SUBJECTS | {"dobj", "pobj", "attr", "acomp", "prep", "oprd", "dative"}
#: Dependency labels allowed between a list and its verb. A list in a condition or a relative clause is not split.
_OPEN = _SLOTS | {"agent", "xcomp"}
_AND = frozenset({"and", ",", ", and", "as well as", ", as well as"})
_OR = frozenset({"or", "nor", ", or", ", nor"})
_BUT_NOT = frozenset({"but not", ", but not", "and not", ", and not", ", not", "rather than", ", rather than"})
_KINDS = (NOUNS | {"VBG"}, {"JJ", "JJR", "VBN"}, {"IN", "TO"})
_DENYING = frozenset({"not", "no", "n't", "neither", "without"})
#: Words for all members of a list, after the list: "A and B both lower C".
_EACH, _BESIDE_VERB = frozenset({"both", "each", "all"}), frozenset({"advmod", "appos", "dep"})
_MUTUAL = re.compile(r"\b(?:each other|one another)\b", re.I)


def split(tree: Tree, before: Context) -> tuple[list[str], Context]:
    """Return the claims of a sentence, in order, and the context for the next sentence.

    If the sentence cannot be split safely, it is returned whole as one claim. `before` is the context before it.
    """
    made: list[Clause] = []
    for clause in map(_plain, clauses(tree)):
        meant = resolved(clause, before)
        told = [each for one in meant for each in _told_apart(one)]
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


def _told_apart(clause: Clause) -> list[Clause]:
    """Return a clause for each combination of members of a clause's lists.

    If the clause has no list, or would give more than `MOST` clauses, the clause itself is returned.
    """
    done: list[Clause] = []
    waiting = [(clause, 0)]
    while waiting:
        each, start = waiting.pop(0)
        members = next((group for group in _lists(each) if group[0].index >= start), None)
        if members is None:
            done.append(each)
        else:
            waiting = [(made, members[0].index + 1) for made in _of_each(each, members)] + waiting
        if len(done) + len(waiting) > MOST:
            return [clause]
    return done


def _lists(clause: Clause) -> Iterator[list[Word]]:
    """Yield the lists of a clause that may be split, each as the head words of its members."""
    for word in clause.below(clause.subject) + clause.below(clause.head):
        if word.dep in _SLOTS:
            members = sorted(_conjuncts(clause, word), key=lambda member: member.index)
            if len(members) > 1 and _separable(clause, members):
                yield members


def _conjuncts(clause: Clause, word: Word) -> Iterator[Word]:
    """Yield a word and the words joined to it."""
    yield word
    for child in clause.children(word):
        if child.dep == "conj":
            yield from _conjuncts(clause, child)


def _separable(clause: Clause, members: Sequence[Word]) -> bool:
    """Return whether a statement about the list holds for each of its members."""
    first = members[0]
    above = clause.tree.above(first)
    ends = {clause.head.index, clause.subject.head if clause.subject else -1}
    path = above[: next((n for n, word in enumerate(above) if n and word.index in ends), 0)]
    alike = any(all(member.tag in kind for member in members) for kind in _KINDS)
    if not path or any(word.dep not in _OPEN for word in path) or not alike or _together(clause, first, path):
        return False
    allowed = _AND | _BUT_NOT | (_OR if _negated(clause, members) else frozenset())
    return all(joint in allowed for joint in _joints(clause, _own(clause, members)))


def _together(clause: Clause, first: Word, path: Sequence[Word]) -> bool:
    """Return whether a statement is about the list as a whole: "the combination of A and B", "A and B interact"."""
    kept = [clause.tree.words[index] for index in clause.words]
    around = [each for word in path[1:] for each in (word, *clause.children(word)) if each.index < first.index]
    if any(word.lemma in listed("together") for word in around) or any(w.lemma in listed("jointly") for w in kept):
        return True
    governor = clause.tree.words[first.head]
    if governor.text.lower() in {"between", "among", "with"} and governor.head != clause.head.index:
        return True
    if first.dep in SUBJECTS and _MUTUAL.search(clause.text):
        return True
    objects = any(child.dep in {"dobj", "prep", "agent"} for child in clause.children())
    mutual = any(word.lemma in listed("mutual") for word in (clause.head, *clause.children()))
    return first.dep in SUBJECTS and mutual and not objects


def _negated(clause: Clause, members: Sequence[Word]) -> bool:
    """Return whether a negation covers a list, so that "or" joins things that are each denied."""
    near = [*clause.children(), *(child for member in members for child in clause.children(member))]
    return any(word.text.lower() in _DENYING for word in near)


def _own(clause: Clause, members: Sequence[Word]) -> list[frozenset[int]]:
    """Return for each member of a list the indexes of the words that belong to this member alone."""
    words, found = clause.tree.words, []
    for number, member in enumerate(members):
        after = [subtree(clause.tree, other) for other in members[number + 1 :]]
        own = (subtree(clause.tree, member) & clause.words).difference(*after)
        own = frozenset(index for index in own if not after or index < min(after[0]))
        own -= {child.index for child in clause.children(member) if child.dep in {"cc", "preconj", "neg"}}
        own -= {index for index in own if words[index].text.lower() in {"neither", "both"}}
        while own and words[max(own)].text in {",", "well", "as", "rather"}:
            own -= {max(own)}
        texts = [words[index].text for index in own]
        if texts.count("(") > texts.count(")") and _text_after(clause, max(own)) == ")":
            own |= {max(own) + 1}
        found.append(own)
    return found


def _text_after(clause: Clause, index: int) -> str:
    """Return the text of the word after a word of the sentence; "" if there is none, as in a text without full stop."""
    return "".join(word.text for word in clause.tree.words[index + 1 : index + 2])


def _joints(clause: Clause, own: Sequence[frozenset[int]]) -> list[str]:
    """Return the text between each member of a list and the next member, given the words of each member."""
    between = (clause.tree.words[max(one) + 1 : min(other)] for one, other in pairwise(own))
    return [" ".join(word.text.lower() for word in words) for words in between]


def _of_each(clause: Clause, members: Sequence[Word]) -> Iterator[Clause]:
    """Yield a clause for each member of a list, negated if the list denies this member ("A but not B")."""
    own = _own(clause, members)
    joints = ["", *_joints(clause, own)]
    last = max(own[-1])
    opened = joints[-1] in _BUT_NOT and joints[-1].startswith(",")
    closed = opened and _text_after(clause, last) == ","  # "A, but not B, lowers C"
    whole = {index for index in subtree(clause.tree, members[0]) & clause.words if index <= last} | {last + closed}
    neither = any(clause.tree.words[index].text.lower() == "neither" for index in whole)
    subject = members[0].dep in SUBJECTS
    near = (*clause.children(), *clause.children(members[0])) if subject else ()
    whole |= {w.index for w in near if w.index > last and w.text.lower() in _EACH and w.dep in _BESIDE_VERB}
    for member, words, joint in zip(members, own, joints, strict=True):
        alone = member.dep == "prep" and not any(child.dep in {"pobj", "pcomp"} for child in clause.children(member))
        kept = words | (own[-1] - {members[-1].index}) if alone else words  # "with or without C"
        made = replace(clause, words=(clause.words - whole) | kept, subject=member if subject else clause.subject)
        one = subject and not plural(member)
        made = singular(made) if one else made
        yield (denied(made, one=one) or clause) if neither or joint in _BUT_NOT else made
