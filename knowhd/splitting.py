"""Split a parsed sentence into its claims: one for each clause and for each member of a list.

"A and B lower C" becomes "A lowers C" and "B lowers C". Words that refer to something outside their clause ("it",
"both", "its loss", "that of", "this drug") are resolved.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from groundwork.linking import Mention
from groundwork.reading.tree import Tree, Word, parse
from knowhd.clauses import (
    HELPING,
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
from knowhd.phrases import listed

_MANY = frozenset({"they", "them", "their", "theirs"})
_PERSONAL = frozenset({"it", "its", "he", "him", "his", "she", "her"}) | _MANY
_POINTING = frozenset({"this", "these", "that", "those", "such", "both", "former", "latter"})
_TRIGGER = re.compile(rf"\b(?:{'|'.join(sorted(_PERSONAL | _POINTING))})\b", re.I)
_HYPHENS = frozenset("-\u2010\u2011\u2013")
_ARGUMENTS = SUBJECTS | {"dobj", "pobj", "attr"}
#: Words for all members of a list, alone or with their number: "both", "all three drugs"; and the maximum number of
#: words in such a phrase.
_ALL = frozenset({"they", "both", "all", "each", "these"})
_LONGEST = 3
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}


@dataclass(frozen=True)
class Context:
    """What the preceding clauses were about.

    Args:
        members: The phrases that the last subject joins, such as "A" and "B", each as (words, whether plural).
        owner: What "its" refers to: the concept in the last subject, or the whole subject if it does not name exactly
            one concept.
        measured: What "that of" refers to: the last noun followed by "of", with the words of its phrase before it.
    """

    members: tuple[tuple[str, bool], ...] = ()
    owner: str = ""
    measured: str = ""


def resolved(clause: Clause, before: Context) -> list[Clause]:
    """Replace the words of a clause that refer to a preceding clause by the words that they stand for.

    A pronoun as subject refers to the preceding subject if both are singular or both are plural. "That of" refers to
    the last preceding noun that is followed by "of".

    Returns:
        A list with one clause. If the subject refers to a list ("both"), one clause per member of the list.
    """
    subject = clause.below(clause.subject)
    if _stands_for(clause, subject, before.members):
        blank = {word.index: "" for word in subject}
        told = [(clause.tell(blank | {subject[0].index: name}), several) for name, several in before.members]
        return [each if several else singular(each) for each, several in told]
    return [clause.tell(dict(_inner(clause, subject, before)))]


def _stands_for(clause: Clause, subject: Sequence[Word], members: Sequence[tuple[str, bool]]) -> bool:
    """Return whether a subject such as "it", "they" or "all three drugs" refers to the preceding subject."""
    said = {word.text.lower() for word in subject}
    if not members or not said:
        return False
    several = len(members) > 1 or members[0][1]
    if said == {"it"}:
        return not several and not _expletive(clause.tree, subject[0])
    number = next((_NUMBERS[each] for each in said if each in _NUMBERS), None)
    counted = number == len(members) and bool(said & _ALL) and len(subject) <= _LONGEST
    return several and (counted or (said <= _ALL and number is None))


def _inner(clause: Clause, subject: Sequence[Word], before: Context) -> Iterator[tuple[int, str]]:
    """Yield (word index, new text) for "its" at the beginning of a subject, "that of", and pronouns in the subject."""
    first = subject[0] if subject else clause.head
    if len(before.members) == 1 and first.text.lower() == ("their" if before.members[0][1] else "its"):
        noun = clause.tree.words[first.head]
        yield from ((first.index, ""), (noun.index, f"{noun.text} of {before.owner}"))
    for word in clause.below(clause.head):
        of = any(child.text == "of" for child in clause.tree.children(word))
        if before.measured and of and word.text.lower() in {"that", "those"}:
            yield word.index, before.measured
        if word in subject and word.dep == "nsubj" and _stands_for(clause, [word], before.members[:1]):
            yield word.index, before.owner


def after(clause: Clause, told: Sequence[Clause], before: Context) -> Context:
    """Return the context after a clause, given its parts after splitting (`told`) and the context before it."""
    words = clause.below(clause.head)
    of = [each for each in words if each.tag in NOUNS and any(child.text == "of" for child in clause.children(each))]
    measured = clause.phrase(each for each in clause.below(of[-1]) if each.index <= of[-1].index) if of else ""
    who = clause.subject
    if who is None or who.dep == "expl" or who.tag == "PRP":
        return replace(before, measured=measured or before.measured)
    members = {_subject(each): plural(each.subject) for each in told if each.subject is not None}
    if not all(members):  # a subject that is no noun phrase cannot be repeated
        return Context(measured=measured or before.measured)
    named = [word for word in clause.below(who) if word.mention is not None]
    alone = len(named) == 1 and _compound(clause, named) == named
    return Context(tuple(members.items()), named[0].text if alone else _subject(clause), measured or before.measured)


def _subject(clause: Clause) -> str:
    """Return the words of a subject, or "" if they are no noun phrase.

    The first letter is made small unless it belongs to a name.
    """
    words = _compound(clause, [word for word in clause.below(clause.subject) if word.index < clause.head.index])
    spoken = [word for word in words if word.text[0].isalnum() and word.tag != "CD"]
    if not spoken or (spoken[-1].mention is None and spoken[-1].tag not in NOUNS | {"VBG"}):
        return ""
    text = clause.phrase(words)
    small = words[0].index == 0 and words[0].mention is None and words[0].text[1:].islower()
    return text[:1].lower() + text[1:] if small else text


def _compound(clause: Clause, words: Sequence[Word]) -> list[Word]:
    """Return words of a subject with the other words of their compound; no words if the compound is not complete.

    In "heparin-induced thrombocytopenia", the parser may separate the noun from the words with the hyphen.
    """
    if not words:
        return []
    known, first, last = clause.tree.words, words[0].index, words[-1].index
    helping = [each.index for each in clause.children() if each.dep in HELPING and each.index > last]
    while first > 1 and (hyphen := next((n for n in (first - 1, first - 2) if known[n].text in _HYPHENS), None)):
        first = hyphen - 1
    between = range(last + 1, min([clause.head.index, *helping]))
    nouns = [n for n in between if known[n].tag in NOUNS or known[n].mention is not None]
    if nouns and all(known[n].text not in {",", ";", ":"} for n in between):
        last = nouns[-1]
    if known[last].text[-1] in _HYPHENS or any(word.text in _HYPHENS for word in known[last + 1 : last + 2]):
        return []  # the verb is part of the compound
    kept = clause.words.union(word.index for word in words)
    return [word for word in known[first : last + 1] if word.index in kept]


def unresolved(text: str, mentions: tuple[Mention, ...]) -> bool:
    """Return whether a claim has a pronoun, or "this" with a noun, for which no earlier noun in the claim fits."""
    if not _TRIGGER.search(text):
        return False
    tree = parse(text, mentions)
    return any(_refers(tree, word) and not _named(tree, word) for word in tree.words)


def _refers(tree: Tree, word: Word) -> bool:
    """Return whether a word refers to something that is named elsewhere."""
    said, governor, children = word.text.lower(), tree.words[word.head], tree.children(word)
    if said in _PERSONAL:
        return not _expletive(tree, word)
    if said not in _POINTING or word.tag not in {"DT", "PDT", "JJ", "NN"}:
        return False
    if word.dep in {"det", "amod"}:
        direct = governor.dep in _ARGUMENTS - {"pobj"} or tree.words[governor.head].text in {"of", "by"}
        return said in {"this", "these", "such"} and governor.tag in NOUNS and direct and word.index < governor.index
    return word.dep in _ARGUMENTS and not any(
        child.dep in {"relcl", "acl"} or child.text == "with" for child in children
    )


def _expletive(tree: Tree, word: Word) -> bool:
    """Return whether "it" refers to nothing, as in "it is important to"."""
    governor = tree.words[word.head]
    complements = (child for each in (governor, *tree.children(governor)) for child in tree.children(each))
    clausal = {"ccomp", "csubj", *({"xcomp"} if governor.lemma in {"be", "seem", "appear"} else ())}
    return word.text.lower() == "it" and any(child.dep in clausal for child in complements)


def _named(tree: Tree, word: Word) -> bool:
    """Return whether an earlier noun can be what a pronoun or determiner refers to.

    For "this drug", the noun must be "drug" or end with "drug". A pronoun must agree with the noun in number.
    """
    noun = tree.words[word.head] if word.dep in {"det", "amod"} else None
    own = word.dep in SUBJECTS | {"dobj", "pobj"}  # "it" as object does not refer to the subject of the same verb
    verb = next((each for each in tree.above(word)[1:] if each.dep not in {"prep", "agent", "pobj"}), word)
    before = [each for each in tree.words[: word.index] if each.tag in NOUNS]
    before = [each for each in before if not (own and each.dep in SUBJECTS and each.head == verb.index)]
    if noun is not None:
        return any(each.lemma == noun.lemma or each.text.lower().endswith(noun.text.lower()) for each in before)
    several = word.text.lower() in _MANY | {"these", "those", "both"}
    return any(plural(each) == several or (several and each.dep == "conj") for each in before)


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
